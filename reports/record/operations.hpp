// What operators would have looked at: a host's disk as iostat shows it, and a broker's own
// counters.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "engine/types/put_time_buckets.hpp"

namespace drydock::reports {

// What a host did to its disk within an interval, as the host itself counted it. Times in ns.
struct DiskUse {
  std::string host;
  std::int64_t began_ns = 0;
  std::int64_t ended_ns = 0;
  std::int64_t reads = 0;
  std::int64_t writes = 0;
  std::int64_t read_bytes = 0;
  std::int64_t written_bytes = 0;
  std::int64_t read_ns = 0;  // What they took, all together.
  std::int64_t write_ns = 0;
  std::int64_t busy_ns = 0;   // There was at least one at the disk.
  std::int64_t queue_ns = 0;  // As many of them as there were, over time.
  // Of the page cache: pages that programs read, each time, and those that it read from the disk.
  std::int64_t pages_touched = 0;
  std::int64_t pages_read = 0;

  friend bool operator==(const DiskUse&, const DiskUse&) = default;
};

// What a broker counted, over all of its lives: by the names of RocketMQ's StoreStatsService.
struct BrokerCounts {
  std::string broker;
  std::int64_t put_message_times_total = 0;
  std::int64_t put_message_size_total = 0;
  std::int64_t put_message_failed_times = 0;
  std::int64_t put_message_entire_time_max_ms = 0;
  std::array<std::int64_t, kPutTimeLabels.size()> put_message_distribute_time{};
  std::int64_t get_found_times = 0;
  std::int64_t get_miss_times = 0;
  std::int64_t get_transferred = 0;
  std::int64_t get_message_entire_time_max_ms = 0;
  std::int64_t page_cache_lock_time_max_ms = 0;
  std::int64_t dispatch_behind_bytes_max = 0;
  // The longest time in one life in which no name server took a registration, from the start on; of
  // the latest life until the load ends.
  std::int64_t registration_gap_max_ns = 0;

  friend bool operator==(const BrokerCounts&, const BrokerCounts&) = default;
};

struct ConsumerFacts {
  std::string consumer;
  // From its start to its first message; none: it was given none.
  std::optional<std::int64_t> first_ns = std::nullopt;

  friend bool operator==(const ConsumerFacts&, const ConsumerFacts&) = default;
};

// A line that a broker wrote about trouble.
struct BrokerLine {
  std::string broker;
  std::int64_t time_ns = 0;
  std::string text;

  friend bool operator==(const BrokerLine&, const BrokerLine&) = default;
};

// What was asked for with --evidence.
struct Evidence {
  std::vector<DiskUse> seconds;   // One after the other, all hosts of one second together.
  std::vector<BrokerLine> lines;  // In the order of time.

  friend bool operator==(const Evidence&, const Evidence&) = default;
};

}  // namespace drydock::reports
