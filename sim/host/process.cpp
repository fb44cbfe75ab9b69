#include "sim/host/process.hpp"

#include "sim/host/host.hpp"

namespace drydock::sim {

SimProcess::SimProcess(Host& host, ProcessId id, std::string name)
    : ProcessState(id, host.kernel(), host.clock()),
      host_(host),
      name_(std::move(name)),
      random_(host.kernel(), name_),
      workers_(id.value()),
      observer_(host.kernel(), id.value(),
                [this](LogLevel level, const std::string& line) { host_.log(name_, level, line); }),
      compute_(host.cores(), host.clock(), id.value(), host.options().cpu_priced),
      descriptors_(host.options().open_files_max),
      scope_(std::make_unique<TaskScope>(*this)) {}

SimProcess::~SimProcess() {
  // The world ends with the process in it: its frames go as in a kill.
  begin_dying();
  scope_->destroy_tasks();
}

void SimProcess::attach(std::unique_ptr<Network> network, std::unique_ptr<FileSystem> files) {
  network_ = std::move(network);
  files_ = std::move(files);
}

void SimProcess::use_jvm(JvmOptions options) {
  ENSURE(files_ != nullptr);
  ENSURE(context_ == nullptr);
  jvm_ = std::make_unique<Jvm>(*this, workers_, *files_, std::move(options));
}

void SimProcess::start(Program program) {
  ENSURE(network_ != nullptr);
  ENSURE(files_ != nullptr);
  ENSURE(context_ == nullptr);
  program_ = std::move(program);
  FileSystem& files = jvm_ == nullptr ? *files_ : jvm_->files();
  context_ = std::make_unique<Context>(Context{*scope_, host_.clock(), random_, *network_, files,
                                               workers_, compute_, chaos_, observer_, terminate_});
  if (host_.memory() != nullptr) host_.memory()->add(*this);
  observer_.event(EventName::process_started, id().value());
  if (jvm_ != nullptr) scope_->spawn(jvm_->run());
  scope_->spawn(run_program());
}

void SimProcess::charge_memory(std::int64_t bytes) {
  if (host_.memory() != nullptr) host_.memory()->charge(*this, bytes);
}

void SimProcess::give_back_memory(std::int64_t bytes) {
  if (host_.memory() != nullptr) host_.memory()->give_back(*this, bytes);
}

Task<void> SimProcess::run_program() {
  co_await program_(*context_);
  host_.kernel().post_urgent(exit_event_);
}

void SimProcess::kill() {
  if (!ending()) host_.kernel().post_urgent(kill_event_);
}

void SimProcess::on_kill() {
  if (ending()) return;
  end_ = ProcessEnd::killed;
  begin_dying();
  observer_.event(EventName::process_killed, id().value());
  if (uninterruptible_waits() == 0) bury();
}

void SimProcess::on_exit() {
  if (ending()) return;
  end_ = ProcessEnd::exited;
  begin_dying();
  if (uninterruptible_waits() == 0) bury();
}

void SimProcess::uninterruptible_waits_ended() {
  if (end_ != ProcessEnd::host_lost) host_.kernel().post_urgent(reap_event_);
}

void SimProcess::on_reap() {
  if (phase() == Phase::dying) bury();
}

void SimProcess::host_lost() {
  if (phase() == Phase::dead) return;
  end_ = ProcessEnd::host_lost;
  begin_dying();
  bury();
}

void SimProcess::bury() {
  kill_event_.unlink();
  exit_event_.unlink();
  reap_event_.unlink();
  scope_->destroy_tasks();
  if (jvm_ != nullptr) jvm_->close_files();
  workers_.end_waits(host_.clock().now());
  mark_dead();
  observer_.event(EventName::process_exited, id().value());
  host_.process_ended(*this);
}

}  // namespace drydock::sim
