// Pure: a budget of bytes and of commands that is handed out in slices of time, as the kernel's
// block throttle and cloud volumes do.
//
// A slice has its whole budget from its first instant; a command that it has no room for waits for
// the end of the slice and, if bytes are short, for as long again as those bytes take. What a slice
// leaves unused is lost, but for a burst credit. Debt is kept: what was charged without asking is
// paid by the slices that follow.
//
// Source: Linux I/O model, section 5, and the measurements of experiment A19.
#pragma once

#include <cstdint>

#include "engine/types/time.hpp"

namespace drydock::sim {

struct BucketOptions {
  std::int64_t bytes_per_s = 0;        // 0: no limit.
  std::int64_t commands_per_s = 0;     // 0: no limit.
  Duration slice = Duration::ms(100);  // More than 0.
  Duration burst = Duration();         // Unused budget is kept for at most this time.
  bool limited() const { return bytes_per_s > 0 || commands_per_s > 0; }
};

class TokenBucket {
 public:
  // With a full burst credit.
  explicit TokenBucket(BucketOptions options);

  const BucketOptions& options() const { return options_; }

  // 0 if a command of these bytes may go at `now`: it is charged. Otherwise for how long to wait
  // before asking again. Callers ask for one command at a time, and times do not fall.
  std::int64_t take(std::int64_t now, std::int64_t bytes);
  // The command goes whatever the budget says.
  void charge(std::int64_t now, std::int64_t bytes);

 private:
  // Of one of the two limits: what has been used since `start_`. Below 0: burst credit.
  struct Use {
    std::int64_t per_s;
    std::int64_t used;
  };
  std::int64_t earned(const Use& use, std::int64_t time) const;
  std::int64_t missing(const Use& use, std::int64_t wanted, std::int64_t time) const;
  void start_slice(std::int64_t now);
  void refund(std::int64_t time);

  BucketOptions options_;
  std::int64_t start_ = 0;
  std::int64_t end_ = 0;  // An idle bucket starts a new slice from here on.
  Use bytes_;
  Use commands_;
};

}  // namespace drydock::sim
