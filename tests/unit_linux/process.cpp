// Life and death of the world's own processes.
#include "engine/linux/process.hpp"

#include <fcntl.h>
#include <sys/stat.h>

#include "tests/unit_linux/linux_test.hpp"

namespace drydock::on_linux::test {
namespace {

// Sets a flag when its frame goes.
class Tombstone {
 public:
  explicit Tombstone(bool& gone) : gone_(gone) {}
  ~Tombstone() { gone_ = true; }

 private:
  bool& gone_;
};

TEST_F(LinuxTest, AProcessExitsWhenItsProgramReturns) {
  bool gone = false;
  LinuxProcess& process = start("exits", [&](Context& context) -> Task<void> {
    const Tombstone tombstone(gone);
    Result<void> slept = co_await sleep_for(context.clock, Duration::us(10));
    EXPECT_TRUE(slept);
  });
  EXPECT_FALSE(gone);
  run_until_dead(process);
  EXPECT_TRUE(gone);
  EXPECT_EQ(process.end(), ProcessEnd::exited);
  EXPECT_EQ(process.observer().count(EventName::process_started), 1u);
  EXPECT_EQ(process.observer().count(EventName::process_exited), 1u);
}

TEST_F(LinuxTest, AKillIsAnEventOfItsOwn) {
  bool gone = false;
  bool waits = false;
  LinuxProcess& process = start("victim", [&](Context& context) -> Task<void> {
    const Tombstone tombstone(gone);
    waits = true;
    Result<void> never = co_await context.terminate.wait();
    ADD_FAILURE() << "a killed process went on: " << never.has_value();
  });
  ASSERT_TRUE(world.run_until([&] { return waits; }, kHangLimit));
  process.kill();
  process.kill();
  EXPECT_FALSE(gone);  // Only scheduled.
  run_until_dead(process);
  EXPECT_TRUE(gone);
  EXPECT_EQ(process.end(), ProcessEnd::killed);
}

TEST_F(LinuxTest, TerminateAsksForAnOrderlyEnd) {
  LinuxProcess& process = start("asked", [](Context& context) -> Task<void> {
    Result<void> asked = co_await context.terminate.wait();
    EXPECT_TRUE(asked);
  });
  process.terminate();
  run_until_dead(process);
  EXPECT_EQ(process.end(), ProcessEnd::exited);
}

TEST_F(LinuxTest, AStoppedProcessGoesOnWhereItWas) {
  int steps = 0;
  bool other_ran = false;
  LinuxProcess& process = start("stopped", [&](Context& context) -> Task<void> {
    ++steps;
    Result<void> slept = co_await sleep_for(context.clock, Duration::us(10));
    EXPECT_TRUE(slept);
    ++steps;
  });
  ASSERT_TRUE(world.run_until([&] { return steps == 1; }, kHangLimit));
  process.stop();
  LinuxProcess& other = start("other", [&](Context& context) -> Task<void> {
    Result<void> slept = co_await sleep_for(context.clock, Duration::ms(1));
    EXPECT_TRUE(slept);
    other_ran = true;
  });
  run_until_dead(other);
  EXPECT_TRUE(other_ran);
  EXPECT_EQ(steps, 1);
  process.proceed();
  run_until_dead(process);
  EXPECT_EQ(steps, 2);
}

// Opening a FIFO for reading blocks until somebody opens it for writing: an operation that is in
// flight for as long as the test wants.
class InFlight : public LinuxTest {
 protected:
  InFlight() { EXPECT_EQ(::mkfifo(on_disk("/fifo").c_str(), 0600), 0); }
  ~InFlight() override { release(); }

  LinuxProcess& start_opening() {
    return start("blocked", [this](Context& context) -> Task<void> {
      const Tombstone tombstone(gone);
      const Tombstone second(second_gone);
      Worker& worker = context.workers.add("opener");
      const OpenOptions options{.mode = OpenMode::read_only};
      place_before = worker.wait_place();
      worker_ = &worker;
      Result<std::unique_ptr<File>> file = co_await context.files.open(worker, "/fifo", options);
      went_on = true;
      EXPECT_TRUE(file);
    });
  }
  bool run_until_in_flight() {
    return world.run_until([&] { return world.operations().in_flight() == 1; }, kHangLimit);
  }
  // Lets the open end, if it has not; the writing end is closed with the test.
  void release() {
    if (!writer) writer = OwnedDescriptor(::open(on_disk("/fifo").c_str(), O_RDWR | O_CLOEXEC));
  }

