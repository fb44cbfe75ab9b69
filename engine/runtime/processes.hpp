// Starting and ending other processes of the host: for node agents, kubelets and supervisors.
#pragma once

#include <string>
#include <vector>

#include "engine/runtime/task.hpp"
#include "engine/types/ids.hpp"
#include "engine/types/result.hpp"

namespace drydock {

struct ProcessSpec {
  std::string program;  // In simulation: the name of a program that the scenario knows.
  std::vector<std::string> arguments;
};

struct ProcessStatus {
  enum class State : std::uint8_t {
    running,
    stopped,
    dying,   // Killed, but a thread is in an uninterruptible wait.
    exited,  // By itself, with `exit_code`.
    killed,
  };
  State state = State::running;
  int exit_code = 0;
};

class Processes {
 public:
  virtual ~Processes() = default;
  // Completes when the process exists (after exec). Errors: not_found, no_space (memory, pids).
  virtual Task<Result<ProcessId>> start(ProcessSpec spec) = 0;
  // Asks it to stop in an orderly way (SIGTERM); it may take its time or ignore it.
  virtual Result<void> terminate(ProcessId process) = 0;
  // SIGKILL. Its memory is gone once `status` says killed; its page-cache content stays.
  virtual Result<void> kill(ProcessId process) = 0;
  virtual Result<ProcessStatus> status(ProcessId process) = 0;
  // Completes when it has exited or was killed and its last wait has ended. Error: cancelled,
  // timed_out.
  virtual Task<Result<ProcessStatus>> wait(ProcessId process, Deadline deadline) = 0;
};

}  // namespace drydock
