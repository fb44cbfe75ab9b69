#include "sim/kernel/kernel.hpp"

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

// Draws only where there is a choice: how a run is cut into calls of `run_until` changes nothing.
Wakeup* Kernel::pop_any(std::int64_t limit) {
  if (!queue_.prepare(limit)) return nullptr;
  const std::uint64_t skip = queue_.has_choice() ? perturbation_.below(8) : 0;
  return queue_.pop(limit, skip);
}

void Kernel::rethrow() { std::rethrow_exception(std::exchange(failure_, nullptr)); }

void Kernel::livelock() const {
  throw std::runtime_error("livelock: " + std::to_string(options_.events_per_instant_max) +
                           " events at virtual time " + std::to_string(now_) + " ns");
}

}  // namespace drydock::sim
