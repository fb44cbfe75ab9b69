// A process on a simulated host.
#pragma once

#include <functional>
#include <memory>
#include <string>

#include "sim/host/descriptors.hpp"
#include "sim/host/jvm.hpp"
#include "sim/host/services.hpp"

namespace drydock::sim {

class Host;

// What a process runs: its main coroutine. The process exits when it returns.
using Program = std::function<Task<void>(Context&)>;

// How a process ended, or that it has not.
enum class ProcessEnd : std::uint8_t { alive, exited, killed, host_lost };

// Life: made by Host::spawn with its network and files attached, `start`ed once; ends by return of
// its program, by kill, or with its host's power. Kills are events: `kill` only schedules.
class SimProcess : public ProcessState {
 public:
  SimProcess(Host& host, ProcessId id, std::string name);
  ~SimProcess() override;

  const std::string& name() const { return name_; }
  Host& host() const { return host_; }
  ProcessEnd end() const { return end_; }
  // True until every frame of the process is gone.
  bool alive() const { return phase() != Phase::dead; }

  // The parts of the context that other folders make. Before `start`.
  void attach(std::unique_ptr<Network> network, std::unique_ptr<FileSystem> files);
  // The program is one of Java: a virtual machine runs it. Before `start`.
  void use_jvm(JvmOptions options);
  void start(Program program);
  // The process touches that many bytes of memory of its own, and keeps them until it ends. Without
  // effect on a host whose memory never runs out.
  void charge_memory(std::int64_t bytes);
  // So many of them are free again; at most what it has.
  void give_back_memory(std::int64_t bytes);

  // SIGKILL: takes effect as the next event. Idempotent.
  void kill();
  // SIGTERM.
  void terminate() { terminate_.set(); }

  // What it may have of the host's cores. Before `start`.
  void limit_cpu(CpuShare limits) { compute_.share().limit(limits); }
  // Its open files and sockets.
  Descriptors& descriptors() { return descriptors_; }

  SimChaos& chaos() { return chaos_; }
  const SimWorkers& workers() const { return workers_; }
  // Null: it is no program of Java.
  Jvm* jvm() { return jvm_.get(); }
  Context& context() { return *context_; }

 protected:
  void halted() override { compute_.share().halt(); }
  void proceeds() override { compute_.share().proceed(); }
  void uninterruptible_waits_ended() override;

 private:
  friend class Host;

  // An event of the process's own life.
  class LifeEvent : public Wakeup {
   public:
    using Action = void (SimProcess::*)();
    LifeEvent(SimProcess& process, EventKind kind, Action action)
        : Wakeup(&LifeEvent::on_run, kind, process.id().value()),
          process_(process),
          action_(action) {}

   private:
    static void on_run(Wakeup& wakeup) {
      auto& self = static_cast<LifeEvent&>(wakeup);
      (self.process_.*self.action_)();
    }
    SimProcess& process_;
    Action action_;
  };

  Task<void> run_program();
  void on_kill();
  void on_exit();
  void on_reap();
  // The host has lost its power, or its kernel: nothing waits for anything any more.
  void host_lost();
  void bury();

  Host& host_;
  std::string name_;
  ProcessEnd end_ = ProcessEnd::alive;
  Program program_;
  SimRandom random_;
  SimChaos chaos_{random_};
  SimWorkers workers_;
  SimObserver observer_;
  SimCompute compute_;
  Descriptors descriptors_;
  Event terminate_;
  std::unique_ptr<Network> network_;
  std::unique_ptr<FileSystem> files_;
  std::unique_ptr<Jvm> jvm_;
  std::unique_ptr<TaskScope> scope_;
  std::unique_ptr<Context> context_;
  LifeEvent kill_event_{*this, EventKind::kill, &SimProcess::on_kill};
  LifeEvent exit_event_{*this, EventKind::kill, &SimProcess::on_exit};
  LifeEvent reap_event_{*this, EventKind::kill, &SimProcess::on_reap};
};

}  // namespace drydock::sim
