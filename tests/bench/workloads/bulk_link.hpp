// Workload bulk-link: 64 KiB messages over two links with queueing, one of 10 Gb/s, one of 100
// Mb/s.
//
// Each link has a source that hands over bursts of 16 messages; the link sends one at a time, first
// come first served, the rest waits in its queue. The period of the bursts loads the link to 80 %.
// The links are independent and run in the same simulation.
//
// Scored: delivered messages per CPU second. Compared: the instant of the last delivery on each
// link (the transfer time) with the analytic one, and the mean time from hand-over to delivery.
#pragma once

#include <cstdint>

namespace drydock::bench {

struct BulkLink {
  static constexpr std::int64_t kMessageBytes = 65'536;
  static constexpr std::int64_t kBurst = 16;
  static constexpr std::int64_t kLoadPercent = 80;

  std::int64_t bits_per_s;
  std::int64_t latency_ns;
  std::int64_t messages;  // A multiple of kBurst.

  static BulkLink fast(std::int64_t messages) { return {10'000'000'000, 50'000, messages}; }
  static BulkLink slow(std::int64_t messages) { return {100'000'000, 1'000'000, messages}; }

  // Half of the messages of a run, in whole bursts.
  static std::int64_t messages_per_link(std::uint64_t both) {
    return static_cast<std::int64_t>(both) / 2 / kBurst * kBurst;
  }

  // Time on the wire, rounded up to whole nanoseconds.
  std::int64_t transmit_ns() const {
    return (kMessageBytes * 8 * 1'000'000'000 + bits_per_s - 1) / bits_per_s;
  }
  std::int64_t burst_period_ns() const { return transmit_ns() * kBurst * 100 / kLoadPercent; }
  std::int64_t burst_count() const { return messages / kBurst; }

  // At 80 % load the queue is empty when a burst arrives.
  std::int64_t transfer_ns() const {
    return (burst_count() - 1) * burst_period_ns() + kBurst * transmit_ns() + latency_ns;
  }
  std::int64_t mean_sojourn_ns() const { return transmit_ns() * (kBurst + 1) / 2 + latency_ns; }
};

}  // namespace drydock::bench
