#include "sim/disk/token_bucket.hpp"

#include <algorithm>

#include "engine/types/ensure.hpp"
#include "sim/disk/slow_time.hpp"

namespace drydock::sim {
namespace {

constexpr std::int64_t kBillion = 1'000'000'000;

}  // namespace

TokenBucket::TokenBucket(BucketOptions options)
    : options_(options), bytes_{options.bytes_per_s, 0}, commands_{options.commands_per_s, 0} {
  ENSURE(options.bytes_per_s >= 0);
  ENSURE(options.commands_per_s >= 0);
  ENSURE(options.slice > Duration());
  ENSURE(options.burst >= Duration());
  refund(options.burst.count_ns());
}

std::int64_t TokenBucket::earned(const Use& use, std::int64_t time) const {
  return scaled(use.per_s, time, kBillion);
}

// By how much the budget from the start of the slice to `time` behind it falls short.
std::int64_t TokenBucket::missing(const Use& use, std::int64_t wanted, std::int64_t time) const {
  if (use.per_s == 0) return 0;
  return std::max<std::int64_t>(use.used + wanted - earned(use, time), 0);
}

std::int64_t TokenBucket::take(std::int64_t now, std::int64_t bytes) {
  if (now >= end_) start_slice(now);
  const std::int64_t slice = options_.slice.count_ns();
  const std::int64_t elapsed = now - start_;
  const std::int64_t slice_end = (elapsed / slice + 1) * slice;
  const std::int64_t bytes_missing = missing(bytes_, bytes, slice_end);
  const bool commands_missing = missing(commands_, 1, slice_end) > 0;
  if (bytes_missing == 0 && !commands_missing) {
    charge(now, bytes);
    return 0;
  }
  std::int64_t wait = slice_end - elapsed;
  if (bytes_missing > 0) wait = added(wait, scaled(bytes_missing, kBillion, bytes_.per_s));
  end_ = std::max(
      end_, added(now, added(wait, slice)));  // Until it has asked again, the bucket is not idle.
  return wait;
}

void TokenBucket::charge(std::int64_t now, std::int64_t bytes) {
  if (now >= end_) start_slice(now);
  bytes_.used += bytes;
  ++commands_.used;
  const std::int64_t slice = options_.slice.count_ns();
  const std::int64_t passed = (now - start_) / slice * slice;
  if (passed == 0) return;
  refund(passed);
  start_ += passed;
  end_ = std::max(end_, start_ + slice);
}

void TokenBucket::start_slice(std::int64_t now) {
  refund(now - start_);
  start_ = now;
  end_ = now + options_.slice.count_ns();
}

void TokenBucket::refund(std::int64_t time) {
  for (Use* use : {&bytes_, &commands_}) {
    const std::int64_t credit = earned(*use, options_.burst.count_ns());
    use->used = std::max(use->used - earned(*use, time), -credit);
  }
}

}  // namespace drydock::sim
