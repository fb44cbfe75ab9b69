// A thread of the real broker that matters: the unit that the kernel throttles, blocks and charges.
#pragma once

#include <array>
#include <string>

#include "engine/types/ids.hpp"
#include "engine/types/time.hpp"
#include "engine/types/wait_place.hpp"

namespace drydock {

// The waits of one worker at one place, those that have ended.
struct WaitTotals {
  std::int64_t count = 0;
  Duration total;
  Duration longest;
  MonotonicTime longest_began;  // Of its host's clock.
};

// Made and owned by the world (Workers), named by every call that may block a thread. The engine
// runs at most one blocking call per worker at a time, as a thread does.
class Worker {
 public:
  virtual ~Worker() = default;
  WorkerId id() const { return id_; }
  const std::string& name() const { return name_; }

  // Where it is stuck now, and since when on its host's clock. Written by the world.
  WaitPlace wait_place() const { return place_; }
  MonotonicTime waiting_since() const { return since_; }
  void set_wait(WaitPlace place, MonotonicTime since) {
    if (place_ != WaitPlace::none) account(since);
    place_ = place;
    since_ = since;
  }
  const WaitTotals& waits_at(WaitPlace place) const {
    return totals_[static_cast<std::size_t>(place)];
  }

 protected:
  Worker(WorkerId id, std::string name) : id_(id), name_(std::move(name)) {}

 private:
  void account(MonotonicTime end) {
    WaitTotals& totals = totals_[static_cast<std::size_t>(place_)];
    const Duration waited = end - since_;
    ++totals.count;
    totals.total += waited;
    if (waited <= totals.longest) return;
    totals.longest = waited;
    totals.longest_began = since_;
  }

  WorkerId id_;
  std::string name_;
  WaitPlace place_ = WaitPlace::none;
  MonotonicTime since_;
  std::array<WaitTotals, kWaitPlaces> totals_{};
};

class Workers {
 public:
  virtual ~Workers() = default;
  // A new worker of this process; it lives as long as the process. `name` is unique in the process
  // by RocketMQ's own thread names where there is one ("FlushRealTimeService").
  virtual Worker& add(std::string name) = 0;
};

}  // namespace drydock
