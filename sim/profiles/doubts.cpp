#include "sim/profiles/doubts.hpp"

#include "sim/profiles/quantity.hpp"

namespace drydock::sim {
namespace {

constexpr std::int64_t kRuntimeMsMin = 5'000;
// Two runs differ by so much in per cent: not called faster.
constexpr std::int64_t kNoisePercent = 2;

std::string megabytes_text(std::int64_t bytes_per_s) {
  constexpr std::int64_t kMegabyte = 1'000'000;
  return std::to_string((bytes_per_s + kMegabyte / 2) / kMegabyte) + " MB/s";
}

// What is faster than the transfer of large blocks did not come from the disk.
void add_above_cap(const std::vector<FioJob>& jobs, const FioJob* large,
                   FioDirection FioJob::* direction, std::vector<std::string>& doubts) {
  if (large == nullptr) return;
  const std::int64_t cap = (large->*direction).bytes_per_s;
  for (const FioJob& job : jobs) {
    const std::int64_t moved = (job.*direction).bytes_per_s;
    if (moved / 100 <= cap / 100 + cap / 10'000 * kNoisePercent) continue;
    doubts.push_back(job.name + ": " + megabytes_text(moved) + ", more than the " +
                     megabytes_text(cap) + " of " + large->name + ": a cache took part");
  }
}

}  // namespace

std::vector<std::string> doubts_of(const std::vector<FioJob>& jobs, const Measurements& measured) {
  std::vector<std::string> doubts;
  for (const FioJob& job : jobs) {
    if (job.runtime_ms >= kRuntimeMsMin) continue;
    doubts.push_back(job.name + ": ran for " +
                     text_of(ProfileUnit::time, job.runtime_ms * 1'000'000) + ", less than 5 s");
  }
  add_above_cap(jobs, measured.find(Subject::read_bandwidth), &FioJob::read, doubts);
  add_above_cap(jobs, measured.find(Subject::write_bandwidth), &FioJob::write, doubts);
  return doubts;
}

}  // namespace drydock::sim
