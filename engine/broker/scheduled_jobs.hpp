// The jobs of a broker's BrokerControllerScheduledThread (HA reference, pitfall 43): it registers
// with name servers, saves consumer offsets and, on a slave, asks the master for its tables.
// RocketMQ has one thread for them, so one that hangs in a call keeps the others from being done,
// for as long as it hangs: registration.waits-for-files.
//
//   Result<Mutex::Permit> turn = co_await jobs.turn();
#pragma once

#include "engine/runtime/sync.hpp"
#include "engine/types/behaviour.hpp"

namespace drydock {

class ScheduledJobs {
 public:
  explicit ScheduledJobs(const Behaviour& behaviour)
      : one_thread_(behaviour.faithful(BehaviourSwitch::registration_waits_for_files)) {}

  // One job after the other, or each by itself.
  bool one_thread() const { return one_thread_; }

  // Until nobody else has the thread, which is ours while the permit lives; in the order of those
  // who ask. At once, and empty, if each job is done by itself. Error: cancelled.
  Task<Result<Mutex::Permit>> turn() {
    if (!one_thread_) co_return Mutex::Permit();
    Result<Mutex::Permit> permit = co_await thread_.lock();
    co_return permit;
  }

 private:
  bool one_thread_;
  Mutex thread_;
};

}  // namespace drydock
