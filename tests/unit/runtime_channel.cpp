// Channels: order, bounds, handover, closing.
#include "engine/runtime/channel.hpp"

#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <vector>

#include "engine/runtime/join.hpp"
#include "tests/support/world.hpp"

namespace drydock::test {
namespace {

using Lines = std::vector<std::string>;

Task<void> receive_one(Channel<int>& channel, Lines& lines, std::string name,
                       Deadline deadline = kNever) {
  Result<int> value = co_await channel.receive(deadline);
  lines.push_back(name + " " +
                  (value ? std::to_string(*value) : std::string(name_of(value.error().code()))));
}

Task<void> send_one(Channel<int>& channel, int value, Lines& lines, Deadline deadline = kNever) {
  Result<void> sent = co_await channel.send(value, deadline);
  lines.push_back("sent " + std::to_string(value) + " " +
                  (sent ? "ok" : std::string(name_of(sent.error().code()))));
}

TEST(Channel, ValuesComeOutInTheOrderOfTheSends) {
  World world;
  std::vector<int> received;
  world.start([&](Context& context) -> Task<void> {
    Lines lines;
    Channel<int> channel(2);
    TaskScope scope(context.scope);
    for (int i = 0; i < 6; ++i) scope.spawn(send_one(channel, i, lines));
    Result<void> slept = co_await sleep_for(context.clock, Duration::ms(1));
    EXPECT_TRUE(slept);
    EXPECT_EQ(channel.size(), 2u);
    EXPECT_FALSE(channel.try_send(99));  // Four senders wait before us.
    for (int i = 0; i < 6; ++i) {
      Result<int> value = co_await channel.receive();
      received.push_back(value.value());
    }
    co_await scope.join();
    EXPECT_EQ(lines.size(), 6u);
    EXPECT_EQ(channel.size(), 0u);
  });
  world.run();
  EXPECT_EQ(received, (std::vector<int>{0, 1, 2, 3, 4, 5}));
}

TEST(Channel, TheLongestWaitingReceiverIsServedFirst) {
  World world;
  Lines lines;
  world.start([&](Context& context) -> Task<void> {
    Channel<int> channel(1);
    TaskScope scope(context.scope);
    scope.spawn(receive_one(channel, lines, "a"));
    scope.spawn(receive_one(channel, lines, "b"));
    Result<void> slept = co_await sleep_for(context.clock, Duration::ms(1));
    EXPECT_TRUE(slept);
    // Both are handed over at once: what a receiver waits for does not count against the capacity.
    EXPECT_TRUE(channel.try_send(1));
    EXPECT_TRUE(channel.try_send(2));
    EXPECT_TRUE(channel.try_send(3));
    EXPECT_FALSE(channel.try_send(4));
    co_await scope.join();
    EXPECT_EQ(channel.try_receive(), std::optional<int>(3));
    EXPECT_EQ(channel.try_receive(), std::nullopt);
  });
  world.run();
  EXPECT_EQ(lines, (Lines{"a 1", "b 2"}));
}

TEST(Channel, ClosingFailsSendersAndDrainsReceivers) {
  World world;
  Lines lines;
  world.start([&](Context& context) -> Task<void> {
    Channel<int> channel(1);
    TaskScope scope(context.scope);
    scope.spawn(send_one(channel, 1, lines));
    scope.spawn(send_one(channel, 2, lines));
    Result<void> slept = co_await sleep_for(context.clock, Duration::ms(1));
    EXPECT_TRUE(slept);
    channel.close();
    EXPECT_TRUE(channel.closed());
    co_await scope.join();
    co_await send_one(channel, 3, lines);
    EXPECT_FALSE(channel.try_send(4));
    co_await receive_one(channel, lines, "got");
    co_await receive_one(channel, lines, "got");
  });
  world.run();
  EXPECT_EQ(lines, (Lines{"sent 1 ok", "sent 2 end_of_stream", "sent 3 end_of_stream", "got 1",
                          "got end_of_stream"}));
}

TEST(Channel, ClosingWakesEveryWaitingReceiver) {
  World world;
  Lines lines;
  world.start([&](Context& context) -> Task<void> {
    Channel<int> channel(1);
    TaskScope scope(context.scope);
    scope.spawn(receive_one(channel, lines, "a"));
    scope.spawn(receive_one(channel, lines, "b"));
    Result<void> slept = co_await sleep_for(context.clock, Duration::ms(1));
    EXPECT_TRUE(slept);
    channel.close();
    co_await scope.join();
  });
  world.run();
  EXPECT_EQ(lines, (Lines{"a end_of_stream", "b end_of_stream"}));
}

TEST(Channel, DeadlinesAndCancellationLeaveTheValuesWhereTheyAre) {
  World world;
  Lines lines;
  world.start([&](Context& context) -> Task<void> {
    Channel<int> channel(1);
    const Deadline soon = context.clock.now() + Duration::ms(2);
    co_await receive_one(channel, lines, "got", soon);
    EXPECT_TRUE(channel.try_send(1));
    co_await send_one(channel, 2, lines, context.clock.now() + Duration::ms(2));
    TaskScope scope(context.scope);
    scope.spawn(send_one(channel, 3, lines));
    Result<void> slept = co_await sleep_for(context.clock, Duration::ms(1));
    EXPECT_TRUE(slept);
    scope.cancel();
    co_await scope.join();
    co_await receive_one(channel, lines, "got");
    EXPECT_EQ(channel.size(), 0u);
  });
  world.run();
  EXPECT_EQ(lines, (Lines{"got timed_out", "sent 2 timed_out", "sent 3 cancelled", "got 1"}));
}

TEST(Channel, AValueThatNobodyCollectsGoesToTheNextReceiver) {
  World world;
  Lines lines;
  world.start([&](Context& context) -> Task<void> {
    Channel<int> channel(2);
    TaskScope first(context.scope);
    first.spawn(receive_one(channel, lines, "first"));
    TaskScope second(context.scope);
    second.spawn(receive_one(channel, lines, "second"));
    Result<void> slept = co_await sleep_for(context.clock, Duration::ms(1));
    EXPECT_TRUE(slept);
    EXPECT_TRUE(channel.try_send(1));
    first.destroy_tasks();
    co_await second.join();
  });
  world.run();
  EXPECT_EQ(lines, (Lines{"second 1"}));
}

TEST(Channel, ValuesThatNobodyCollectsReturnToTheFrontInOrder) {
  World world;
  Lines lines;
  world.start([&](Context& context) -> Task<void> {
    Channel<int> channel(2);
    {
      TaskScope scope(context.scope);
      scope.spawn(receive_one(channel, lines, "gone"));
      scope.spawn(receive_one(channel, lines, "gone"));
      Result<void> slept = co_await sleep_for(context.clock, Duration::ms(1));
      EXPECT_TRUE(slept);
      for (int i = 1; i <= 4; ++i) EXPECT_TRUE(channel.try_send(i));
    }
    // Two came back: more are queued than fit, and all are in order.
    EXPECT_EQ(channel.size(), 4u);
    for (int i = 0; i < 4; ++i) co_await receive_one(channel, lines, "got");
  });
  world.run();
  EXPECT_EQ(lines, (Lines{"got 1", "got 2", "got 3", "got 4"}));
}

TEST(Channel, AnOverfullQueueHoldsItsSendersBack) {
  World world;
  Lines lines;
  world.start([&](Context& context) -> Task<void> {
    Channel<int> channel(1);
    TaskScope senders(context.scope);
    {
      TaskScope scope(context.scope);
      scope.spawn(receive_one(channel, lines, "gone"));
      Result<void> slept = co_await sleep_for(context.clock, Duration::ms(1));
      EXPECT_TRUE(slept);
      EXPECT_TRUE(channel.try_send(1));
      EXPECT_TRUE(channel.try_send(2));
    }
    EXPECT_EQ(channel.size(), 2u);  // 1 came back.
    senders.spawn(send_one(channel, 3, lines));
    Result<void> slept = co_await sleep_for(context.clock, Duration::ms(1));
    EXPECT_TRUE(slept);
    co_await receive_one(channel, lines, "got");
    Result<void> again = co_await sleep_for(context.clock, Duration::ms(1));
    EXPECT_TRUE(again);
    EXPECT_EQ(channel.size(), 1u);
    co_await receive_one(channel, lines, "got");
    co_await receive_one(channel, lines, "got");
    co_await senders.join();
  });
  world.run();
  EXPECT_EQ(lines, (Lines{"got 1", "got 2", "got 3", "sent 3 ok"}));
}

TEST(Channel, CarriesValuesThatOnlyMove) {
  World world;
  int seen = 0;
  world.start([&](Context&) -> Task<void> {
    Channel<std::unique_ptr<int>> channel(1);
    Result<void> sent = co_await channel.send(std::make_unique<int>(5));
    EXPECT_TRUE(sent);
    Result<std::unique_ptr<int>> value = co_await channel.receive();
    seen = **value;
  });
  world.run();
  EXPECT_EQ(seen, 5);
}

TEST(Channel, AKillWithValuesInFlightLeaksNothing) {
  auto held = std::make_shared<int>(0);
  World world;
  auto receives = [](Channel<std::shared_ptr<int>>& channel) -> Task<void> {
    Result<std::shared_ptr<int>> value = co_await channel.receive();
    EXPECT_TRUE(value);
  };
  sim::SimProcess* process = nullptr;
  process = &world.start([&](Context& context) -> Task<void> {
    Channel<std::shared_ptr<int>> channel(4);
    TaskScope scope(context.scope);
    scope.spawn(receives(channel));
    Result<void> slept = co_await sleep_for(context.clock, Duration::ms(1));
    EXPECT_TRUE(slept);
    for (int i = 0; i < 3; ++i) EXPECT_TRUE(channel.try_send(held));
    process->kill();
    Result<void> never = co_await sleep_for(context.clock, Duration::ms(1));
    ADD_FAILURE() << never.has_value();
  });
  world.run();
  EXPECT_EQ(held.use_count(), 1);
}

TEST(ChannelDeathTest, NeedsACapacity) { EXPECT_DEATH(Channel<int>(0), "ENSURE failed"); }

}  // namespace
}  // namespace drydock::test
