// A second thread for the run loop, for when the first is stuck.
//
// A store into a mapping takes a microsecond, unless its page fault waits for the journal, a
// writeback or the throttle; which, nobody can know before. Two thread switches for each store
// would cost ten times the store. So the loop's own thread does what is usually brief, under watch:
// if it is still at it two looks later, this thread runs the loop until it is back.
//
// States: the loop is the owner's, outside of watched work; the owner's, inside; taken. Inside, the
// owner touches nothing but its work, so taking over needs no help of its: whoever moves the state
// on from "inside" has the loop. Everything that the engine can see still runs on one thread at a
// time.
#pragma once

#include <pthread.h>

#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <functional>
#include <mutex>
#include <string>
#include <thread>

#include "engine/types/memory_pool_exchange.hpp"

namespace drydock::on_linux {

class StandIn {
 public:
  // Runs the loop until told that it is wanted back; or less long, if there is nothing more to do.
  using Duty = std::function<void(const std::atomic<bool>& wanted_back)>;
  // `nudge`: makes a duty that sleeps look at `wanted_back`.
  StandIn(Duty duty, std::function<void()> nudge);
  // Waits for its thread, which has no duty then.
  ~StandIn();
  StandIn(const StandIn&) = delete;
  StandIn& operator=(const StandIn&) = delete;

  // On the loop's thread: does `work`. The loop is the caller's again when it returns, and may have
  // moved on meanwhile. While it is taken the thread is shown by `name`, 15 characters of it.
  template <class Work>
  void watch(const std::string& name, Work work) {
    enter(name);
    work();
    leave();
  }

 private:
  // The state, with the number of the watched piece of work above it.
  enum State : std::uint64_t { outside = 0, inside = 1, taken = 2 };
  static constexpr std::uint64_t kStateMask = 3;
  static constexpr std::uint64_t kNext = 4;

  void enter(const std::string& name);
  void leave();
  void run();
  // One look at the owner; `seen` is what the last one saw.
  void look(std::uint64_t& seen);
  void stand_in();

  Duty duty_;
  std::function<void()> nudge_;
  std::atomic<std::uint64_t> state_ = outside;
  std::atomic<bool> wanted_back_ = false;
  std::atomic<bool> asleep_ = false;
  std::mutex mutex_;
  std::condition_variable changed_;
  bool closed_ = false;
  // Of the owner, written before it enters.
  const std::string* name_ = nullptr;
  pthread_t owner_{};
  MemoryPool* owners_pool_ = nullptr;
  std::thread thread_;
};

}  // namespace drydock::on_linux
