// A thread of the real broker that matters: the unit that the kernel throttles, blocks and charges.
#pragma once

#include <cstdint>
#include <string>

#include "engine/types/ids.hpp"
#include "engine/types/time.hpp"

namespace drydock {

// Where a worker is stuck: the places in which a store into a mapped file can block (Linux I/O
// model, section 0), the waits of fsync and of the block layer, and the CPU. `none` while it runs
// or waits for its own process.
enum class WaitPlace : std::uint8_t {
  none,
  dirty_throttle,  // W1: asleep in the dirty-page throttle.
  journal,         // W2, J1 to J3: waiting for a journal transaction.
  page_lock,       // W3: a page is locked or under writeback.
  page_read,       // W4: a major fault.
  memory,          // W5: direct reclaim.
  writeback,       // Inside fsync or msync, waiting for pages.
  device,          // Waiting for a command: direct I/O, flush, tags, quota.
  cpu,             // Runnable, waiting for a core.
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
    place_ = place;
    since_ = since;
  }

 protected:
  Worker(WorkerId id, std::string name) : id_(id), name_(std::move(name)) {}

 private:
  WorkerId id_;
  std::string name_;
  WaitPlace place_ = WaitPlace::none;
  MonotonicTime since_;
};

class Workers {
 public:
  virtual ~Workers() = default;
  // A new worker of this process; it lives as long as the process. `name` is unique in the process
  // by RocketMQ's own thread names where there is one ("FlushRealTimeService").
  virtual Worker& add(std::string name) = 0;
};

}  // namespace drydock
