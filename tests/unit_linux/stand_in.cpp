// Usually brief operations run on the run loop's thread; when one is stuck there, another thread
// goes on with the loop. Stuck is what waits for a latch that only the loop opens: were it not
// taken over, the test would hang.
#include "engine/linux/stand_in.hpp"

#include <latch>
#include <mutex>
#include <thread>

#include "tests/unit_linux/action.hpp"
#include "tests/unit_linux/linux_test.hpp"

namespace drydock::on_linux::test {
namespace {

class Brief : public Operation {
 public:
  explicit Brief(std::function<void()> work) : work_(std::move(work)) {}
  void run() noexcept override {
    work_();
    thread_ = std::this_thread::get_id();
  }
  bool usually_brief() const override { return true; }
  std::thread::id thread() const { return thread_; }

 private:
  std::function<void()> work_;
  std::thread::id thread_;
};

class LoopUnderWatch : public ::testing::Test {
 protected:
  // An operation of `lane` that notes `number`, after `gate`, if there is one.
  std::shared_ptr<Brief> submit(Lane& lane, int number, std::latch* gate = nullptr) {
    auto brief = std::make_shared<Brief>([this, number, gate] {
      if (gate != nullptr) gate->wait();
      const std::lock_guard lock(mutex);
      noted.push_back(number);
    });
    operations.submit(brief, lane);
    return brief;
  }
  bool run_until_in_flight(std::size_t count) {
    const auto reached = [&] { return operations.in_flight() == count; };
    return executor.run_until(reached, executor.now() + kHangLimit);
  }
  // Operations and wake-ups note on several threads.
  std::vector<int> all_noted() {
    const std::lock_guard lock(mutex);
    return noted;
  }

  LinuxExecutor executor;
  Operations operations{executor, FileIo::lanes_only};
  Lane one{operations.mailbox(), "one"};
  Lane other{operations.mailbox(), "other"};
  std::latch gate{1};
  std::mutex mutex;
  std::vector<int> noted;
};

TEST_F(LoopUnderWatch, DoesWhatIsBriefItselfAndInOrder) {
  std::vector<std::shared_ptr<Brief>> given;
  std::vector<int> expected;
  for (int i = 0; i < 100; ++i) {
    given.push_back(submit(i % 2 == 0 ? one : other, i));
    expected.push_back(i);
  }
  EXPECT_TRUE(noted.empty());  // Not inside the call.
  ASSERT_TRUE(run_until_in_flight(0));
  EXPECT_EQ(noted, expected);
  for (const auto& brief : given) EXPECT_EQ(brief->thread(), std::this_thread::get_id());
}

TEST_F(LoopUnderWatch, GoesOnElsewhereWhenItsThreadIsStuck) {
  std::thread::id stood_in;
  Action opens([&] {
    stood_in = std::this_thread::get_id();
    gate.count_down();
  });
  const auto stuck = submit(one, 1, &gate);
  executor.post(opens);
  ASSERT_TRUE(run_until_in_flight(0));
  EXPECT_EQ(stuck->thread(), std::this_thread::get_id());
  EXPECT_NE(stood_in, std::this_thread::get_id());
  std::thread::id afterwards;
  Action looks([&] { afterwards = std::this_thread::get_id(); });
  executor.post(looks);
  const auto looked = [&] { return afterwards != std::thread::id(); };
  ASSERT_TRUE(executor.run_until(looked, executor.now() + kHangLimit));
  EXPECT_EQ(afterwards, std::this_thread::get_id());
}

// A timer opens the gate: the loop that stands in sleeps until then, and is woken to give back.
TEST_F(LoopUnderWatch, SleepsAndWakesElsewhereToo) {
  for (int i = 0; i < 3; ++i) {
    std::latch opened_by_timer(1);
    Action opens([&] { opened_by_timer.count_down(); });
    executor.arm(opens, executor.now() + Duration::ms(20));
    submit(one, i, &opened_by_timer);
    ASSERT_TRUE(run_until_in_flight(0));
  }
  EXPECT_EQ(noted, (std::vector<int>{0, 1, 2}));
}

TEST_F(LoopUnderWatch, AStuckWorkerHoldsUpItsOwnAndNobodyElse) {
  submit(one, 1, &gate);
  submit(one, 2);
  submit(other, 3);
  Action more([&] {
    submit(one, 4);
    submit(other, 5);
  });
  executor.post(more);
  // The loop opens the gate once all is done that does not wait for it.
  Action looks([&] {
    if (all_noted().size() == 2 && operations.in_flight() == 3) return gate.count_down();
    executor.arm(looks, executor.now() + Duration::ms(1));
  });
  executor.arm(looks, executor.now() + Duration::ms(1));
  ASSERT_TRUE(run_until_in_flight(0));
  EXPECT_EQ(noted, (std::vector<int>{3, 5, 1, 2, 4}));
}

// Whatever ends a run ends it on the thread that called it, once that is back.
TEST_F(LoopUnderWatch, ARunEndsOnItsOwnThread) {
  Action fails([&] {
    executor.fail(std::make_exception_ptr(std::runtime_error("from a task")));
    gate.count_down();
  });
  submit(one, 1, &gate);
  executor.post(fails);
  EXPECT_THROW(run_until_in_flight(7), std::runtime_error);
  std::latch second(1);
  Action stops([&] {
    executor.stop();
    second.count_down();
  });
  submit(one, 2, &second);
  executor.post(stops);
  EXPECT_FALSE(run_until_in_flight(7));
  ASSERT_TRUE(run_until_in_flight(0));
  EXPECT_EQ(noted, (std::vector<int>{1, 2}));
}

// Memory that one thread of the loop got and the other gives back is counted once, and used again.
TEST_F(LoopUnderWatch, ItsMemoryGoesWithIt) {
  const std::size_t before = pool_bytes_in_use();
  std::size_t there = 0;
  SharedBytes from_here = SharedBytes::zeros(100);
  SharedBytes from_there;
  Action swaps([&] {
    from_here = SharedBytes();
    from_there = SharedBytes::zeros(300);
    there = pool_bytes_in_use();
    gate.count_down();
  });
  submit(one, 1, &gate);
  executor.post(swaps);
  ASSERT_TRUE(run_until_in_flight(0));
  EXPECT_GE(there, before + 300);
  from_there = SharedBytes();
  EXPECT_EQ(pool_bytes_in_use(), before);
}

// A thread that stands in for this one gives back what this one got, and gets what it keeps.
TEST(MemoryPoolExchange, AnotherThreadTakesThePoolOverAndGivesItBack) {
  const std::size_t before = pool_bytes_in_use();
  void* const got_here = pool_allocate(100);
  void* got_there = nullptr;
  MemoryPool& ours = *this_threads_pool();
  std::thread([&] {
    exchange_pools(ours);
    EXPECT_EQ(pool_bytes_in_use(), before + 100);
    pool_free(got_here, 100);
    got_there = pool_allocate(300);
    exchange_pools(ours);
    EXPECT_EQ(pool_bytes_in_use(), 0u);
  }).join();
  EXPECT_EQ(pool_bytes_in_use(), before + 300);
  pool_free(got_there, 300);
  EXPECT_EQ(pool_bytes_in_use(), before);
}

}  // namespace
}  // namespace drydock::on_linux::test
