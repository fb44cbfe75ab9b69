// Child processes: start, status, signals, end.
#include "engine/linux/processes.hpp"

#include <signal.h>

#include "tests/unit_linux/linux_test.hpp"

namespace drydock::on_linux::test {
namespace {

using State = ProcessStatus::State;

class ChildProcesses : public LinuxTest {
 protected:
  // Runs `program` with the Processes of its process.
  void run_with(std::function<Task<void>(Context&, Processes&)> program) {
    LinuxProcess& process = world.spawn("agent");
    process.start([&process, program](Context& context) -> Task<void> {
      co_await program(context, process.processes());
    });
    run_until_dead(process);
  }
};

Task<ProcessId> start_shell(Processes& processes, std::string script) {
  ProcessSpec spec;
  spec.program = "/bin/sh";
  spec.arguments = {"-c", script};
  Result<ProcessId> started = co_await processes.start(spec);
  EXPECT_TRUE(started);
  co_return started.value();
}

TEST_F(ChildProcesses, AnExitCodeIsTold) {
  run_with([](Context&, Processes& processes) -> Task<void> {
    const ProcessId id = co_await start_shell(processes, "exit 3");
    Result<ProcessStatus> ended = co_await processes.wait(id, kNever);
    EXPECT_EQ(ended.value().state, State::exited);
    EXPECT_EQ(ended.value().exit_code, 3);
    EXPECT_EQ(processes.status(id).value().state, State::exited);
    EXPECT_EQ(code_of(processes.kill(id)), ErrorCode::not_found);
  });
}

TEST_F(ChildProcesses, AKilledChildIsKilled) {
  run_with([](Context& context, Processes& processes) -> Task<void> {
    const ProcessId id = co_await start_shell(processes, "exec sleep 1000");
    EXPECT_EQ(processes.status(id).value().state, State::running);
    const Deadline soon = context.clock.now() + Duration::ms(1);
    Result<ProcessStatus> ended = co_await processes.wait(id, soon);
    EXPECT_EQ(code_of(ended), ErrorCode::timed_out);
    EXPECT_TRUE(processes.kill(id));
    EXPECT_EQ(processes.status(id).value().state, State::dying);
    Result<ProcessStatus> at_last = co_await processes.wait(id, kNever);
    EXPECT_EQ(at_last.value().state, State::killed);
  });
}

TEST_F(ChildProcesses, TerminateCanBeAnsweredInOrder) {
  run_with([](Context&, Processes& processes) -> Task<void> {
    // The shell stops itself once its trap is set, so the signal can't come too early.
    const ProcessId id =
        co_await start_shell(processes, "trap 'exit 5' TERM; kill -STOP $$; while :; do :; done");
    while (processes.status(id).value().state != State::stopped) {
    }
    EXPECT_TRUE(processes.terminate(id));
    EXPECT_EQ(::kill(static_cast<pid_t>(id.value()), SIGCONT), 0);
    Result<ProcessStatus> ended = co_await processes.wait(id, kNever);
    EXPECT_EQ(ended.value().state, State::exited);
    EXPECT_EQ(ended.value().exit_code, 5);
  });
}

TEST_F(ChildProcesses, WhatIsNotThereIsNotFound) {
  run_with([](Context&, Processes& processes) -> Task<void> {
    ProcessSpec spec;
    spec.program = "/none/such";
    Result<ProcessId> started = co_await processes.start(spec);
    EXPECT_EQ(code_of(started), ErrorCode::not_found);
    const ProcessId unknown(1);
    EXPECT_EQ(code_of(processes.status(unknown)), ErrorCode::not_found);
    EXPECT_EQ(code_of(processes.terminate(unknown)), ErrorCode::not_found);
    Result<ProcessStatus> ended = co_await processes.wait(unknown, kNever);
    EXPECT_EQ(code_of(ended), ErrorCode::not_found);
  });
}

// Signals that this program blocks or ignores reach its children all the same.
TEST_F(ChildProcesses, StartWithNoSignalBlocked) {
  run_with([](Context&, Processes& processes) -> Task<void> {
    const ProcessId id = co_await start_shell(processes, "kill -PIPE $$; exit 0");
    Result<ProcessStatus> ended = co_await processes.wait(id, kNever);
    EXPECT_EQ(ended.value().state, State::killed);
  });
}

TEST_F(ChildProcesses, OutliveTheProcessThatStartedThem) {
  ProcessId id(0);
  LinuxProcess& process = world.spawn("agent");
  process.start([&](Context& context) -> Task<void> {
    const ProcessId started = co_await start_shell(process.processes(), "exec sleep 1000");
    id = started;
    Result<void> never = co_await context.terminate.wait();
    EXPECT_TRUE(never);
  });
  ASSERT_TRUE(world.run_until([&] { return id != ProcessId(0); }, kHangLimit));
  process.kill();
  run_until_dead(process);
  EXPECT_EQ(::kill(static_cast<pid_t>(id.value()), SIGKILL), 0);  // It was still there.
}

}  // namespace
}  // namespace drydock::on_linux::test
