// A machine that does not allow io_uring, as most containers: said once, loudly, and done without.
#include <errno.h>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <stddef.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <array>

#include "tests/unit_linux/linux_test.hpp"

namespace drydock::on_linux::test {
namespace {

// From now on io_uring_setup fails with EPERM in this process, as under a container's filter.
bool forbid_io_uring() {
  std::array<sock_filter, 4> program = {{
      BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(seccomp_data, nr)),
      BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_io_uring_setup, 0, 1),
      BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | EPERM),
      BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
  }};
  const sock_fprog filter{.len = program.size(), .filter = program.data()};
  return ::prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0 &&
         ::prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &filter) == 0;
}

Task<void> write_and_sync(Context& context) {
  Worker& worker = context.workers.add("w");
  const OpenOptions options{.create = Create::if_missing};
  Result<std::unique_ptr<File>> file = co_await context.files.open(worker, "/a", options);
  Result<void> written = co_await (*file)->write_at(worker, 0, SharedBytes::copy_of("x"));
  EXPECT_TRUE(written);
  Result<void> synced = co_await (*file)->sync_data(worker);
  EXPECT_TRUE(synced);
}

// 0 if everything is as it should be.
int use_files_without_io_uring(const std::string& root) {
  std::string logged;
  const LogSink sink = [&](std::string_view, LogLevel level, const std::string& line) {
    if (level == LogLevel::warning) logged += line;
  };
  LinuxWorld world({.seed = 1, .log_sink = sink});
  if (world.uses_ring() || world.operations().ring_refusal() != EPERM) return 2;
  if (logged.find("io_uring is not available") == std::string::npos) return 3;
  LinuxProcess& process = world.spawn("writes", {.root = root});
  process.start(write_and_sync);
  if (!world.run_until([&] { return !process.alive(); }, kHangLimit)) return 4;
  return ::testing::Test::HasFailure() ? 5 : 0;
}

// In a process of its own, which keeps the filter.
[[noreturn]] void exit_with_the_answer(const std::string& root) {
  const int answer = forbid_io_uring() ? use_files_without_io_uring(root) : 1;
  ::_exit(answer);
}

TEST(RefusedRingDeathTest, IsLoggedAndLanesDoItsWork) {
  const TemporaryDirectory directory;
  EXPECT_EXIT(exit_with_the_answer(directory.path()), ::testing::ExitedWithCode(0), "");
}

}  // namespace
}  // namespace drydock::on_linux::test
