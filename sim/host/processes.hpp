// Processes of a host, as a supervisor on that host starts and ends them.
#pragma once

#include <functional>

#include "engine/runtime/processes.hpp"
#include "engine/runtime/sync.hpp"
#include "sim/host/host.hpp"

namespace drydock::sim {

// One per process that may use it (a node agent, a kubelet). Knows every process of its host.
class SimProcesses : public Processes, public HostListener {
 public:
  // Makes the process that `spec` describes, with its network and files attached, and starts it;
  // not_found if the scenario knows no such program. Given by the composition root.
  using Launch = std::function<Result<ProcessId>(Host& host, const ProcessSpec& spec)>;

  // `start_time`: from the request until the program runs (fork, exec, loading).
  SimProcesses(Host& host, Launch launch, Duration start_time);
  ~SimProcesses() override;

  Task<Result<ProcessId>> start(ProcessSpec spec) override;
  Result<void> terminate(ProcessId process) override;
  Result<void> kill(ProcessId process) override;
  Result<ProcessStatus> status(ProcessId process) override;
  Task<Result<ProcessStatus>> wait(ProcessId process, Deadline deadline) override;

 private:
  void power_lost(Host&) override {}
  void power_restored(Host&) override {}
  void process_ended(Host&, SimProcess&) override;

  Host& host_;
  Launch launch_;
  Duration start_time_;
  Event some_process_ended_;
};

}  // namespace drydock::sim
