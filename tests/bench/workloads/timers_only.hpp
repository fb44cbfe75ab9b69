// Workload timers-only: a million armed timers, 99 % of them cancelled before they expire.
//
// All timers are armed at the start with delays of 2 to 62 s. From 1 ms on, a tick every
// millisecond cancels the next 990 of them in a fixed scattered order; after the 1000th tick, at 1
// s, 10,000 timers are left and run out. The first timers run out after the last tick.
//
// Scored: timers per CPU second (armed, then cancelled or expired). Gate: expiries and their order,
// by a checksum.
#pragma once

#include <cstdint>

#include "tests/bench/workloads/draws.hpp"

namespace drydock::bench {

struct TimersOnly {
  static constexpr std::uint32_t kTimers = 1'000'000;
  static constexpr std::uint32_t kTicks = 1'000;
  static constexpr std::uint32_t kCancelledPerTick = 990;
  static constexpr std::int64_t kTickNs = 1'000'000;
  static constexpr std::int64_t kDelayMinNs = 2'000'000'000;
  static constexpr std::uint64_t kDelaySpreadMicros = 60'000'000;

  // Delays in the order in which the timers are armed.
  static std::int64_t draw_delay_ns(Draws& draws) {
    const std::uint64_t micros = draws.below(kDelaySpreadMicros);
    const std::uint64_t nanos = draws.below(1000);
    return kDelayMinNs + static_cast<std::int64_t>(micros * 1000 + nanos);
  }

  // The k-th timer to be cancelled: a permutation, since the factor is coprime to the count.
  static std::uint32_t cancelled(std::uint32_t k) {
    return static_cast<std::uint32_t>(std::uint64_t{k} * 611'953u % kTimers);
  }
};

// What a contestant reports about expiries, in the order they happened.
class ExpiryLog {
 public:
  void expired(std::uint32_t timer, std::int64_t now_ns) {
    ++count_;
    checksum_ = (checksum_ ^ (static_cast<std::uint64_t>(now_ns) + timer)) * 0x100000001b3u;
  }

  std::uint64_t count() const { return count_; }
  std::uint64_t checksum() const { return checksum_; }

 private:
  std::uint64_t count_ = 0;
  std::uint64_t checksum_ = 0xcbf29ce484222325u;
};

}  // namespace drydock::bench
