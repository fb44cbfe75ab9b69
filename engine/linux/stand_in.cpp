#include "engine/linux/stand_in.hpp"

#include <array>
#include <chrono>

#include "engine/linux/thread_setup.hpp"
#include "engine/types/ensure.hpp"

namespace drydock::on_linux {
namespace {

// Work that is seen in two looks is stuck: the loop stands still for one to two of these.
constexpr std::chrono::milliseconds kTick(2);
// After so many looks at the same piece of work, which is over, it looks no more until the next.
constexpr int kIdleLooksMax = 20;

}  // namespace

StandIn::StandIn(Duty duty, std::function<void()> nudge)
    : duty_(std::move(duty)), nudge_(std::move(nudge)) {}

StandIn::~StandIn() {
  {
    const std::lock_guard lock(mutex_);
    closed_ = true;
    asleep_ = false;
  }
  changed_.notify_all();
  if (thread_.joinable()) thread_.join();
}

void StandIn::enter(const std::string& name) {
  if (!thread_.joinable()) thread_ = std::thread([this] { run(); });
  name_ = &name;
  owner_ = pthread_self();
  owners_pool_ = this_threads_pool();
  state_ = (state_.load(std::memory_order_relaxed) & ~kStateMask) + kNext + inside;
  // Both sides write their own flag and then read the other's: one of them sees the other.
  if (!asleep_) return;
  {
    const std::lock_guard lock(mutex_);
    asleep_ = false;
  }
  changed_.notify_all();
}

void StandIn::leave() {
  std::uint64_t entered = (state_.load(std::memory_order_relaxed) & ~kStateMask) + inside;
  if (state_.compare_exchange_strong(entered, entered - inside + outside)) return;
  wanted_back_ = true;
  nudge_();
  std::unique_lock lock(mutex_);
  changed_.notify_all();
  changed_.wait(lock, [this] { return !wanted_back_; });
}

void StandIn::run() {
  block_signals();
  name_thread(pthread_self(), "stand-in");
  std::uint64_t seen = outside;
  int idle_looks = 0;
  std::unique_lock lock(mutex_);
  while (!closed_) {
    const std::uint64_t before = seen;
    lock.unlock();
    look(seen);
    lock.lock();
    const bool idle = seen == before && (seen & kStateMask) == outside;
    idle_looks = idle ? idle_looks + 1 : 0;
    if (idle_looks >= kIdleLooksMax) {
      asleep_ = true;
      if (state_ != seen) asleep_ = false;
      changed_.wait(lock, [this] { return !asleep_ || closed_; });
      idle_looks = 0;
    } else if (!closed_) {
      changed_.wait_for(lock, kTick);
    }
  }
}

void StandIn::look(std::uint64_t& seen) {
  std::uint64_t now = state_;
  const bool stuck = now == seen && (now & kStateMask) == inside;
  seen = now;
  if (stuck && state_.compare_exchange_strong(now, now - inside + taken)) stand_in();
}

void StandIn::stand_in() {
  std::array<char, 16> usual_name{};
  pthread_getname_np(owner_, usual_name.data(), usual_name.size());
  name_thread(owner_, *name_);
  exchange_pools(*owners_pool_);
  duty_(wanted_back_);
  exchange_pools(*owners_pool_);
  std::unique_lock lock(mutex_);
  changed_.wait(lock, [this] { return wanted_back_.load(); });
  name_thread(owner_, usual_name.data());
  state_ = state_ - taken + outside;
  wanted_back_ = false;
  lock.unlock();
  changed_.notify_all();
}

}  // namespace drydock::on_linux
