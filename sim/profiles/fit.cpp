#include "sim/profiles/fit.hpp"

#include <algorithm>
#include <cmath>
#include <iterator>

#include "sim/profiles/doubts.hpp"
#include "sim/profiles/latency_fit.hpp"
#include "sim/profiles/measurements.hpp"
#include "sim/profiles/quantity.hpp"

namespace drydock::sim {
namespace {

constexpr std::int64_t kMedian = 500'000;
// A p99.9 so much larger than the median is somebody else's load.
constexpr std::int64_t kNoisyTail = 200;
// A fit of depths that is off by more describes another disk.
constexpr std::int64_t kWorstPercent = 25;
// Bandwidths are given in whole MB/s.
constexpr std::int64_t kMegabyte = 1'000'000;
// An O_DSYNC write that takes less than so many per cent of a write is one write.
constexpr std::int64_t kOneWritePercent = 150;
constexpr double kBillion = 1e9;
constexpr double kRatioMax = 1e9;  // What is larger does not matter.

const FioDirection& moved_by(const FioJob& job) {
  return job.write.commands > 0 ? job.write : job.read;
}

// 0 if fio was not asked for it.
std::int64_t percentile_of(const FioLatency& latency, std::int64_t per_million) {
  for (const FioPercentile& percentile : latency.percentiles) {
    if (percentile.per_million == per_million) return percentile.ns;
  }
  return 0;
}

std::string percent_text(std::int64_t per_million) {
  return text_of(ProfileUnit::fraction, per_million);
}

std::string time_text(std::int64_t ns) { return text_of(ProfileUnit::time, ns); }

// "3.1": for messages.
std::string times_text(double ratio) {
  return text_of(ProfileUnit::ratio, std::llround(ratio * 10) * 100);
}

std::int64_t off_percent(const FitRow& row) {
  const double ratio = static_cast<double>(row.fit) / static_cast<double>(row.measured);
  return std::llround(std::abs(ratio - 1) * 100);
}

class Fit {
 public:
  Fit(const std::vector<FioJob>& jobs, const Profile& base, const CalibrationOptions& options)
      : jobs_(jobs), measured_(jobs), base_(base), options_(options) {}

  Calibration run() {
    result_.uses = measured_.uses();
    result_.profile.name = options_.name;
    result_.profile.title = "Measured with fio; what it does not measure as in " + base_.name;
    latency(Subject::read_latency, ProfileKey::read_latency, ProfileKey::read_submission);
    latency(Subject::write_latency, ProfileKey::write_latency, ProfileKey::write_submission);
    depth(CommandDirection::read, measured_.read_depths());
    depth(CommandDirection::write, measured_.write_depths());
    bandwidth(Subject::read_bandwidth, ProfileKey::read_bandwidth);
    bandwidth(Subject::write_bandwidth, ProfileKey::write_bandwidth);
    per_kib(Subject::read_latency, Subject::read_16k, ProfileKey::read_time_per_kib);
    per_kib(Subject::write_latency, Subject::write_16k, ProfileKey::write_time_per_kib);
    flush();
    force_unit_access();
    reads_beside_writes();
    shared_servers();
    std::ranges::copy(doubts_of(jobs_, measured_), std::back_inserter(result_.flags));
    if (!fitted_) throw CalibrationRefusal(jobs_.front().place + ": nothing to fit in these jobs");
    keep_rest();
    parallelism();  // Of the whole disk: it runs.
    return std::move(result_);
  }

 private:
  void set(ProfileKey key, std::int64_t value, std::string citation) {
    ProfileValue fitted;
    fitted.low = std::clamp(value, rule_of(key).low, rule_of(key).high);
    fitted.stamp = {Evidence::measured, std::move(citation)};
    result_.profile[key] = std::move(fitted);
    fitted_ = true;
  }
  void note(std::string text) { result_.notes.push_back(std::move(text)); }
  void flag(std::string text) { result_.flags.push_back(std::move(text)); }

