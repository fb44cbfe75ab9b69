// Starting, watching and ending other processes, in both worlds.
#include "tests/contract/contract.hpp"

namespace drydock::contract {
namespace {

using State = ProcessStatus::State;
using Started = Result<ProcessId>;
using Waited = Result<ProcessStatus>;

template <class Which>
class ProcessesContract : public Contract<Which> {
 protected:
  // Runs a supervisor to its end.
  void run_supervisor(std::function<Task<void>(Context&, Processes&)> work) {
    Guest* guest = nullptr;
    guest = &this->start(0, [&guest, work](Context& context) -> Task<void> {
      Result<void> slept = co_await sleep_for(context.clock, Duration());
      EXPECT_TRUE(slept);  // `guest` is set once we run.
      co_await work(context, guest->processes());
    });
    this->run_until_gone(*guest);
    EXPECT_TRUE(guest->exited_by_itself());
  }
};
TYPED_TEST_SUITE(ProcessesContract, Worlds, WorldNames);

TYPED_TEST(ProcessesContract, AProcessThatEndsByItselfIsReportedAsExited) {
  this->run_supervisor([this](Context&, Processes& processes) -> Task<void> {
    Started started = co_await processes.start(this->world().ends_at_once());
    EXPECT_TRUE(started);
    Waited ended = co_await processes.wait(*started, kNever);
    EXPECT_TRUE(ended);
    EXPECT_EQ(ended->state, State::exited);
    EXPECT_EQ(ended->exit_code, 0);
    EXPECT_EQ(processes.status(*started)->state, State::exited);
    Waited again = co_await processes.wait(*started, kNever);
    EXPECT_EQ(again->state, State::exited);
    this->answer("kill a process that has ended", processes.kill(*started));
    this->answer("terminate a process that has ended", processes.terminate(*started));
  });
}

TYPED_TEST(ProcessesContract, AKilledProcessIsReportedAsKilled) {
  this->run_supervisor([this](Context& context, Processes& processes) -> Task<void> {
    Started started = co_await processes.start(this->world().never_ends());
    EXPECT_TRUE(started);
    EXPECT_EQ(processes.status(*started)->state, State::running);
    const Deadline soon = context.clock.now() + Duration::ms(5);
    Waited late = co_await processes.wait(*started, soon);
    EXPECT_EQ(code_of(late), ErrorCode::timed_out);
    EXPECT_TRUE(processes.kill(*started));
    Waited ended = co_await processes.wait(*started, kNever);
    EXPECT_EQ(ended->state, State::killed);
    EXPECT_EQ(processes.status(*started)->state, State::killed);
  });
}

TYPED_TEST(ProcessesContract, WaitsAreCancelledWithTheirScope) {
  this->run_supervisor([this](Context& context, Processes& processes) -> Task<void> {
    Started started = co_await processes.start(this->world().never_ends());
    std::string how;
    auto wait = [&]() -> Task<void> {
      Waited ended = co_await processes.wait(*started, kNever);
      how = text_of(ended);
    };
    TaskScope scope(context.scope);
    scope.spawn(wait());
    Result<void> slept = co_await sleep_for(context.clock, Duration::ms(2));
    EXPECT_TRUE(slept);
    scope.cancel();
    co_await scope.join();
    EXPECT_EQ(how, "cancelled");
    EXPECT_EQ(processes.status(*started)->state, State::running);
    EXPECT_TRUE(processes.kill(*started));
    Waited ended = co_await processes.wait(*started, kNever);
    EXPECT_TRUE(ended);
  });
}

TYPED_TEST(ProcessesContract, TerminateAsksIt) {
  this->run_supervisor([this](Context&, Processes& processes) -> Task<void> {
    Started started = co_await processes.start(this->world().never_ends());
    EXPECT_TRUE(processes.terminate(*started));
    Waited ended = co_await processes.wait(*started, kNever);
    // It ends either way: by its own orderly exit, or by the signal if it has no handler.
    this->answer("state of a process that was asked to stop",
                 ended->state == State::exited ? std::string("exited") : "killed");
  });
}

TYPED_TEST(ProcessesContract, UnknownProgramsAndProcessesAreNotFound) {
  this->run_supervisor([](Context&, Processes& processes) -> Task<void> {
    const ProcessSpec spec{.program = "/no/such/program", .arguments = {}};
    Started started = co_await processes.start(spec);
    EXPECT_EQ(code_of(started), ErrorCode::not_found);
    const ProcessId nobody(0x7fff'fff0);
    EXPECT_EQ(code_of(processes.status(nobody)), ErrorCode::not_found);
    EXPECT_EQ(code_of(processes.kill(nobody)), ErrorCode::not_found);
    EXPECT_EQ(code_of(processes.terminate(nobody)), ErrorCode::not_found);
    Waited ended = co_await processes.wait(nobody, kNever);
    EXPECT_EQ(code_of(ended), ErrorCode::not_found);
  });
}

TYPED_TEST(ProcessesContract, ManyAreWaitedForAtOnce) {
  int ended_count = 0;
  this->run_supervisor([&](Context& context, Processes& processes) -> Task<void> {
    auto run_one = [&]() -> Task<void> {
      Started started = co_await processes.start(this->world().ends_at_once());
      EXPECT_TRUE(started);
      Waited ended = co_await processes.wait(*started, kNever);
      EXPECT_EQ(ended->state, State::exited);
      ++ended_count;
    };
    TaskScope scope(context.scope);
    for (int i = 0; i < 5; ++i) scope.spawn(run_one());
    co_await scope.join();
  });
  EXPECT_EQ(ended_count, 5);
}

}  // namespace
}  // namespace drydock::contract
