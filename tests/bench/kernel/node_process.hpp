// A process with nothing but a root scope: what the benchmarks' nodes run in. The process of
// sim/host brings files, network and workers along, which these workloads do not use.
#pragma once

#include "engine/runtime/process_state.hpp"
#include "engine/runtime/scope.hpp"
#include "sim/host/host_clock.hpp"
#include "sim/kernel/kernel.hpp"

namespace drydock::bench {

class NodeProcess : public ProcessState {
 public:
  NodeProcess(std::uint32_t id, sim::Kernel& kernel, Clock& clock)
      : ProcessState(ProcessId(id), kernel, clock), scope_(*this) {}
  ~NodeProcess() override {
    begin_dying();
    scope_.destroy_tasks();
  }

  TaskScope& scope() { return scope_; }

 protected:
  void uninterruptible_waits_ended() override {}  // There are none.

 private:
  TaskScope scope_;
};

}  // namespace drydock::bench
