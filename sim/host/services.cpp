#include "sim/host/services.hpp"

#include <algorithm>

namespace drydock::sim {

void SimChaos::arm(CrashPoint point, std::uint64_t occurrence, std::function<void()> action) {
  ENSURE(occurrence > 0);
  points_.push_back({point, occurrence, std::move(action)});
  armed_[static_cast<std::size_t>(point)] = true;
}

void SimChaos::reached(CrashPoint point, Waiter& waiter) {
  waiter.complete();
  bool still_armed = false;
  std::vector<std::function<void()>> actions;
  for (Armed& armed : points_) {
    if (armed.point != point) continue;
    if (--armed.remaining == 0) {
      actions.push_back(std::move(armed.action));
    } else {
      still_armed = true;
    }
  }
  std::erase_if(points_, [](const Armed& armed) { return armed.remaining == 0; });
  armed_[static_cast<std::size_t>(point)] = still_armed;
  for (const auto& action : actions) action();  // An action may arm the point again.
}

void SimChaos::enable(BuggifySite site, std::uint32_t numerator, std::uint32_t denominator) {
  std::erase_if(sites_, [site](const Enabled& enabled) { return enabled.site == site; });
  const std::string name = "buggify/" + std::string(name_of(site));
  sites_.push_back({site, numerator, denominator, random_.stream(name)});
  buggify_[static_cast<std::size_t>(site)] = true;
}

bool SimChaos::decide(BuggifySite site) {
  for (Enabled& enabled : sites_) {
    if (enabled.site == site) return enabled.stream.chance(enabled.numerator, enabled.denominator);
  }
  return false;
}

Task<Result<void>> SimCompute::charge(Worker& worker, Duration cpu) {
  if (!priced_ || cpu <= Duration()) co_return Result<void>();
  Result<void> spent = co_await Cores::Work(share_, worker, cpu);
  co_return spent;
}

}  // namespace drydock::sim
