#include "sim/pagecache/dirty_throttle.hpp"

#include <bit>

namespace drydock::sim {
namespace {

constexpr std::int64_t kBillion = 1'000'000'000;
// The kernel's timer wheel: sleeps shorter than this are exact to the tick, longer ones to eight.
constexpr Jiffies kFineSleep = 63;
constexpr Jiffies kCoarseTick = 8;

// How far the kernel's own count of a device's pages may be off, with `cpus` processors.
std::int64_t counter_error(int cpus) {
  return std::int64_t{cpus} * 8 * std::bit_width(static_cast<unsigned>(cpus));
}

}  // namespace

DirtyThrottle::DirtyThrottle(Kernel& kernel, DirtyDomain& domain, const KernelProfile& profile,
                             int cpus)
    : kernel_(kernel),
      domain_(domain),
      law_(profile.hz),
      sleeps_round_up_(profile.sleeps_round_up),
      cpus_(cpus),
      tick_ns_(kBillion / profile.hz) {
  ENSURE(kBillion % profile.hz == 0);
  ENSURE(cpus > 0);
}

// From 1: a task's clock at 0 means that it was never set.
Jiffies DirtyThrottle::now() const { return 1 + kernel_.now() / tick_ns_; }

DirtyThrottle::Task& DirtyThrottle::task(const Worker& worker) {
  if (last_task_ == nullptr || last_ != worker.id()) {
    last_ = worker.id();
    last_task_ = &tasks_[last_];
  }
  return *last_task_;
}

void DirtyThrottle::dirtied(const Worker& worker, std::int64_t pages) {
  Task& dirtier = task(worker);
  dirtier.throttle.dirtied += pages;
  dirtier.since_check += pages;
}

bool DirtyThrottle::due(const Worker& worker, const WritebackDevice& device, std::int64_t more) {
  const Task& dirtier = task(worker);
  std::int64_t interval = dirtier.throttle.dirtied_pause;
  if (device.exceeded_) interval = std::min(interval, kPollPagesExceeded);
  if (dirtier.throttle.dirtied + more >= interval) return true;
  // What one processor may dirty without a check; each task has a processor of its own here.
  const std::int64_t unchecked = std::max<std::int64_t>(domain_.threshold() / (32 * cpus_), 16);
  return dirtier.since_check + more >= unchecked;
}

bool DirtyThrottle::may_sleep(const Worker& worker, WritebackDevice& device, std::int64_t more) {
  return due(worker, device, more) && !runs_free(state_of(device, more));
}

DirtyState DirtyThrottle::state_of(WritebackDevice& device, std::int64_t more) const {
  const std::int64_t threshold = domain_.threshold();
  DirtyState state{.threshold = threshold,
                   .background = domain_.background(),
                   .limit = domain_.limit(),
                   .dirty = domain_.dirty + domain_.writeback + more,
                   .device_dirty = device.dirty_ + device.writeback_ + more,
                   .strict = device.options_.strict_pages > 0};
  std::int64_t share = device.share_.of(threshold, now());
  // A device that was idle is granted something.
  const std::int64_t room = std::max<std::int64_t>(threshold - state.dirty, 0);
  share = std::max(share, state.strict ? room / 100 : room / 8);
  if (state.strict) share = std::min(share, device.options_.strict_pages);
  state.device_threshold = share;
  state.device_background = share * state.background / threshold;
  return state;
}

std::optional<ThrottleDecision> DirtyThrottle::check(const Worker& worker,
                                                     WritebackDevice& device) {
  Task& dirtier = task(worker);
  dirtier.since_check = 0;
  const DirtyState state = state_of(device);
  const bool free = runs_free(state);
  if (!free || domain_.dirty > state.background) kernel_.post(device.flusher_);
  if (free) {
    device.exceeded_ = false;
    ThrottleLaw::run_free(dirtier.throttle, state, now());
    return std::nullopt;
  }
  device.exceeded_ = state.device_dirty > state.device_threshold &&
                     (state.strict || state.dirty > state.threshold);
  const std::int64_t ratio = position_ratio(state, device.estimate_.rates().average_bandwidth);
  if (device.estimate_.due(now())) {
    domain_.smooth(now());
    device.estimate_.update_all(device.totals_, state, ratio, now());
  }
  const DeviceRates rates = device.estimate_.rates();
  const std::int64_t rate = ThrottleLaw::task_rate(rates.base_rate, ratio);
  const ThrottleDecision decision =
      law_.decide(rate, rates, state.device_dirty, dirtier.throttle, now());
  if (decision.sleep > 0) return decision;
  law_.go_on(dirtier.throttle, decision, now());
  return std::nullopt;
}

std::int64_t DirtyThrottle::end_of(const ThrottleDecision& decision) const {
  Jiffies end = now() + decision.sleep;
  if (sleeps_round_up_) {
    end = decision.sleep < kFineSleep ? end + 1 : (end / kCoarseTick + 1) * kCoarseTick;
  }
  return (end - 1) * tick_ns_;
}

bool DirtyThrottle::slept(const Worker& worker, const WritebackDevice& device,
                          const ThrottleDecision& decision) {
  TaskThrottle& throttle = task(worker).throttle;
  const std::int64_t pages = throttle.dirtied;
  ThrottleLaw::slept(throttle, decision);
  // A device with next to nothing of its own is let through, so that one that hangs does not stop
  // the others.
  const bool again = decision.blocked() && device.dirty_ + device.writeback_ > counter_error(cpus_);
  if (again) throttle.dirtied = pages;  // They are still to be paid for.
  return again;
}

void DirtyThrottle::forget_process(std::uint32_t process_id) {
  const std::uint64_t first = std::uint64_t{process_id} << 32;
  tasks_.erase(tasks_.lower_bound(WorkerId(first)),
               tasks_.lower_bound(WorkerId(first + (std::uint64_t{1} << 32))));
  last_task_ = nullptr;
}

}  // namespace drydock::sim