  bool gone = false;
  bool second_gone = false;
  bool went_on = false;
  WaitPlace place_before = WaitPlace::cpu;
  Worker* worker_ = nullptr;
  OwnedDescriptor writer;
};

TEST_F(InFlight, AKilledProcessKeepsItsFramesUntilTheOperationEnds) {
  LinuxProcess& process = start_opening();
  ASSERT_TRUE(run_until_in_flight());
  process.kill();
  ASSERT_TRUE(world.run_until([&] { return process.ending(); }, kHangLimit));
  EXPECT_EQ(process.phase(), ProcessState::Phase::dying);
  EXPECT_FALSE(gone);
  EXPECT_EQ(process.uninterruptible_waits(), 1u);
  release();
  run_until_dead(process);
  EXPECT_TRUE(gone);
  EXPECT_FALSE(went_on);
  EXPECT_EQ(process.end(), ProcessEnd::killed);
}

TEST_F(InFlight, AnOperationWhoseFrameIsGoneCompletesIntoNothing) {
  LinuxProcess& process = start("owner", [](Context& context) -> Task<void> {
    Result<void> never = co_await context.terminate.wait();
    EXPECT_TRUE(never);
  });
  TaskScope scope(process);
  Context& context = process.context();
  const auto open = [&]() -> Task<void> {
    const Tombstone tombstone(gone);
    Worker& worker = context.workers.add("opener");
    const OpenOptions options{.mode = OpenMode::read_only};
    Result<std::unique_ptr<File>> file = co_await context.files.open(worker, "/fifo", options);
    ADD_FAILURE() << "a destroyed task went on: " << file.has_value();
  };
  scope.spawn(open());
  ASSERT_TRUE(run_until_in_flight());
  scope.destroy_tasks();
  EXPECT_TRUE(gone);
  EXPECT_EQ(process.uninterruptible_waits(), 0u);
  EXPECT_EQ(world.operations().in_flight(), 1u);
  release();
  EXPECT_TRUE(world.run_until([&] { return world.operations().in_flight() == 0; }, kHangLimit));
  process.terminate();
  run_until_dead(process);
}

TEST_F(InFlight, AWorkerSaysSinceWhenItMayWaitAndForWhat) {
  LinuxProcess& process = start_opening();
  ASSERT_TRUE(run_until_in_flight());
  EXPECT_EQ(place_before, WaitPlace::none);
  EXPECT_EQ(worker_->wait_place(), WaitPlace::journal);
  release();
  ASSERT_TRUE(world.run_until([&] { return went_on; }, kHangLimit));
  EXPECT_EQ(worker_->wait_place(), WaitPlace::none);
  run_until_dead(process);
}

TEST_F(InFlight, CancellingDoesNotEndAnUninterruptibleWait) {
  LinuxProcess& process = start_opening();
  ASSERT_TRUE(run_until_in_flight());
  process.context().scope.cancel();
  EXPECT_FALSE(went_on);
  release();
  run_until_dead(process);
  EXPECT_TRUE(went_on);
}

TEST_F(LinuxTest, StreamsAreNamedByProcessAndSeed) {
  LinuxProcess& one = world.spawn("one");
  LinuxProcess& two = world.spawn("two");
  RandomStream a = one.context().random.stream("x");
  RandomStream again = one.context().random.stream("x");
  RandomStream b = two.context().random.stream("x");
  const std::uint64_t drawn = a.next();
  EXPECT_EQ(again.next(), drawn);
  EXPECT_NE(b.next(), drawn);
}

TEST(World, LogsTheSeedThatItDrew) {
  std::string logged;
  const LogSink sink = [&](std::string_view, LogLevel, const std::string& line) {
    logged += line + "\n";
  };
  LinuxWorld world({.log_sink = sink});
  EXPECT_NE(logged.find("seed " + std::to_string(world.seed())), std::string::npos);
}

TEST(World, PassesEventsAndLinesOfItsProcessesOn) {
  std::vector<std::string> told;
  const LogSink log_sink = [&](std::string_view process, LogLevel, const std::string& line) {
    told.push_back(std::string(process) + ": " + line);
  };
  const EventSink event_sink = [&](std::string_view process, EventName name, std::int64_t a,
                                   std::int64_t b) {
    told.push_back(std::string(process) + "! " + std::string(name_of(name)) + " " +
                   std::to_string(a) + " " + std::to_string(b));
  };
  LinuxWorld world(
      {.file_io = FileIo::lanes_only, .seed = 1, .log_sink = log_sink, .event_sink = event_sink});
  LinuxProcess& process = world.spawn("broker");
  Observer& observer = process.context().observer;
  observer.log(LogLevel::info, "a line");
  observer.event(EventName::store_appended, 7, 8);
  const std::string appended(name_of(EventName::store_appended));
  EXPECT_EQ(told, (std::vector<std::string>{"broker: a line", "broker! " + appended + " 7 8"}));
  EXPECT_EQ(process.observer().count(EventName::store_appended), 1u);
}

TEST(World, EndsWithProcessesThatStillRun) {
  bool gone = false;
  {
    LinuxWorld world({.seed = 1, .log_sink = no_log()});
    bool runs = false;
    LinuxProcess& process = world.spawn("runs");
    process.start([&](Context& context) -> Task<void> {
      const Tombstone tombstone(gone);
      runs = true;
      Result<void> never = co_await context.terminate.wait();
      EXPECT_TRUE(never);
    });
    ASSERT_TRUE(world.run_until([&] { return runs; }, kHangLimit));
    EXPECT_FALSE(gone);
  }
  EXPECT_TRUE(gone);
}

}  // namespace
}  // namespace drydock::on_linux::test
