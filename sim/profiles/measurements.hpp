// Which of the jobs measures what. One job per subject: two of the same are a mistake.
#pragma once

#include <array>
#include <map>
#include <stdexcept>
#include <string>
#include <vector>

#include "sim/profiles/fit.hpp"

namespace drydock::sim {

// What a job measures about a disk, besides the depths of queues.
enum class Subject : std::uint8_t {
  read_latency,  // 4 KiB, one at a time.
  write_latency,
  read_16k,  // 16 KiB, one at a time.
  write_16k,
  read_bandwidth,  // 1 MiB in sequence.
  write_bandwidth,
  fsync,  // 4 KiB and then fsync.
  fdatasync,
  dsync,   // 4 KiB, O_DIRECT and O_DSYNC.
  mix,     // Random reads and writes in one queue.
  probe,   // Single reads of 4 KiB at the same time as ...
  writer,  // ... these writes.
  count_
};

std::string_view name_of(Subject subject);

// Never leaves this folder: `calibrate` returns its text.
class CalibrationRefusal : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

class Measurements {
 public:
  // Throws CalibrationRefusal. The jobs must outlive this.
  explicit Measurements(const std::vector<FioJob>& jobs);

  // Null if there is none.
  const FioJob* find(Subject subject) const { return subjects_[static_cast<std::size_t>(subject)]; }
  // Random 4 KiB commands by depth of the queue; with those of depth 1.
  const std::map<int, const FioJob*>& read_depths() const { return read_depths_; }
  const std::map<int, const FioJob*>& write_depths() const { return write_depths_; }

  const std::vector<JobUse>& uses() const { return uses_; }

 private:
  void add_pair(const FioJob& first, const FioJob& second);
  std::string add(const FioJob& job);
  std::string add_random(const FioJob& job);
  std::string take(const FioJob& job, Subject subject);

  std::array<const FioJob*, static_cast<std::size_t>(Subject::count_)> subjects_{};
  std::map<int, const FioJob*> read_depths_;
  std::map<int, const FioJob*> write_depths_;
  std::vector<JobUse> uses_;
};

}  // namespace drydock::sim
