// What a host counts of its reads and writes of one disk, as /proc/diskstats does for iostat.
//
// A command counts from the moment at which it has one of the queue's tags, which is when Linux
// makes its request, to its completion: the block throttle and the wait for a tag come before.
// Flushes and commands about reservations are none of the two. Source: iostat(1), block/stat of
// the kernel's documentation.
#pragma once

#include <cstdint>

#include "sim/disk/slow_time.hpp"

namespace drydock::sim {

// Since the host began. Times in ns, at most kSlowest.
struct IoCounters {
  std::int64_t reads = 0;  // Completed.
  std::int64_t writes = 0;
  std::int64_t read_bytes = 0;
  std::int64_t written_bytes = 0;
  std::int64_t read_ns = 0;  // What they took, all together.
  std::int64_t write_ns = 0;
  std::int64_t busy_ns = 0;   // There was at least one.
  std::int64_t queue_ns = 0;  // As many of them as there were, over time.

  friend bool operator==(const IoCounters&, const IoCounters&) = default;
};

class IoStatistics {
 public:
  void started(std::int64_t now) {
    pass(now);
    ++in_flight_;
  }
  void read_ended(std::int64_t started, std::int64_t now, std::int64_t bytes) {
    ended(now);
    ++counters_.reads;
    counters_.read_bytes += bytes;
    counters_.read_ns = added(counters_.read_ns, now - started);
  }
  void write_ended(std::int64_t started, std::int64_t now, std::int64_t bytes) {
    ended(now);
    ++counters_.writes;
    counters_.written_bytes += bytes;
    counters_.write_ns = added(counters_.write_ns, now - started);
  }
  // Until `now`.
  IoCounters counters(std::int64_t now) const {
    IoStatistics until = *this;
    until.pass(now);
    return until.counters_;
  }

 private:
  void ended(std::int64_t now) {
    pass(now);
    --in_flight_;
  }
  void pass(std::int64_t now) {
    if (in_flight_ > 0) {
      counters_.busy_ns += now - since_;
      counters_.queue_ns = added(counters_.queue_ns, scaled(in_flight_, now - since_, 1));
    }
    since_ = now;
  }

  IoCounters counters_;
  std::int64_t in_flight_ = 0;
  std::int64_t since_ = 0;
};

}  // namespace drydock::sim
