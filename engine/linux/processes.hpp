// Child processes of the operating system.
#pragma once

#include <map>
#include <memory>

#include "engine/linux/executor.hpp"
#include "engine/linux/operations.hpp"
#include "engine/runtime/processes.hpp"

namespace drydock::on_linux {

// Ids are the kernel's process ids. A child is collected as soon as it ends, so that it leaves no
// zombie; its status is kept until its number comes round again. Signals go through pidfds and
// can't hit another process of the same number. Children outlive the process that started them, as
// on any Linux: nobody ends them when this object goes.
//
// A program without '/' is searched for in PATH. Environment, standard streams and working
// directory are inherited, descriptors are not.
class LinuxProcesses : public Processes {
 public:
  LinuxProcesses(LinuxExecutor& executor, Operations& operations);
  ~LinuxProcesses() override;

  Task<Result<ProcessId>> start(ProcessSpec spec) override;
  Result<void> terminate(ProcessId process) override;
  Result<void> kill(ProcessId process) override;
  Result<ProcessStatus> status(ProcessId process) override;
  Task<Result<ProcessStatus>> wait(ProcessId process, Deadline deadline) override;

 private:
  class Child;

  Result<void> send(ProcessId process, int signal);

  LinuxExecutor& executor_;
  Operations& operations_;
  std::map<ProcessId, std::shared_ptr<Child>> children_;
};

}  // namespace drydock::on_linux
