// Operations themselves: lanes keep order, a stuck one holds up those behind it only, the ring's
// bytes outlive whoever asked.
#include "engine/linux/operations.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <latch>
#include <thread>

#include "engine/linux/io_operation.hpp"
#include "tests/unit_linux/linux_test.hpp"

namespace drydock::on_linux::test {
namespace {

// Notes its number, on the lane's thread; waits for a latch before, if it has one.
class Numbered : public Operation {
 public:
  Numbered(std::vector<int>& noted, int number, std::latch* gate = nullptr)
      : noted_(noted), gate_(gate), number_(number) {}
  void run() noexcept override {
    if (gate_ != nullptr) gate_->wait();
    noted_.push_back(number_);
    thread_ = std::this_thread::get_id();
  }
  std::thread::id thread() const { return thread_; }

 private:
  std::vector<int>& noted_;
  std::latch* gate_;
  std::thread::id thread_;
  int number_;
};

class Flight : public ::testing::Test {
 protected:
  bool run_until_in_flight(std::size_t count) {
    const auto reached = [&] { return operations.in_flight() == count; };
    return executor.run_until(reached, executor.now() + kHangLimit);
  }
  LinuxExecutor executor;
  Operations operations{executor, FileIo::ring_if_allowed};
  std::vector<int> noted;
};

TEST_F(Flight, ALaneKeepsTheOrder) {
  Lane lane(operations.mailbox(), "a name that is longer than the kernel's fifteen letters");
  std::vector<int> expected;
  for (int i = 0; i < 1000; ++i) {
    operations.submit(std::make_shared<Numbered>(noted, i), lane);
    expected.push_back(i);
  }
  ASSERT_TRUE(run_until_in_flight(0));
  EXPECT_EQ(noted, expected);
}

TEST_F(Flight, AStuckLaneHoldsUpNobodyElse) {
  std::latch gate(1);
  Lane stuck(operations.mailbox(), "stuck");
  Lane other(operations.mailbox(), "other");
  std::vector<int> noted_by_other;
  operations.submit(std::make_shared<Numbered>(noted, 1), stuck);
  operations.submit(std::make_shared<Numbered>(noted, 2, &gate), stuck);
  operations.submit(std::make_shared<Numbered>(noted, 3), stuck);
  const auto free_one = std::make_shared<Numbered>(noted_by_other, 4);
  operations.submit(free_one, other);
  ASSERT_TRUE(run_until_in_flight(2));
  EXPECT_EQ(noted_by_other, (std::vector<int>{4}));
  EXPECT_NE(free_one->thread(), std::this_thread::get_id());
  gate.count_down();
  ASSERT_TRUE(run_until_in_flight(0));
  EXPECT_EQ(noted, (std::vector<int>{1, 2, 3}));
}

TEST_F(Flight, AClosedLaneStillDoesWhatItWasGiven) {
  std::latch gate(1);
  auto lane = std::make_unique<Lane>(operations.mailbox(), "closed");
  operations.submit(std::make_shared<Numbered>(noted, 1, &gate), *lane);
  operations.submit(std::make_shared<Numbered>(noted, 2), *lane);
  lane->close();
  gate.count_down();
  lane.reset();  // Joins.
  ASSERT_TRUE(run_until_in_flight(0));
  EXPECT_EQ(noted, (std::vector<int>{1, 2}));
}

// A read of an empty pipe stays in the kernel until somebody writes. Nobody else holds it.
TEST_F(Flight, TheRingsOperationsKeepTheirBytes) {
  if (!operations.uses_ring()) GTEST_SKIP() << "io_uring is not available";
  int ends[2];
  ASSERT_EQ(::pipe2(ends, O_CLOEXEC), 0);
  const OwnedDescriptor writing(ends[1]);
  Lane lane(operations.mailbox(), "unused");
  constexpr std::int64_t kCurrentPosition = -1;
  std::shared_ptr<IoOperation> read =
      IoOperation::read(share(operations, OwnedDescriptor(ends[0])), kCurrentPosition, 5, false);
  const std::weak_ptr<IoOperation> watched = read;
  operations.submit(std::move(read), lane);
  executor.run_until([] { return false; }, executor.now() + Duration::ms(1));
  EXPECT_EQ(operations.in_flight(), 1u);
  EXPECT_FALSE(watched.expired());
  ASSERT_EQ(::write(writing.get(), "bytes", 5), 5);
  ASSERT_TRUE(run_until_in_flight(0));
  EXPECT_TRUE(watched.expired());
}

}  // namespace
}  // namespace drydock::on_linux::test
