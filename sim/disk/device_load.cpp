#include "sim/disk/device_load.hpp"

#include <algorithm>
#include <bit>

#include "sim/disk/slow_time.hpp"

namespace drydock::sim {
namespace {

constexpr std::int64_t kBillion = 1'000'000'000;
constexpr std::int64_t kWindow = 10'000'000;
constexpr std::int64_t kBusyPerMille = 500;  // From here on a device has to collect.
constexpr std::uint64_t kDepths = 1025;

}  // namespace

std::int64_t TransferPipe::turn(std::int64_t now, std::int64_t bytes,
                                std::int64_t slowness_per_mille) {
  const std::int64_t by_size = bytes_per_s_ == 0 ? 0 : scaled(bytes, kBillion, bytes_per_s_);
  std::int64_t turn = std::max(by_size, command_ns_);
  if (slowness_per_mille != 1000) turn = scaled(turn, slowness_per_mille, 1000);
  if (now - newer_.time >= kWindow) {
    // After a pause of the pipe the older sample is not older than a window.
    older_ = now - kWindow >= last_turn_ ? sample_at(now - kWindow) : newer_;
    newer_ = sample_at(now);
  }
  free_at_ = added(std::max(free_at_, now), turn);
  const std::int64_t begin = std::max(bytes_until_, now);
  bytes_until_ = added(begin, by_size);
  busy_ += bytes_until_ - begin;
  last_turn_ = now;
  return free_at_;
}

// Not before the last turn.
TransferPipe::Sample TransferPipe::sample_at(std::int64_t time) const {
  return {.time = time, .busy = busy_ - std::max<std::int64_t>(bytes_until_ - time, 0)};
}

std::int64_t TransferPipe::utilisation(std::int64_t now) const {
  if (now - kWindow >= bytes_until_) return 0;
  const bool paused = now - kWindow >= last_turn_;
  const Sample since = paused ? sample_at(now - kWindow) : older_;
  if (now <= since.time) return 0;
  const std::int64_t share = (sample_at(now).busy - since.busy) * 1000 / (now - since.time);
  return std::min<std::int64_t>(share, 1000);
}

GarbageCollector::GarbageCollector(CollectionTimes times, RandomStream stream)
    : times_(times), stream_(std::move(stream)), next_(std::numeric_limits<std::int64_t>::max()) {
  if (times.any()) next_ = drawn(times.period_min, times.period_max);
}

void GarbageCollector::choose_next(std::int64_t now, std::int64_t utilisation) {
  if (utilisation >= kBusyPerMille) pause_end_ = now + drawn(times_.pause_min, times_.pause_max);
  next_ = std::max(now, pause_end_) + drawn(times_.period_min, times_.period_max);
}

std::int64_t GarbageCollector::drawn(Duration least, Duration most) {
  return stream_.between(least.count_ns(), most.count_ns());
}

Parallelism::Parallelism(std::int64_t per_doubling) {
  if (per_doubling == 0) return;
  servers_.push_back(1000);
  for (std::uint64_t depth = 1; depth < kDepths; ++depth) {
    // log2 in thousandths, linear between powers of two.
    const auto whole = static_cast<std::uint64_t>(std::bit_width(depth) - 1);
    const std::uint64_t power = std::uint64_t{1} << whole;
    const std::uint64_t log2 = whole * 1000 + (depth - power) * 1000 / power;
    servers_.push_back(1000 + per_doubling * static_cast<std::int64_t>(log2) / 1000);
  }
}

std::int64_t Parallelism::stretch_by_depth(std::int64_t busy, std::int64_t depth) const {
  const auto last = static_cast<std::int64_t>(servers_.size()) - 1;
  const std::int64_t servers = servers_[static_cast<std::size_t>(std::min(depth, last))];
  return std::max<std::int64_t>(busy * 1'000'000 / servers, 1000);
}

}  // namespace drydock::sim
