#include "engine/linux/process.hpp"

#include "engine/linux/block_device.hpp"
#include "engine/linux/file_system.hpp"
#include "engine/linux/network.hpp"
#include "engine/linux/processes.hpp"
#include "engine/linux/world.hpp"

namespace drydock::on_linux {

LinuxProcess::LinuxProcess(LinuxWorld& world, ProcessId id, std::string name,
                           LinuxProcessOptions options, const LogSink& log_sink,
                           const EventSink& event_sink)
    : ProcessState(id, world.executor(), world.clock()),
      world_(world),
      name_(std::move(name)),
      options_(std::move(options)),
      random_(world.seed(), name_),
      workers_(id, world.operations().mailbox(), world.clock()),
      observer_(name_, log_sink, event_sink),
      network_(std::make_unique<LinuxNetwork>(world.executor(), options_.address)),
      files_(std::make_unique<LinuxFileSystem>(world.operations(), options_.root)),
      processes_(std::make_unique<LinuxProcesses>(world.executor(), world.operations())),
      scope_(std::make_unique<TaskScope>(*this)),
      context_(
          std::make_unique<Context>(Context{*scope_, world.clock(), random_, *network_, *files_,
                                            workers_, compute_, chaos_, observer_, terminate_})) {}

LinuxProcess::~LinuxProcess() {
  begin_dying();
  scope_->destroy_tasks();
}

void LinuxProcess::start(Program program) {
  ENSURE(!program_);
  program_ = std::move(program);
  observer_.event(EventName::process_started, id().value());
  scope_->spawn(run_program());
}

Task<void> LinuxProcess::run_program() {
  co_await program_(*context_);
  world_.executor().post_urgent(exit_event_);
}

Task<Result<std::unique_ptr<BlockDevice>>> LinuxProcess::open_device(Worker& worker,
                                                                     std::string path) {
  return open_block_device(world_.operations(), worker, options_.root + path);
}

void LinuxProcess::kill() {
  if (!ending()) world_.executor().post_urgent(kill_event_);
}

void LinuxProcess::on_kill() {
  if (ending()) return;
  observer_.event(EventName::process_killed, id().value());
  end_as(ProcessEnd::killed);
}

void LinuxProcess::on_exit() {
  if (!ending()) end_as(ProcessEnd::exited);
}

void LinuxProcess::end_as(ProcessEnd end) {
  end_ = end;
  begin_dying();
  if (uninterruptible_waits() == 0) bury();
}

void LinuxProcess::uninterruptible_waits_ended() { world_.executor().post_urgent(reap_event_); }

void LinuxProcess::on_reap() {
  if (phase() == Phase::dying) bury();
}

void LinuxProcess::bury() {
  kill_event_.unlink();
  exit_event_.unlink();
  reap_event_.unlink();
  scope_->destroy_tasks();
  workers_.close_lanes();
  mark_dead();
  observer_.event(EventName::process_exited, id().value());
}

}  // namespace drydock::on_linux
