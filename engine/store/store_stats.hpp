// Pure: what a store counts of its puts and gets, by the names and definitions of RocketMQ's
// StoreStatsService (storage reference, 10.1).
//
// RocketMQ has a thread that takes a sample every second and begins a new minute every 60 s. Here
// nothing runs: whoever counts or asks gives the time, and the samples that were due until then are
// taken first. Nothing has changed in between, so they are those that the thread would have taken,
// each of them on time.
//
// Counting costs no allocation. Times are the difference of two readings of the monotonic clock,
// in whole ms; RocketMQ subtracts readings of the wall clock.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "engine/types/put_time_buckets.hpp"
#include "engine/types/time.hpp"

namespace drydock {

// How long puts took, in RocketMQ's thirteen buckets: 0 ms, less than 10, 50, 100, 200, 500, 1000,
// 2000, 3000, 4000, 5000, 10000 ms, and the rest.
class PutTimes {
 public:
  static constexpr std::size_t kBuckets = kPutTimeLabels.size();
  static std::size_t bucket_of(std::int64_t ms);
  // "[0~10ms]" of 1.
  static std::string_view label_of(std::size_t bucket);

  void add(std::int64_t ms) { ++counts_[bucket_of(ms)]; }
  std::int64_t count(std::size_t bucket) const { return counts_[bucket]; }
  std::int64_t total() const;
  // Puts that took a second or longer.
  std::int64_t over_1s() const;
  // "[<=0ms]:5 [0~10ms]:0 …", with a blank behind each.
  std::string text() const;

  friend bool operator==(const PutTimes&, const PutTimes&) = default;

 private:
  std::array<std::int64_t, kBuckets> counts_{};
};

// The same for percentiles: bounds in steps of 1 ms to 20, 2 to 50, 5 to 100, 10 to 200, 50 to 500,
// 100 to 1000, 1000 to 10000, then no bound.
class FinePutTimes {
 public:
  void add(std::int64_t ms);
  // RocketMQ's: linear within the bucket that holds the part `part` of `of`, from its lower bound
  // on; 0 without puts. In hundredths of a ms.
  std::int64_t percentile(std::int64_t part, std::int64_t of) const;

 private:
  static constexpr std::size_t kBounds = 75;
  std::array<std::int64_t, kBounds + 1> counts_{};
  std::int64_t total_ = 0;
};

class StoreStats {
 public:
  // Counters at one moment; all of them since the start.
  struct Sample {
    std::int64_t put_times = 0;        // Messages.
    std::int64_t get_found_times = 0;  // Calls that found a message,
    std::int64_t get_miss_times = 0;   // and those that did not.
    std::int64_t get_transferred = 0;  // Messages.
    friend bool operator==(const Sample&, const Sample&) = default;
  };
  // The service begins: samples and minutes are counted from `now` on. `wall_ms` is its
  // bootTimestamp.
  void start(MonotonicTime now, std::int64_t wall_ms);

  // Messages are in the log (a batch: all of its messages), `bytes` with all records.
  void appended(MonotonicTime now, std::int64_t messages, std::int64_t bytes);
  // A put was answered, `began` being when the store took it: flush and copies were waited for.
  void put_ended(MonotonicTime began, MonotonicTime now);
  // The log took none of it. Besides `put_ended`.
  void put_failed() { ++put_failed_times_; }
  // The put lock was given back.
  void lock_released(Duration held) { lock_time_max_ = std::max(lock_time_max_, held); }
  // A round of the dispatch begins: so much of the log can be seen and is not dispatched.
  void dispatch_began(std::int64_t behind_bytes) {
    dispatch_behind_max_ = std::max(dispatch_behind_max_, behind_bytes);
    dispatching_ = true;
  }
  // It has come as far as it can, or will be tried again.
  void dispatch_ended() { dispatching_ = false; }
  // A get was answered with so many messages.
  void got(MonotonicTime began, MonotonicTime now, std::int64_t messages);

  std::int64_t boot_ms() const { return boot_ms_; }
  const Sample& totals() const { return totals_; }
  std::int64_t put_size_total() const { return put_size_total_; }
  std::int64_t put_failed_times() const { return put_failed_times_; }
  std::int64_t put_time_max_ms() const { return put_time_max_ms_; }
  std::int64_t get_time_max_ms() const { return get_time_max_ms_; }
  // Since the start, which RocketMQ keeps of no bucket.
  const PutTimes& all_put_times() const { return all_put_times_; }
  const FinePutTimes& all_fine_put_times() const { return all_fine_put_times_; }
  // RocketMQ has the present value alone, as pageCacheLockTimeMills and dispatchBehindBytes: these
  // are the largest that it would ever have had.
  Duration lock_time_max() const { return lock_time_max_; }
  std::int64_t dispatch_behind_max() const { return dispatch_behind_max_; }
  // A round of the dispatch is under way, and may be waiting.
  bool dispatching() const { return dispatching_; }

  // Takes the samples that are due. What follows speaks of the last one.
  void catch_up(MonotonicTime now);
  // The last minute that is over; none before the first.
  const std::optional<PutTimes>& last_minute() const { return last_minute_; }
  // Of the last minute that is over.
  const FinePutTimes& last_fine_put_times() const { return last_fine_; }

  // The entries of RocketMQ's table at `now`, by its keys and in its texts.
  using Entries = std::vector<std::pair<std::string, std::string>>;
  Entries runtime_info(MonotonicTime now);

 private:
  static constexpr std::size_t kSamples = 601;
  // By how much it has grown over the last `seconds` samples; none if there are not so many.
  std::optional<std::int64_t> growth(std::int64_t Sample::* counter, std::int64_t seconds) const;
  std::string rates(std::int64_t Sample::* counter) const;
  std::string total_rates() const;
  void take_sample();
  void end_minute();

  MonotonicTime started_;
  MonotonicTime next_sample_ = MonotonicTime::max();
  std::int64_t boot_ms_ = 0;
  Sample totals_;
  std::int64_t put_size_total_ = 0;
  std::int64_t put_failed_times_ = 0;
  std::int64_t put_time_max_ms_ = 0;
  std::int64_t get_time_max_ms_ = 0;
  Duration lock_time_max_;
  std::int64_t dispatch_behind_max_ = 0;
  bool dispatching_ = false;
  PutTimes all_put_times_;
  FinePutTimes all_fine_put_times_;
  PutTimes minute_;
  FinePutTimes fine_;
  std::optional<PutTimes> last_minute_;
  FinePutTimes last_fine_;
  std::array<Sample, kSamples> samples_;  // The one with number n is at n % kSamples.
  std::int64_t samples_taken_ = 0;
};

// a / b as Java writes it, if both become a double first. 0 <= a, 0 < b.
std::string java_quotient(std::int64_t a, std::int64_t b);

}  // namespace drydock
