#include "sim/kernel/kernel.hpp"

#include <algorithm>
#include <stdexcept>
#include <string>

namespace drydock::sim {

Kernel::Kernel(KernelOptions options)
    : options_(options), perturbation_(options.seed, "kernel/perturbation") {}

void Kernel::run_until(std::int64_t limit) {
  while (step(limit)) {
  }
  if (limit <= now_) return;
  now_ = limit;
  instant_start_ = events_;
}

bool Kernel::run_until_idle(std::int64_t limit) {
  while (step(limit)) {
  }
  constexpr std::int64_t kNone = -1;
  return queue_.next_time(kNone) == kNone;
}

void Kernel::engine_event(std::uint32_t subject, EventName name, std::int64_t a, std::int64_t b) {
  if (fingerprint_.enabled()) {
    fingerprint_.record(now_, EventKind::engine, subject, static_cast<std::uint16_t>(name));
    fingerprint_.record_value(a);
    fingerprint_.record_value(b);
  }
  triggers_.count(name, [this](Wakeup& pulled) { post_urgent(pulled); });
}

// Up to 64 events of one time are equally likely to go first. Of more, a look at every one for each
// that runs would cost the square of their number; so the first 64 are passed over with a chance of
// 1/2, then the next 64, and so on to the last ones: each can go first, and the expected look is a
// short one. Draws only where there is a choice: how a run is cut into calls of `run_until` changes
// nothing.
Wakeup* Kernel::pop_any(std::int64_t limit) {
  constexpr std::uint64_t kWindow = 64;
  if (!queue_.prepare(limit)) return nullptr;
  std::uint64_t skip = 0;
  std::uint64_t count = queue_.count_due(kWindow + 1);
  while (count > kWindow && perturbation_.chance(1, 2)) {
    skip += kWindow;
    count = queue_.count_due(skip + kWindow + 1) - skip;
  }
  if (count > 1) skip += perturbation_.below(std::min(count, kWindow));
  return queue_.pop(limit, skip);
}

void Kernel::rethrow() { std::rethrow_exception(std::exchange(failure_, nullptr)); }

void Kernel::livelock() const {
  throw std::runtime_error("livelock: " + std::to_string(options_.events_per_instant_max) +
                           " events at virtual time " + std::to_string(now_) + " ns");
}

}  // namespace drydock::sim
