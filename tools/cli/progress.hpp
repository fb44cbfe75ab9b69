// One line on a terminal while runs go on.
#pragma once

#include <chrono>
#include <cstdint>

namespace drydock::cli {

// Writes to the standard error stream, and only if that is a terminal. Takes itself away at the
// end.
class Progress {
 public:
  explicit Progress(std::uint64_t total);
  ~Progress();
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;

  void step();

 private:
  using Clock = std::chrono::steady_clock;
  std::uint64_t total_;
  std::uint64_t done_ = 0;
  bool shown_ = false;
  bool terminal_;
  Clock::time_point started_;
  Clock::time_point printed_;
};

}  // namespace drydock::cli
