// Which message of a queue belongs to a time, and the record that lies at an offset.
#include <gtest/gtest.h>

#include "tests/support/store_world.hpp"

namespace drydock::test {
namespace {

using Boundary = TimeQuery::Boundary;

class Lookup : public StoreProcess {
 public:
  explicit Lookup(StoreWorld& world) : StoreProcess(world), world_(world) {}

  std::int64_t offset_at(std::int64_t store_ms, Boundary boundary, std::int32_t queue_id = 0) {
    auto found = std::make_shared<std::int64_t>(-1);
    process().context().scope.spawn(offset_task({store_ms, boundary}, queue_id, found));
    world_.run_for(Duration());
    return *found;
  }
  std::int64_t earliest(std::int32_t queue_id = 0) {
    auto found = std::make_shared<std::int64_t>(-2);
    process().context().scope.spawn(earliest_task(queue_id, found));
    world_.run_for(Duration());
    return *found;
  }
  std::size_t bytes_at(std::int64_t offset) {
    auto found = std::make_shared<std::size_t>(0);
    process().context().scope.spawn(record_task(PhysicalOffset(offset), found));
    world_.run_for(Duration());
    return *found;
  }

 private:
  Task<void> offset_task(TimeQuery time, std::int32_t queue_id,
                         std::shared_ptr<std::int64_t> found) {
    Worker& worker = process().context().workers.add("AdminBrokerThread_1");
    Result<QueueOffset> offset = co_await store().offset_at(worker, "T", queue_id, time);
    ENSURE(offset.has_value());
    *found = offset->value();
  }
  Task<void> earliest_task(std::int32_t queue_id, std::shared_ptr<std::int64_t> found) {
    Worker& worker = process().context().workers.add("AdminBrokerThread_1");
    Result<std::int64_t> stored = co_await store().earliest_store_ms(worker, "T", queue_id);
    ENSURE(stored.has_value());
    *found = *stored;
  }
  Task<void> record_task(PhysicalOffset offset, std::shared_ptr<std::size_t> found) {
    Worker& worker = process().context().workers.add("QueryMessageThread_1");
    Result<ByteChain> record = co_await store().message_at(worker, offset);
    ENSURE(record.has_value());
    *found = record->size();
  }
  StoreWorld& world_;
};

// Seven messages, of which three share a time.
TEST(StoreTimeLookup, LowerIsTheFirstThenOrLaterAndUpperTheLastThenOrEarlier) {
  StoreWorld world;
  Lookup broker(world);
  std::vector<PendingPut> puts;
  for (int i = 0; i < 7; ++i) {
    puts.push_back(broker.put(message("body")));
    if (i != 2 && i != 3) world.run_for(Duration::s(2));
  }
  std::vector<std::int64_t> times;
  for (const PendingPut& put : puts) times.push_back(put->result.value().store_ms);
  ASSERT_EQ(times[2], times[4]);
  for (const std::int64_t time : times) {
    for (const std::int64_t at : {time - 1, time, time + 1}) {
      const auto first = std::ranges::lower_bound(times, at) - times.begin();
      const auto last = std::ranges::upper_bound(times, at) - times.begin();
      EXPECT_EQ(broker.offset_at(at, Boundary::lower), first) << at;
      EXPECT_EQ(broker.offset_at(at, Boundary::upper), std::max<std::int64_t>(last - 1, 0)) << at;
    }
  }
  EXPECT_EQ(broker.earliest(), times.front());
}

TEST(StoreTimeLookup, AQueueWithoutMessagesHasNoTime) {
  StoreWorld world;
  Lookup broker(world);
  EXPECT_EQ(broker.offset_at(1, Boundary::lower, 5), 0);
  EXPECT_EQ(broker.offset_at(1, Boundary::upper, 5), 0);
  EXPECT_EQ(broker.earliest(5), -1);
}

TEST(StoreTimeLookup, OnlyTheFrontOfARecordNamesOne) {
  StoreWorld world;
  Lookup broker(world);
  broker.put_now(message_of(10));
  const std::int64_t second = broker.put_now(message_of(20)).offset.value();
  EXPECT_EQ(broker.bytes_at(0), static_cast<std::size_t>(record_of(10)));
  EXPECT_EQ(broker.bytes_at(second), static_cast<std::size_t>(record_of(20)));
  for (const std::int64_t wrong : {std::int64_t{-1}, std::int64_t{1}, second - 1, second + 4,
                                   broker.end(), broker.end() + 100, std::int64_t{1} << 40}) {
    EXPECT_EQ(broker.bytes_at(wrong), 0u) << wrong;
  }
}

}  // namespace
}  // namespace drydock::test
