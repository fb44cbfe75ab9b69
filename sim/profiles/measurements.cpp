#include "sim/profiles/measurements.hpp"

namespace drydock::sim {
namespace {

constexpr std::int64_t kSmall = 4 << 10;
constexpr std::int64_t kMedium = 16 << 10;
constexpr std::int64_t kLarge = 1 << 20;

[[noreturn]] void refuse(const FioJob& job, const std::string& why) {
  throw CalibrationRefusal(job.place + ": " + why);
}

bool is_probe(const FioJob& job) {
  return job.pattern == FioPattern::random_read && job.block_bytes == kSmall && job.depth == 1;
}

bool is_writer(const FioJob& job) {
  return (job.pattern == FioPattern::write || job.pattern == FioPattern::random_write) &&
         job.sync == FioSync::none;
}

// Jobs that started together: those from `first` of the same file with the same stage.
std::size_t together(const std::vector<FioJob>& jobs, std::size_t first) {
  const auto file_of = [](const FioJob& job) {
    return job.place.substr(0, job.place.rfind(": /jobs/"));
  };
  std::size_t end = first + 1;
  while (end < jobs.size() && jobs[end].stage == jobs[first].stage &&
         file_of(jobs[end]) == file_of(jobs[first])) {
    ++end;
  }
  return end - first;
}

}  // namespace

std::string_view name_of(Subject subject) {
  switch (subject) {
    case Subject::read_latency: return "read latency";
    case Subject::write_latency: return "write latency";
    case Subject::read_16k: return "time per KiB of a read";
    case Subject::write_16k: return "time per KiB of a write";
    case Subject::read_bandwidth: return "read bandwidth";
    case Subject::write_bandwidth: return "write bandwidth";
    case Subject::fsync: return "flush latency, by fsync";
    case Subject::fdatasync: return "flush latency, by fdatasync";
    case Subject::dsync: return "force unit access";
    case Subject::mix: return "servers shared by reads and writes";
    case Subject::probe: return "reads beside writes";
    case Subject::writer: return "writes beside reads";
    case Subject::count_: break;
  }
  return "";
}

Measurements::Measurements(const std::vector<FioJob>& jobs) {
  for (std::size_t i = 0; i < jobs.size();) {
    const std::size_t count = together(jobs, i);
    if (count == 1) {
      const std::string use = add(jobs[i]);
      uses_.push_back({jobs[i].place, use});
    } else if (count == 2) {
      add_pair(jobs[i], jobs[i + 1]);
    } else {
      refuse(jobs[i], "ran at the same time as other jobs: give each 'stonewall'");
    }
    i += count;
  }
}

void Measurements::add_pair(const FioJob& first, const FioJob& second) {
  const bool probe_first = is_probe(first);
  const FioJob& probe = probe_first ? first : second;
  const FioJob& writer = probe_first ? second : first;
  if (!is_probe(probe) || !is_writer(writer) || !probe.direct || !writer.direct) {
    refuse(first, "ran at the same time as " + second.name +
                      ": of two such jobs one must read 4 KiB at random at depth 1, the other "
                      "write, both with direct=1; others need 'stonewall'");
  }
  const std::string first_use = take(first, probe_first ? Subject::probe : Subject::writer);
  const std::string second_use = take(second, probe_first ? Subject::writer : Subject::probe);
  uses_.push_back({first.place, first_use});
  uses_.push_back({second.place, second_use});
}

std::string Measurements::take(const FioJob& job, Subject subject) {
  const FioJob*& place = subjects_[static_cast<std::size_t>(subject)];
  if (place != nullptr) {
    refuse(job, "measures " + std::string(name_of(subject)) + " again, after " + place->place);
  }
  place = &job;
  return std::string(name_of(subject));
}

std::string Measurements::add(const FioJob& job) {
  const bool writes = job.pattern == FioPattern::write || job.pattern == FioPattern::random_write;
  if (job.sync == FioSync::fsync || job.sync == FioSync::fdatasync) {
    if (!writes) refuse(job, "syncs, but does not only write");
    if (job.sync_latency.samples == 0) refuse(job, "has no times of its syncs in 'sync'");
    if (job.block_bytes != kSmall || job.depth != 1) return "not used: its writes are not of 4 KiB";
    return take(job, job.sync == FioSync::fsync ? Subject::fsync : Subject::fdatasync);
  }
  if (!job.direct) refuse(job, "measures the page cache, not the disk: set direct=1");
  if (job.sync == FioSync::dsync) {
    if (!writes) refuse(job, "has sync=, but does not only write");
    if (job.block_bytes != kSmall || job.depth != 1) return "not used: its writes are not of 4 KiB";
    return take(job, Subject::dsync);
  }
  if (job.pattern == FioPattern::random_mix) {
    return job.block_bytes == kSmall ? take(job, Subject::mix)
                                     : "not used: its blocks are not of 4 KiB";
  }
  if (job.pattern == FioPattern::read || job.pattern == FioPattern::write) {
    if (job.block_bytes < kLarge) return "not used: in sequence, but blocks smaller than 1 MiB";
    return take(job, writes ? Subject::write_bandwidth : Subject::read_bandwidth);
  }
  return add_random(job);
}

std::string Measurements::add_random(const FioJob& job) {
  const bool writes = job.pattern == FioPattern::random_write;
  if (job.block_bytes == kMedium && job.depth == 1) {
    return take(job, writes ? Subject::write_16k : Subject::read_16k);
  }
  if (job.block_bytes != kSmall) return "not used: of random jobs 4 KiB, and 16 KiB at depth 1";
  auto& depths = writes ? write_depths_ : read_depths_;
  const auto [known, fresh] = depths.try_emplace(job.depth, &job);
  if (!fresh) {
    refuse(job,
           "measures depth " + std::to_string(job.depth) + " again, after " + known->second->place);
  }
  if (job.depth == 1) return take(job, writes ? Subject::write_latency : Subject::read_latency);
  return std::string(writes ? "write" : "read") + " servers and limit";
}

}  // namespace drydock::sim
