// Time as integers of nanoseconds. Three types that do not mix: a length of time, a reading of one
// host's monotonic clock, a reading of one host's wall clock.
#pragma once

#include <compare>
#include <cstdint>
#include <limits>

namespace drydock {

// A signed length of time. Range: about ±292 years. Arithmetic saturates nowhere: callers stay
// within the range, and parsers refuse what exceeds it.
class Duration {
 public:
  constexpr Duration() = default;
  static constexpr Duration ns(std::int64_t n) { return Duration(n); }
  static constexpr Duration us(std::int64_t n) { return Duration(n * 1'000); }
  static constexpr Duration ms(std::int64_t n) { return Duration(n * 1'000'000); }
  static constexpr Duration s(std::int64_t n) { return Duration(n * 1'000'000'000); }
  static constexpr Duration max() { return Duration(std::numeric_limits<std::int64_t>::max()); }

  constexpr std::int64_t count_ns() const { return ns_; }
  constexpr std::int64_t count_us() const { return ns_ / 1'000; }
  constexpr std::int64_t count_ms() const { return ns_ / 1'000'000; }

  friend constexpr auto operator<=>(Duration, Duration) = default;
  friend constexpr Duration operator+(Duration a, Duration b) { return ns(a.ns_ + b.ns_); }
  friend constexpr Duration operator-(Duration a, Duration b) { return ns(a.ns_ - b.ns_); }
  friend constexpr Duration operator-(Duration a) { return ns(-a.ns_); }
  friend constexpr Duration operator*(Duration a, std::int64_t k) { return ns(a.ns_ * k); }
  friend constexpr Duration operator*(std::int64_t k, Duration a) { return ns(a.ns_ * k); }
  friend constexpr Duration operator/(Duration a, std::int64_t k) { return ns(a.ns_ / k); }
  friend constexpr std::int64_t operator/(Duration a, Duration b) { return a.ns_ / b.ns_; }
  constexpr Duration& operator+=(Duration b) { return ns_ += b.ns_, *this; }
  constexpr Duration& operator-=(Duration b) { return ns_ -= b.ns_, *this; }

 private:
  explicit constexpr Duration(std::int64_t n) : ns_(n) {}
  std::int64_t ns_ = 0;
};

// A reading of one clock; `Tag` says which kind. Readings of two hosts are never compared.
template <class Tag>
class TimePoint {
 public:
  constexpr TimePoint() = default;
  static constexpr TimePoint at_ns(std::int64_t n) { return TimePoint(n); }
  static constexpr TimePoint max() { return at_ns(std::numeric_limits<std::int64_t>::max()); }
  constexpr std::int64_t count_ns() const { return ns_; }
  constexpr std::int64_t count_ms() const { return ns_ / 1'000'000; }

  friend constexpr auto operator<=>(TimePoint, TimePoint) = default;
  friend constexpr TimePoint operator+(TimePoint t, Duration d) {
    return at_ns(t.ns_ + d.count_ns());
  }
  friend constexpr TimePoint operator-(TimePoint t, Duration d) {
    return at_ns(t.ns_ - d.count_ns());
  }
  friend constexpr Duration operator-(TimePoint a, TimePoint b) {
    return Duration::ns(a.ns_ - b.ns_);
  }

 private:
  explicit constexpr TimePoint(std::int64_t n) : ns_(n) {}
  std::int64_t ns_ = 0;
};

// CLOCK_MONOTONIC of one host: ns since an arbitrary origin; never goes back; does not jump.
using MonotonicTime = TimePoint<struct MonotonicTag>;
// CLOCK_REALTIME of one host: ns since the Unix epoch; may jump either way.
using WallTime = TimePoint<struct WallTag>;

// A deadline on the caller's own monotonic clock. `kNever` waits without bound.
using Deadline = MonotonicTime;
inline constexpr Deadline kNever = Deadline::max();

}  // namespace drydock
