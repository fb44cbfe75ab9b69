#include "engine/store/store_stats.hpp"

#include <algorithm>
#include <charconv>
#include <numeric>

namespace drydock {

namespace {

constexpr Duration kSampling = Duration::s(1);
constexpr std::array<std::int64_t, 3> kRateSeconds = {10, 60, 600};
constexpr std::int64_t kSamplesOfMinute = 60;

// Every bucket ends in front of its bound.
constexpr std::array<std::int64_t, PutTimes::kBuckets - 1> kBounds = {
    1, 10, 50, 100, 200, 500, 1'000, 2'000, 3'000, 4'000, 5'000, 10'000};
static_assert(kBounds[kPutTimeFirstOver1s - 1] == 1'000);

struct Steps {
  std::int64_t width_ms;
  std::size_t count;
};
constexpr std::array kSteps = {Steps{1, 20}, Steps{2, 15},  Steps{5, 10},   Steps{10, 10},
                               Steps{50, 6}, Steps{100, 5}, Steps{1'000, 9}};

// Every bucket holds its bound, and the last one what is beyond.
constexpr auto fine_bounds() {
  constexpr std::size_t kCount = [] {
    std::size_t count = 0;
    for (const Steps& steps : kSteps) count += steps.count;
    return count;
  }();
  std::array<std::int64_t, kCount> bounds{};
  std::int64_t bound = 0;
  std::size_t i = 0;
  for (const Steps& steps : kSteps) {
    for (std::size_t n = 0; n < steps.count; ++n) bounds[i++] = bound += steps.width_ms;
  }
  return bounds;
}
constexpr auto kFineBounds = fine_bounds();
static_assert(kFineBounds.back() == 10'000);

std::string runtime_text(Duration runtime) {
  const std::int64_t s = runtime / Duration::s(1);
  std::string text = "[ ";
  text += std::to_string(s / 86'400) + " days, ";
  text += std::to_string(s / 3'600 % 24) + " hours, ";
  text += std::to_string(s / 60 % 60) + " minutes, ";
  text += std::to_string(s % 60) + " seconds ]";
  return text;
}

// "12.34" of 1234.
std::string two_decimals(std::int64_t hundredths) {
  const std::string rest = std::to_string(hundredths % 100);
  return std::to_string(hundredths / 100) + (rest.size() < 2 ? ".0" : ".") + rest;
}

}  // namespace

std::string java_quotient(std::int64_t a, std::int64_t b) {
  const auto value = static_cast<double>(a) / static_cast<double>(b);  // float: only written
  const bool plain = a == 0 || (1'000 * a >= b && a / b < 10'000'000);
  std::array<char, 32> text{};
  const auto end = std::to_chars(text.data(), text.data() + text.size(), value,
                                 plain ? std::chars_format::fixed : std::chars_format::scientific);
  const std::string_view all(text.data(), static_cast<std::size_t>(end.ptr - text.data()));
  const std::size_t e = std::min(all.find('e'), all.size());
  std::string written(all.substr(0, e));
  if (written.find('.') == std::string::npos) written += ".0";
  if (e == all.size()) return written;
  const std::string_view exponent = all.substr(e + 2);  // Behind its sign.
  const std::size_t zeros = std::min(exponent.find_first_not_of('0'), exponent.size() - 1);
  return written + (all[e + 1] == '-' ? "E-" : "E") + std::string(exponent.substr(zeros));
}

std::size_t PutTimes::bucket_of(std::int64_t ms) {
  return static_cast<std::size_t>(std::ranges::upper_bound(kBounds, ms) - kBounds.begin());
}

std::string_view PutTimes::label_of(std::size_t bucket) { return kPutTimeLabels[bucket]; }

std::int64_t PutTimes::total() const {
  return std::accumulate(counts_.begin(), counts_.end(), std::int64_t{0});
}

std::int64_t PutTimes::over_1s() const {
  return std::accumulate(counts_.begin() + static_cast<std::ptrdiff_t>(kPutTimeFirstOver1s),
                         counts_.end(), std::int64_t{0});
}

std::string PutTimes::text() const {
  std::string text;
  for (std::size_t i = 0; i < kBuckets; ++i) {
    text += kPutTimeLabels[i];
    text += ':';
    text += std::to_string(counts_[i]);
    text += ' ';
  }
  return text;
}

void FinePutTimes::add(std::int64_t ms) {
  static_assert(kFineBounds.size() == kBounds);
  const auto bucket = std::ranges::lower_bound(kFineBounds, ms) - kFineBounds.begin();
  ++counts_[static_cast<std::size_t>(bucket)];
  ++total_;
}

std::int64_t FinePutTimes::percentile(std::int64_t part, std::int64_t of) const {
  const std::int64_t wanted = total_ * part / of;
  std::int64_t passed = 0;
  for (std::size_t i = 0; i < counts_.size(); ++i) {
    const std::int64_t count = counts_[i];
    if (wanted > passed + count) {
      passed += count;
      continue;
    }
    const std::int64_t lower = i == 0 ? 0 : kFineBounds[i - 1];
    if (count == 0 || i == kFineBounds.size()) return 100 * lower;
    const std::int64_t width = kFineBounds[i] - lower;
    return 100 * lower + (100 * width * (wanted - passed) + count / 2) / count;
  }
  return 0;
}

void StoreStats::start(MonotonicTime now, std::int64_t wall_ms) {
  started_ = now;
  next_sample_ = now + kSampling;
  boot_ms_ = wall_ms;
}

void StoreStats::appended(MonotonicTime now, std::int64_t messages, std::int64_t bytes) {
  catch_up(now);
  totals_.put_times += messages;
  put_size_total_ += bytes;
}

void StoreStats::put_ended(MonotonicTime began, MonotonicTime now) {
  catch_up(now);
  const std::int64_t ms = (now - began).count_ms();
  put_time_max_ms_ = std::max(put_time_max_ms_, ms);
  minute_.add(ms);
  fine_.add(ms);
  all_put_times_.add(ms);
  all_fine_put_times_.add(ms);
}

void StoreStats::got(MonotonicTime began, MonotonicTime now, std::int64_t messages) {
  catch_up(now);
  ++(messages > 0 ? totals_.get_found_times : totals_.get_miss_times);
  totals_.get_transferred += messages;
  get_time_max_ms_ = std::max(get_time_max_ms_, (now - began).count_ms());
}

void StoreStats::catch_up(MonotonicTime now) {
  while (now >= next_sample_) [[unlikely]]
    take_sample();
}

void StoreStats::take_sample() {
  samples_[static_cast<std::size_t>(samples_taken_) % kSamples] = totals_;
  ++samples_taken_;
  next_sample_ = next_sample_ + kSampling;
  if (samples_taken_ % kSamplesOfMinute == 0) end_minute();
}

void StoreStats::end_minute() {
  last_minute_ = std::exchange(minute_, PutTimes());
  last_fine_ = std::exchange(fine_, FinePutTimes());
}

std::optional<std::int64_t> StoreStats::growth(std::int64_t Sample::* counter,
                                               std::int64_t seconds) const {
  if (samples_taken_ <= seconds) return std::nullopt;
  const auto sample = [this](std::int64_t number) -> const Sample& {
    return samples_[static_cast<std::size_t>(number) % kSamples];
  };
  return sample(samples_taken_ - 1).*counter - sample(samples_taken_ - 1 - seconds).*counter;
}

std::string StoreStats::rates(std::int64_t Sample::* counter) const {
  std::string text;
  for (const std::int64_t seconds : kRateSeconds) {
    if (seconds != kRateSeconds.front()) text += ' ';
    const std::optional<std::int64_t> grown = growth(counter, seconds);
    if (grown) text += java_quotient(*grown, seconds);
  }
  return text;
}

// Unlike the others 0 until there are samples.
std::string StoreStats::total_rates() const {
  std::string text;
  for (const std::int64_t seconds : kRateSeconds) {
    if (seconds != kRateSeconds.front()) text += ' ';
    const std::int64_t grown = growth(&Sample::get_found_times, seconds).value_or(0) +
                               growth(&Sample::get_miss_times, seconds).value_or(0);
    text += java_quotient(grown, seconds);
  }
  return text;
}

StoreStats::Entries StoreStats::runtime_info(MonotonicTime now) {
  catch_up(now);
  const std::int64_t times = std::max<std::int64_t>(totals_.put_times, 1);
  return {
      {"bootTimestamp", std::to_string(boot_ms_)},
      {"runtime", runtime_text(now - started_)},
      {"putMessageEntireTimeMax", std::to_string(put_time_max_ms_)},
      {"putMessageTimesTotal", std::to_string(times)},
      {"putMessageFailedTimes", std::to_string(put_failed_times_)},
      {"putMessageSizeTotal", std::to_string(put_size_total_)},
      {"putMessageDistributeTime", last_minute_ ? last_minute_->text() : "null"},
      {"putMessageAverageSize", java_quotient(put_size_total_, times)},
      {"dispatchMaxBuffer", "0"},
      {"getMessageEntireTimeMax", std::to_string(get_time_max_ms_)},
      {"putTps", rates(&Sample::put_times)},
      {"getFoundTps", rates(&Sample::get_found_times)},
      {"getMissTps", rates(&Sample::get_miss_times)},
      {"getTotalTps", total_rates()},
      {"getTransferredTps", rates(&Sample::get_transferred)},
      {"putLatency99", two_decimals(last_fine_.percentile(99, 100))},
      {"putLatency999", two_decimals(last_fine_.percentile(999, 1000))},
  };
}

}  // namespace drydock
