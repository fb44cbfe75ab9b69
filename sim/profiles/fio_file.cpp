#include "sim/profiles/fio_file.hpp"

#include <algorithm>
#include <array>
#include <charconv>

#include "sim/profiles/json_place.hpp"
#include "sim/profiles/quantity.hpp"

namespace drydock::sim {
namespace {

// Far from what overflows in a fit, and from what a disk does.
constexpr std::int64_t kCountMax = 1'000'000'000'000'000;
constexpr std::int64_t kTimeNsMax = 3'600'000'000'000;
constexpr std::int64_t kRuntimeMsMax = 1'000'000'000;
constexpr std::int64_t kBytesPerSecondMax = 1'000'000'000'000;
constexpr double kIopsMin = 0.001;
constexpr double kIopsMax = 1e12;
constexpr std::int64_t kMillion = 1'000'000;

// Options of one job: its own, and below them those of all jobs. fio writes them as texts.
class Options {
 public:
  Options(const JsonPlace& root, const JsonPlace& job) : job_(job) {
    if (root.has("global options")) levels_.push_back(root.at("global options"));
    levels_.push_back(job.at("job options"));
  }

  bool has(std::string_view key) const { return find(key) != nullptr; }
  // Empty if it is not given.
  std::string text(std::string_view key) const {
    const JsonPlace* level = find(key);
    if (level == nullptr) return "";
    const OrderedJson& value = level->at(key).json();
    return value.is_string() ? value.get<std::string>() : value.dump();
  }
  // Switches without a value are on.
  bool on(std::string_view key) const { return has(key) && text(key) != "0"; }
  [[noreturn]] void refuse(const std::string& why) const { job_.refuse(why); }

 private:
  const JsonPlace* find(std::string_view key) const {
    for (std::size_t i = levels_.size(); i-- > 0;) {
      if (levels_[i].has(key)) return &levels_[i];
    }
    return nullptr;
  }

  const JsonPlace& job_;
  std::vector<JsonPlace> levels_;
};

struct Word {
  std::string_view text;
  FioPattern pattern;
};
constexpr std::array kPatterns{Word{"randread", FioPattern::random_read},
                               Word{"randwrite", FioPattern::random_write},
                               Word{"read", FioPattern::read}, Word{"write", FioPattern::write},
                               Word{"randrw", FioPattern::random_mix}};

FioPattern pattern_of(const Options& options) {
  const std::string text = options.has("rw") ? options.text("rw") : options.text("readwrite");
  for (const Word& word : kPatterns) {
    if (word.text == text) return word.pattern;
  }
  options.refuse("rw=" + text +
                 " tells calibrate nothing; it reads randread, randwrite, read, write, "
                 "randrw");
}

// "4k", "1M", "4096": powers of 1024, as fio counts unless told otherwise.
std::int64_t block_bytes_of(const Options& options) {
  const std::string text = options.has("bs") ? options.text("bs") : options.text("blocksize");
  if (text.empty()) options.refuse("has no bs");
  std::int64_t bytes = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), bytes);
  const std::string_view unit(end, static_cast<std::size_t>(text.data() + text.size() - end));
  int shift = -1;
  if (unit.empty()) shift = 0;
  if (unit == "k" || unit == "K" || unit == "ki" || unit == "KiB") shift = 10;
  if (unit == "m" || unit == "M" || unit == "mi" || unit == "MiB") shift = 20;
  if (error != std::errc() || shift < 0 || bytes < 1 || bytes > 1 << 30) {
    options.refuse("bs=" + text + " is no size of all blocks, as 4k");
  }
  return bytes << shift;
}

int depth_of(const Options& options) {
  const std::string engine = options.text("ioengine");
  const bool one_by_one = engine == "psync" || engine == "sync" || engine == "vsync" ||
                          engine == "pvsync" || engine == "pvsync2" || engine == "mmap";
  const std::string text = options.text("iodepth");
  if (one_by_one || text.empty()) return 1;
  int depth = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), depth);
  if (error != std::errc() || *end != '\0' || depth < 1 || depth > 65'536) {
    options.refuse("iodepth=" + text + " is no depth from 1 to 65536");
  }
  return depth;
}

FioSync sync_of(const Options& options) {
  for (const std::string_view key : {"fsync", "fdatasync"}) {
    if (!options.on(key)) continue;
    if (options.text(key) != "1") {
      options.refuse(std::string(key) + "=" + options.text(key) + " must be 1: after each write");
    }
    return key == "fsync" ? FioSync::fsync : FioSync::fdatasync;
  }
  return options.on("sync") && options.text("sync") != "none" ? FioSync::dsync : FioSync::none;
}

void refuse_unusable(const Options& options) {
  if (options.has("numjobs") && options.text("numjobs") != "1") {
    options.refuse("numjobs=" + options.text("numjobs") +
                   ": calibrate reads single jobs; give it a larger iodepth instead");
  }
  for (const char* key : {"bsrange", "bssplit", "rate", "rate_iops", "thinktime"}) {
    if (options.has(key)) {
      options.refuse(std::string(key) + " is set: calibrate needs one block size at full speed");
    }
  }
}

