#include "engine/linux/processes.hpp"

#include <errno.h>
#include <signal.h>
#include <spawn.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "engine/linux/errors.hpp"
#include "engine/runtime/sync.hpp"

namespace drydock::on_linux {
namespace {

// By number: glibc 2.36 declares them without extern "C".
int pidfd_open(pid_t pid) { return static_cast<int>(::syscall(SYS_pidfd_open, pid, 0)); }
int pidfd_send_signal(int pidfd, int signal) {
  return static_cast<int>(::syscall(SYS_pidfd_send_signal, pidfd, signal, nullptr, 0));
}

struct Spawned {
  int error_number = 0;
  pid_t pid = 0;
  OwnedDescriptor pidfd;
};

// Completes after exec: the C library waits for it and tells its errors.
Spawned spawn(const ProcessSpec& spec) {
  std::vector<char*> arguments;
  arguments.push_back(const_cast<char*>(spec.program.c_str()));
  for (const std::string& argument : spec.arguments) {
    arguments.push_back(const_cast<char*>(argument.c_str()));
  }
  arguments.push_back(nullptr);

  // The threads of this program block signals; the child starts with none blocked or ignored.
  sigset_t none, all;
  sigemptyset(&none);
  sigfillset(&all);
  posix_spawnattr_t attributes;
  ::posix_spawnattr_init(&attributes);
  ::posix_spawnattr_setsigmask(&attributes, &none);
  ::posix_spawnattr_setsigdefault(&attributes, &all);
  ::posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF);

  Spawned result;
  result.error_number = ::posix_spawnp(&result.pid, spec.program.c_str(), nullptr, &attributes,
                                       arguments.data(), environ);
  ::posix_spawnattr_destroy(&attributes);
  if (result.error_number != 0) return result;
  result.pidfd = OwnedDescriptor(pidfd_open(result.pid));  // Not collected yet, so it is there.
  if (!result.pidfd) result.error_number = errno;
  return result;
}

}  // namespace

// One child, from its start until its number is given to another one.
class LinuxProcesses::Child : private ReadinessListener {
 public:
  Child(LinuxExecutor& executor, Spawned spawned)
      : pid_(spawned.pid), pidfd_(std::move(spawned.pidfd)), watch_(executor, pidfd_.get(), *this) {
    watch_.await_readable();
  }
  ~Child() { collect(); }

  Event& ended() { return ended_; }

  int send(int signal) {
    if (pidfd_send_signal(pidfd_.get(), signal) != 0) return errno;
    if (signal == SIGKILL) kill_sent_ = true;
    return 0;
  }

  ProcessStatus status() const {
    if (ended_.is_set()) return last_;
    if (kill_sent_) return {ProcessStatus::State::dying};
    siginfo_t information{};
    const int answer =
        ::waitid(P_PID, static_cast<id_t>(pid_), &information, WSTOPPED | WNOHANG | WNOWAIT);
    const bool stopped = answer == 0 && information.si_pid == pid_;
    return {stopped ? ProcessStatus::State::stopped : ProcessStatus::State::running};
  }

 private:
  // The pidfd is readable once the last thread of the child has ended.
  void readable() override {
    collect();
    if (!ended_.is_set()) watch_.await_readable();
  }

  void collect() {
    if (ended_.is_set()) return;
    siginfo_t information{};
    const int answer = ::waitid(P_PID, static_cast<id_t>(pid_), &information, WEXITED | WNOHANG);
    if (answer == 0 && information.si_pid == 0) return;  // Still running.
    // ECHILD: somebody else has collected it, and its exit status with it.
    const bool exited = answer == 0 && information.si_code == CLD_EXITED;
    last_.state = exited ? ProcessStatus::State::exited : ProcessStatus::State::killed;
    last_.exit_code = exited ? information.si_status : 0;
    ended_.set();
  }

  pid_t pid_;
  OwnedDescriptor pidfd_;
  bool kill_sent_ = false;
  ProcessStatus last_;
  Event ended_;
  DescriptorWatch watch_;
};

LinuxProcesses::LinuxProcesses(LinuxExecutor& executor, Operations& operations)
    : executor_(executor), operations_(operations) {}

LinuxProcesses::~LinuxProcesses() = default;

Task<Result<ProcessId>> LinuxProcesses::start(ProcessSpec spec) {
  const std::function<Spawned()> work = [spec] { return spawn(spec); };
  auto call = std::make_shared<Call<Spawned>>(work);
  co_await operations_.wait(call);
  Spawned spawned = call->take();
  // Too many processes is EAGAIN, which elsewhere means "held by another".
  if (spawned.error_number == EAGAIN) co_return Error::from_errno(ErrorCode::no_space, EAGAIN);
  if (spawned.error_number != 0) co_return file_error(spawned.error_number);
  const ProcessId id(static_cast<std::uint32_t>(spawned.pid));
  children_[id] = std::make_shared<Child>(executor_, std::move(spawned));
  co_return id;
}

Result<void> LinuxProcesses::terminate(ProcessId process) { return send(process, SIGTERM); }
Result<void> LinuxProcesses::kill(ProcessId process) { return send(process, SIGKILL); }

Result<void> LinuxProcesses::send(ProcessId process, int signal) {
  const auto found = children_.find(process);
  if (found == children_.end() || found->second->ended().is_set()) return ErrorCode::not_found;
  const int number = found->second->send(signal);
  if (number == ESRCH) return ErrorCode::not_found;  // It ended a moment ago.
  if (number != 0) return file_error(number);
  return {};
}

Result<ProcessStatus> LinuxProcesses::status(ProcessId process) {
  const auto found = children_.find(process);
  if (found == children_.end()) return ErrorCode::not_found;
  return found->second->status();
}

Task<Result<ProcessStatus>> LinuxProcesses::wait(ProcessId process, Deadline deadline) {
  const auto found = children_.find(process);
  if (found == children_.end()) co_return ErrorCode::not_found;
  const std::shared_ptr<Child> child = found->second;  // The map may change while we wait.
  Event& ended = child->ended();
  Result<void> waited = co_await ended.wait(deadline);
  if (!waited) co_return waited.error();
  co_return child->status();
}

}  // namespace drydock::on_linux
