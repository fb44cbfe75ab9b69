#include "sim/host/host_clock.hpp"

#include <algorithm>
#include <vector>

namespace drydock::sim {
namespace {

__extension__ using Wide = __int128;
constexpr std::int64_t kBillion = 1'000'000'000;

// Times beyond the range of 64 bits are "never": a deadline may lie there, the present does not.
std::int64_t within_range(Wide ns) {
  return ns > kNever.count_ns() ? kNever.count_ns() : static_cast<std::int64_t>(ns);
}

}  // namespace

std::int64_t HostClock::to_host(std::int64_t virtual_ns) const {
  const Wide elapsed = virtual_ns - virtual_origin_ns_;
  if (drift_ppb_ == 0) return within_range(host_origin_ns_ + elapsed);
  return within_range(host_origin_ns_ + elapsed * (kBillion + drift_ppb_) / kBillion);
}

std::int64_t HostClock::to_virtual(std::int64_t host_ns) const {
  if (host_ns <= host_origin_ns_) return virtual_origin_ns_;
  if (host_ns == kNever.count_ns()) return host_ns;
  const Wide elapsed = host_ns - host_origin_ns_;
  const Wide rate = kBillion + drift_ppb_;
  const Wide virtual_elapsed = (elapsed * kBillion + rate - 1) / rate;
  return within_range(virtual_origin_ns_ + virtual_elapsed);
}

void HostClock::set_drift(std::int64_t parts_per_billion) {
  ENSURE(parts_per_billion > -kBillion / 2);
  // Host times of armed timers, by the old rate. Timers of now or earlier are due either way.
  struct Armed {
    Wakeup* wakeup;
    std::int64_t host_ns;
  };
  std::vector<Armed> armed;
  kernel_.queue().for_each([&](Wakeup& wakeup) {
    const bool timer = wakeup.kind() == EventKind::resume || wakeup.kind() == EventKind::timer;
    if (!timer || !belongs_(wakeup.subject()) || wakeup.time() <= kernel_.now()) return;
    armed.push_back({&wakeup, to_host(wakeup.time())});
  });
  std::stable_sort(armed.begin(), armed.end(),
                   [](const Armed& a, const Armed& b) { return a.host_ns < b.host_ns; });
  host_origin_ns_ = to_host(kernel_.now());
  virtual_origin_ns_ = kernel_.now();
  drift_ppb_ = parts_per_billion;
  for (const Armed& timer : armed) kernel_.at(*timer.wakeup, to_virtual(timer.host_ns));
}

void HostClock::restart() {
  // The wall clock goes on across a reboot (a battery keeps it); the monotonic one starts at 0.
  wall_offset_ns_ += to_host(kernel_.now());
  virtual_origin_ns_ = kernel_.now();
  host_origin_ns_ = 0;
}

}  // namespace drydock::sim