std::vector<FioPercentile> read_percentiles(const JsonPlace& place) {
  std::vector<FioPercentile> percentiles;
  for (const std::string& key : place.keys()) {
    const std::size_t decimals = key.find('.');
    // Millionths: what fio prints beyond four decimals of a percent is beyond any sample of ours.
    const std::string text =
        key.substr(0, decimals == std::string::npos ? key.size() : decimals + 5) + "%";
    const auto at = parse_quantity(ProfileUnit::fraction, text);
    if (!at || *at > kMillion) place.at(key).refuse("is no percentile");
    percentiles.push_back({*at, place.at(key).integer(0, kTimeNsMax)});
  }
  std::ranges::sort(percentiles, {}, [](const FioPercentile& percentile) {
    return std::pair(percentile.per_million, percentile.ns);
  });
  const auto same = std::ranges::unique(percentiles, {}, &FioPercentile::per_million);
  percentiles.erase(same.begin(), same.end());
  for (std::size_t i = 1; i < percentiles.size(); ++i) {
    if (percentiles[i].ns < percentiles[i - 1].ns) {
      place.refuse("times fall from " +
                   text_of(ProfileUnit::fraction, percentiles[i - 1].per_million) + " to " +
                   text_of(ProfileUnit::fraction, percentiles[i].per_million) +
                   ": a quantile is never below a lower one");
    }
  }
  return percentiles;
}

FioLatency read_latency(const JsonPlace& place, bool percentiles_needed) {
  FioLatency latency;
  latency.samples = place.at("N").integer(0, kCountMax);
  if (latency.samples == 0) return latency;
  latency.min_ns = place.at("min").integer(0, kTimeNsMax);
  latency.max_ns = place.at("max").integer(0, kTimeNsMax);
  latency.mean_ns = place.at("mean").number(0, static_cast<double>(kTimeNsMax));
  if (place.has("percentile")) {
    latency.percentiles = read_percentiles(place.at("percentile"));
  } else if (percentiles_needed) {
    place.refuse("has no percentiles: run fio with clat_percentiles=1");
  }
  return latency;
}

FioDirection read_direction(const JsonPlace& place) {
  FioDirection direction;
  direction.commands = place.at("total_ios").integer(0, kCountMax);
  if (direction.commands == 0) return direction;
  direction.iops = place.at("iops").number(kIopsMin, kIopsMax);
  direction.bytes_per_s = place.at("bw_bytes").integer(1, kBytesPerSecondMax);
  direction.completion = read_latency(place.at("clat_ns"), true);
  direction.whole = read_latency(place.at("lat_ns"), false);
  return direction;
}

// The direction that a job moves data in has to have moved some.
void refuse_idle(const JsonPlace& job, const FioJob& read) {
  const bool reads = read.pattern == FioPattern::random_read || read.pattern == FioPattern::read;
  const bool mixes = read.pattern == FioPattern::random_mix;
  const bool idle = (reads || mixes ? read.read.commands == 0 : false) ||
                    (reads ? false : read.write.commands == 0);
  if (idle) job.refuse("moved no data");
}

std::string printable_ascii(std::string text) {
  for (char& c : text) {
    if (c < 0x20 || c > 0x7e) c = '?';
  }
  return text;
}

FioJob read_job(const JsonPlace& root, const JsonPlace& place, const std::string& where) {
  const Options options(root, place);
  FioJob job;
  job.name = printable_ascii(place.at("jobname").text());
  job.place = where + " (" + job.name + ")";
  if (place.has("error") && place.at("error").integer(0, kCountMax) != 0) {
    place.at("error").refuse("the job failed");
  }
  job.pattern = pattern_of(options);
  refuse_unusable(options);
  job.block_bytes = block_bytes_of(options);
  job.depth = depth_of(options);
  job.direct = options.on("direct");
  job.sync = sync_of(options);
  job.runtime_ms = place.at("job_runtime").integer(0, kRuntimeMsMax);
  job.read = read_direction(place.at("read"));
  job.write = read_direction(place.at("write"));
  if (place.has("sync")) job.sync_latency = read_latency(place.at("sync").at("lat_ns"), true);
  refuse_idle(place, job);
  return job;
}

std::vector<FioJob> read(const JsonPlace& root, const std::string& file) {
  if (!root.has("fio version")) root.refuse("no result of fio: 'fio version' is missing");
  std::vector<FioJob> jobs;
  const std::vector<JsonPlace> places = root.at("jobs").items();
  for (std::size_t i = 0; i < places.size(); ++i) {
    FioJob job = read_job(root, places[i], file + ": /jobs/" + std::to_string(i));
    const Options options(root, places[i]);
    const bool waits = options.on("stonewall") || options.on("wait_for_previous");
    job.stage = jobs.empty() ? 0 : jobs.back().stage + (waits ? 1 : 0);
    jobs.push_back(std::move(job));
  }
  if (jobs.empty()) root.at("jobs").refuse("must have a job");
  return jobs;
}

// fio puts its warnings in front of its results.
std::size_t end_of_warnings(std::string_view text) {
  const std::size_t brace = text.starts_with('{') ? text.npos : text.find("\n{");
  return brace == text.npos ? 0 : brace + 1;
}

}  // namespace

std::expected<std::vector<FioJob>, std::string> read_fio(const std::string& file,
                                                         std::string_view text) {
  try {
    const OrderedJson json = parse_json_file(file, text, end_of_warnings(text));
    return read(JsonPlace(file, json), file);
  } catch (const JsonRefusal& refusal) {
    return std::unexpected(std::string(refusal.what()));
  }
}

}  // namespace drydock::sim