  // A table, with what is to be said of its tail.
  void set_table(const FioJob& job, const FioLatency& latency, std::int64_t less_ns, ProfileKey key,
                 const std::string& title) {
    for (const std::int64_t needed : {kMedian, std::int64_t{990'000}}) {
      if (percentile_of(latency, needed) == 0) {
        throw CalibrationRefusal(job.place + ": has no percentile " + percent_text(needed) +
                                 ": run fio with --percentile_list");
      }
    }
    LatencyFit fit =
        fit_latency(latency, less_ns, title + " (" + job.name + ")",
                    "fio " + job.name + ": " + std::to_string(latency.samples) + " samples");
    if (fit.tail_per_million < kMedian) {
      throw CalibrationRefusal(job.place + ": " + std::to_string(latency.samples) +
                               " samples are too few: a median takes 20");
    }
    std::string tail = title + ": no tail beyond p" + percent_text(fit.tail_per_million);
    tail.pop_back();  // The per cent sign.
    note(tail + ": " + std::to_string(latency.samples) + " samples");
    const std::int64_t p999 = percentile_of(latency, 999'000);
    const std::int64_t p50 = percentile_of(latency, kMedian);
    if (p999 > kNoisyTail * p50) {
      flag(title + ": p99.9 is " + std::to_string(p999 / p50) +
           " times p50: something else used the disk");
    }
    ProfileValue value;
    value.form = ProfileValue::Form::points;
    value.points = std::move(fit.points);
    result_.profile[key] = std::move(value);
    result_.tables.push_back(std::move(fit.table));
    fitted_ = true;
  }

  void latency(Subject subject, ProfileKey table, ProfileKey submission) {
    const FioJob* const job = measured_.find(subject);
    if (job == nullptr) return;
    const FioDirection& moved = moved_by(*job);
    set_table(*job, moved.completion, 0, table, std::string(name_of(subject)));
    const double overhead = kBillion / moved.iops - moved.completion.mean_ns;
    set(submission, std::llround(std::max(overhead, 0.0)),
        "fio " + job->name + ": time between two commands, less clat");
  }

  void depth(CommandDirection direction, const std::map<int, const FioJob*>& depths) {
    const std::string name = direction == CommandDirection::read ? "read" : "write";
    if (depths.size() < 2) return;
    if (depths.begin()->first != 1) {
      flag(name + " servers: not fitted without a job at depth 1");
      return;
    }
    DepthRuns run{.direction = direction};
    for (const auto& [depth, job] : depths) run.points.push_back({depth, moved_by(*job).iops});
    const double served_ns = moved_by(*depths.begin()->second).completion.mean_ns;
    DepthFit fit =
        fit_depth(run.points, served_ns, name + " servers and limit, by the depth of the queue");
    const std::string citation = depths_text(run) + ": least squares on max(s0, depth / limit)";
    set_limits(direction, fit.limits, citation);
    for (const int depth : fit.fallen) {
      flag(name + ": fewer commands per second at depth " + std::to_string(depth) +
           " than at a smaller one");
    }
    if (!fit.saturated) {
      flag(name + ": depth " + std::to_string(run.points.back().depth) +
           " does not keep the disk busy: servers and limit are lower bounds");
    }
    run.reached = fit.reached;
    if (run.points.size() >= kLawDepthsMin) {
      runs_.push_back(std::move(run));  // What the disk makes of it is judged there.
    } else {
      flag_far_off(fit.table, name);
    }
    result_.tables.push_back(std::move(fit.table));
  }

  void set_limits(CommandDirection direction, const DepthLimits& limits, const std::string& from) {
    const bool reads = direction == CommandDirection::read;
    set(reads ? ProfileKey::read_servers : ProfileKey::write_servers, limits.servers, from);
    set(reads ? ProfileKey::max_read_iops : ProfileKey::max_write_iops, limits.max_iops, from);
  }

  static std::string depths_text(const DepthRuns& run) {
    return "fio at " + std::to_string(run.points.size()) + " depths up to " +
           std::to_string(run.points.back().depth);
  }

  void flag_far_off(const FitTable& table, const std::string& name) {
    const FitRow& row = *std::ranges::max_element(table.rows, {}, off_percent);
    if (off_percent(row) <= kWorstPercent) return;
    flag(name + ": the fit is off by up to " + std::to_string(off_percent(row)) + "%, at " +
         row.name);
  }

  void parallelism() {
    const std::string name(rule_of(ProfileKey::servers_per_doubling).name);
    if (runs_.empty()) {
      return note(name + ": not fitted: that takes 4 KiB at random at 3 depths or more, 1 of them");
    }
    for (const ProfileKey key : {ProfileKey::read_latency, ProfileKey::write_latency}) {
      if (result_.profile.get(key).points.back().ns > kLawTimeNsMax) {
        return flag(name + ": not fitted: a command takes more than " + time_text(kLawTimeNsMax));
      }
    }
    const ParallelismFit fit = fit_parallelism(result_.profile, runs_, options_.model);
    const std::string without = std::to_string(fit.error_without_percent) +
                                "% with all servers at full speed (root mean square)";
    if (fit.per_doubling) {
      std::string depths;
      for (const DepthRuns& run : runs_) {
        depths += (depths.empty() ? "" : ", ") + depths_text(run);
        set_limits(run.direction, run.reached, depths_text(run) + ": the most that any reached");
      }
      set(ProfileKey::servers_per_doubling, *fit.per_doubling,
          depths + ": the model of the disk run at each, least squares of the rates");
      note(name + ": rates off by " + std::to_string(fit.error_percent) + "%, by " + without);
    } else {
      note(name + ": none, the disk needs no such law: rates off by " + without);
    }
    auto model_ns = fit.model_ns.begin();
    for (const DepthRuns& run : runs_) {
      const std::string direction = run.direction == CommandDirection::read ? "read" : "write";
      FitTable table{.title = direction + " time by depth of the queue, of the model's disk"};
      for (const DepthPoint& point : run.points) {
        table.rows.push_back({"depth " + std::to_string(point.depth), *model_ns++,
                              std::llround(point.depth * kBillion / point.iops), false});
      }
      flag_far_off(table, direction);
      result_.tables.push_back(std::move(table));
    }
  }

  void bandwidth(Subject subject, ProfileKey key) {
    const FioJob* const job = measured_.find(subject);
    if (job == nullptr) return;
    const std::int64_t bytes = moved_by(*job).bytes_per_s;
    const std::int64_t rounded = (bytes + kMegabyte / 2) / kMegabyte * kMegabyte;
    set(key, rounded > 0 ? rounded : bytes, "fio " + job->name);
  }

  void per_kib(Subject small, Subject medium, ProfileKey key) {
    const FioJob* const four = measured_.find(small);
    const FioJob* const sixteen = measured_.find(medium);
    if (four == nullptr || sixteen == nullptr) return;
    const double more = kBillion / moved_by(*sixteen).iops - kBillion / moved_by(*four).iops;
    const std::string name(rule_of(key).name);
    if (more <= 0) return flag(name + ": 16 KiB are not slower than 4 KiB; not fitted");
    set(key, std::llround(more / 12),
        "fio " + sixteen->name + " less " + four->name + ", over 12 KiB");
  }

  // Median of a write of 4 KiB.
  std::int64_t write_median_ns() {
    const auto& fitted = result_.profile[ProfileKey::write_latency];
    const ProfileValue& latency = fitted ? *fitted : base_.get(ProfileKey::write_latency);
    for (const LatencyPoint& point : latency.points) {
      if (point.per_million >= kMedian) return point.ns;
    }
    return latency.points.back().ns;
  }

  void flush() {
    const FioJob* const whole = measured_.find(Subject::fsync);
    const FioJob* const job = whole != nullptr ? whole : measured_.find(Subject::fdatasync);
    if (job == nullptr) return;
    const FioJob* const other = measured_.find(Subject::fdatasync);
    if (whole != nullptr && other != nullptr) {
      const std::int64_t median_ns = percentile_of(other->sync_latency, kMedian);
      note("flush latency: by fsync; " + other->name + " would give a median of " +
           time_text(std::max<std::int64_t>(median_ns - write_median_ns(), 0)));
    }
    const std::int64_t writes = options_.journal && whole != nullptr ? 2 : 1;
    const std::int64_t less_ns = writes * write_median_ns();
    note("flush latency: " + std::string(whole != nullptr ? "fsync" : "fdatasync") + " less " +
         time_text(less_ns) + ", the median of " +
         (writes == 1 ? "a write" : "a write and of a write to the journal"));
    if (percentile_of(job->sync_latency, kMedian) <= less_ns) {
      flag("flush latency: half of the syncs take no longer than the writes alone");
    }
    set_table(*job, job->sync_latency, less_ns, ProfileKey::flush_latency, "flush latency");
  }

  void force_unit_access() {
    const FioJob* const synced = measured_.find(Subject::dsync);
    const FioJob* const plain = measured_.find(Subject::write_latency);
    if (synced == nullptr) return;
    if (plain == nullptr) {
      flag("force_unit_access: not fitted without writes of 4 KiB at depth 1 to compare with");
      return;
    }
    const double ratio = plain->write.iops / synced->write.iops;
    set(ProfileKey::force_unit_access, ratio * 100 < kOneWritePercent ? 1 : 0,
        "fio " + synced->name + ": " + times_text(ratio) + " the time of a write");
  }

  void reads_beside_writes() {
    const FioJob* const probe = measured_.find(Subject::probe);
    const FioJob* const writer = measured_.find(Subject::writer);
    const FioJob* const alone = measured_.find(Subject::read_latency);
    const auto& cap = result_.profile[ProfileKey::write_bandwidth];
    if (probe == nullptr) return;
    if (alone == nullptr || !cap) {
      flag("read_factor_at_full_write: not fitted without reads alone and the write bandwidth");
      return;
    }
    const std::int64_t beside_ns = percentile_of(probe->read.completion, kMedian);
    const std::int64_t alone_ns = percentile_of(alone->read.completion, kMedian);
    if (beside_ns == 0 || alone_ns == 0) {
      throw CalibrationRefusal(probe->place + ": has no percentile 50%");
    }
    const double use = std::min(
        1.0, static_cast<double>(writer->write.bytes_per_s) / static_cast<double>(cap->low));
    const double ratio = static_cast<double>(beside_ns) / static_cast<double>(alone_ns);
    const double per_mille = (1 + (ratio - 1) / use) * 1000;
    set(ProfileKey::read_factor_at_full_write, std::llround(std::min(per_mille, kRatioMax)),
        "fio " + probe->name + ": p50 " + time_text(beside_ns) + " beside writes, " +
            time_text(alone_ns) + " alone");
  }

  // Commands per second of one direction alone, at the depth of the mix if that was measured.
  static double alone_iops(const std::map<int, const FioJob*>& depths, int depth) {
    const auto found = depths.find(depth);
    return found == depths.end() ? 0 : moved_by(*found->second).iops;
  }

  // Two directions with servers of their own reach, together, more than one disk's worth: the
  // busier one 100%, the other its share. Shared servers reach 100% in all. The nearer one it is.
  void shared_servers() {
    const FioJob* const mix = measured_.find(Subject::mix);
    if (mix == nullptr) return;
    const double reads = alone_iops(measured_.read_depths(), mix->depth);
    const double writes = alone_iops(measured_.write_depths(), mix->depth);
    if (reads == 0 || writes == 0) {
      flag("shared_servers: not fitted without reads alone and writes alone at depth " +
           std::to_string(mix->depth));
      return;
    }
    const double read_use = mix->read.iops / reads;
    const double write_use = mix->write.iops / writes;
    const double together = read_use + write_use;
    const double apart = together / std::max(read_use, write_use);
    set(ProfileKey::shared_servers, together < (1 + apart) / 2 ? 1 : 0,
        "fio " + mix->name + ": reads and writes together " +
            percent_text(std::llround(std::min(together, kRatioMax) * 100) * 10'000) +
            " of what each does alone");
  }

  // What was measured on another disk is an assumption on this one.
  Stamp of_base(const Stamp& stamp) const {
    return {Evidence::assumed, "as in " + base_.name + " (" + std::string(name_of(stamp.evidence)) +
                                   ": " + stamp.citation + ")"};
  }

  void keep_rest() {
    for (const KeyRule& rule : key_rules()) {
      if (result_.profile[rule.key] || !base_[rule.key]) continue;
      // Measured, even if what was found is that there is none.
      if (rule.key == ProfileKey::servers_per_doubling && !runs_.empty()) continue;
      ProfileValue value = *base_[rule.key];
      value.stamp = of_base(value.stamp);
      for (LatencyPoint& point : value.points) point.stamp = of_base(point.stamp);
      result_.profile[rule.key] = std::move(value);
      result_.kept.push_back(rule.name);
    }
  }

  const std::vector<FioJob>& jobs_;
  Measurements measured_;
  const Profile& base_;
  const CalibrationOptions& options_;
  Calibration result_;
  std::vector<DepthRuns> runs_;  // For the law of the depth.
  bool fitted_ = false;
};

}  // namespace

std::expected<Calibration, std::string> calibrate(const std::vector<FioJob>& jobs,
                                                  const Profile& base,
                                                  const CalibrationOptions& options) {
  try {
    return Fit(jobs, base, options).run();
  } catch (const CalibrationRefusal& refusal) {
    return std::unexpected(std::string(refusal.what()));
  }
}

}  // namespace drydock::sim
