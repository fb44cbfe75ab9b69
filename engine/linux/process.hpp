// A process of the Linux world: one engine program, with the context it reaches the machine by.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "engine/linux/services.hpp"
#include "engine/runtime/block_device.hpp"
#include "engine/runtime/context.hpp"
#include "engine/runtime/processes.hpp"

namespace drydock::on_linux {

class LinuxWorld;

// What a process runs: its main coroutine. The process exits when it returns.
using Program = std::function<Task<void>(Context&)>;

// How a process ended, or that it has not.
enum class ProcessEnd : std::uint8_t { alive, exited, killed };

struct LinuxProcessOptions {
  // The IPv4 address of "its host", host byte order: it listens there and connects from there, so
  // several processes may use equal ports on 127.0.0.1, 127.0.0.2 and so on. None: it listens on
  // all addresses, connects from the one that routing chooses, and calls itself 127.0.0.1.
  std::optional<std::uint32_t> address;
  // Put before every path that the process names: "" or an absolute path without '/' at its end.
  // It keeps tests apart; it confines nobody.
  std::string root;
};

// Life: made by LinuxWorld::spawn, `start`ed once; ends by return of its program or by kill. Kills
// are events: `kill` only schedules.
//
// A killed process keeps its frames, descriptors and locks while one of its operations is in
// flight, as a Linux process does whose thread is in D state.
class LinuxProcess : public ProcessState {
 public:
  LinuxProcess(LinuxWorld& world, ProcessId id, std::string name, LinuxProcessOptions options,
               const LogSink& log_sink, const EventSink& event_sink);
  ~LinuxProcess() override;

  const std::string& name() const { return name_; }
  ProcessEnd end() const { return end_; }
  // True until every frame of the process is gone.
  bool alive() const { return phase() != Phase::dead; }

  void start(Program program);
  // SIGKILL: takes effect as the next event. Idempotent.
  void kill();
  // SIGTERM.
  void terminate() { terminate_.set(); }

  Context& context() { return *context_; }
  LinuxObserver& observer() { return observer_; }
  // For node agents and supervisors: child processes of the operating system.
  Processes& processes() { return *processes_; }
  // For lease, probe and node agent: a device node or a regular file, by direct I/O. Errors:
  // not_found, permission_denied, busy, device_gone, too_many_open_files, invalid_argument (no
  // direct I/O there).
  Task<Result<std::unique_ptr<BlockDevice>>> open_device(Worker& worker, std::string path);

 protected:
  void uninterruptible_waits_ended() override;

 private:
  friend class LinuxWorld;

  // An event of the process's own life.
  class LifeEvent : public Wakeup {
   public:
    using Action = void (LinuxProcess::*)();
    LifeEvent(LinuxProcess& process, Action action)
        : Wakeup(&LifeEvent::on_run, EventKind::kill, process.id().value()),
          process_(process),
          action_(action) {}

   private:
    static void on_run(Wakeup& wakeup) {
      auto& self = static_cast<LifeEvent&>(wakeup);
      (self.process_.*self.action_)();
    }
    LinuxProcess& process_;
    Action action_;
  };

  Task<void> run_program();
  void on_kill();
  void on_exit();
  void on_reap();
  void end_as(ProcessEnd end);
  void bury();

  LinuxWorld& world_;
  std::string name_;
  LinuxProcessOptions options_;
  ProcessEnd end_ = ProcessEnd::alive;
  Program program_;
  LinuxRandom random_;
  InertChaos chaos_;
  LinuxWorkers workers_;
  LinuxObserver observer_;
  LinuxCompute compute_;
  Event terminate_;
  std::unique_ptr<Network> network_;
  std::unique_ptr<FileSystem> files_;
  std::unique_ptr<Processes> processes_;
  std::unique_ptr<TaskScope> scope_;
  std::unique_ptr<Context> context_;
  LifeEvent kill_event_{*this, &LinuxProcess::on_kill};
  LifeEvent exit_event_{*this, &LinuxProcess::on_exit};
  LifeEvent reap_event_{*this, &LinuxProcess::on_reap};
};

}  // namespace drydock::on_linux
