#include "sim/host/processes.hpp"

namespace drydock::sim {

SimProcesses::SimProcesses(Host& host, Launch launch, Duration start_time)
    : host_(host), launch_(std::move(launch)), start_time_(start_time) {
  host_.add_listener(*this);
}

SimProcesses::~SimProcesses() { host_.remove_listener(*this); }

Task<Result<ProcessId>> SimProcesses::start(ProcessSpec spec) {
  Result<void> started = co_await sleep_for(host_.clock(), start_time_);
  if (!started) co_return started.error();
  co_return launch_(host_, spec);
}

Result<void> SimProcesses::terminate(ProcessId process) {
  SimProcess* const found = host_.find(process);
  if (found == nullptr || !found->alive()) return ErrorCode::not_found;
  found->terminate();
  return {};
}

Result<void> SimProcesses::kill(ProcessId process) {
  SimProcess* const found = host_.find(process);
  if (found == nullptr || !found->alive()) return ErrorCode::not_found;
  found->kill();
  return {};
}

Result<ProcessStatus> SimProcesses::status(ProcessId process) {
  SimProcess* const found = host_.find(process);
  if (found == nullptr) return ErrorCode::not_found;
  using State = ProcessStatus::State;
  switch (found->phase()) {
    case ProcessState::Phase::running: return ProcessStatus{State::running};
    case ProcessState::Phase::stopped: return ProcessStatus{State::stopped};
    case ProcessState::Phase::dying: return ProcessStatus{State::dying};
    case ProcessState::Phase::dead: break;
  }
  return ProcessStatus{found->end() == ProcessEnd::exited ? State::exited : State::killed};
}

Task<Result<ProcessStatus>> SimProcesses::wait(ProcessId process, Deadline deadline) {
  for (;;) {
    Result<ProcessStatus> now = status(process);
    if (!now) co_return now;
    const auto state = now->state;
    if (state == ProcessStatus::State::exited || state == ProcessStatus::State::killed) {
      co_return now;
    }
    some_process_ended_.reset();
    Result<void> woken = co_await some_process_ended_.wait(deadline);
    if (!woken) co_return woken.error();
  }
}

void SimProcesses::process_ended(Host&, SimProcess&) { some_process_ended_.set(); }

}  // namespace drydock::sim
