// A store counts its puts and gets as RocketMQ's StoreStatsService does (storage reference, 10.1),
// and what it says of samples and minutes is what a thread that ticks would have said.
#include "engine/store/store_stats.hpp"

#include <gtest/gtest.h>

#include "tests/support/store_world.hpp"

namespace drydock::test {
namespace {

constexpr std::int64_t kBootMs = 1'700'000'000'000;

MonotonicTime at(Duration since) { return MonotonicTime::at_ns(5'000'000) + since; }

class Counting : public testing::Test {
 protected:
  Counting() { stats.start(at(Duration()), kBootMs); }
  void put(Duration ended, Duration took, std::int64_t bytes = 100) {
    stats.appended(at(ended), 1, bytes);
    stats.put_ended(at(ended) - took, at(ended));
  }
  std::string info(const std::string& key, Duration now) {
    for (const auto& [name, text] : stats.runtime_info(at(now))) {
      if (name == key) return text;
    }
    return "no such key";
  }
  StoreStats stats;
};
using StoreStatsCounting = Counting;

TEST(StorePutTimes, ABucketEndsInFrontOfItsBound) {
  constexpr std::int64_t kBounds[] = {10, 50, 100, 200, 500, 1000, 2000, 3000, 4000, 5000, 10'000};
  EXPECT_EQ(PutTimes::bucket_of(0), 0U);
  EXPECT_EQ(PutTimes::bucket_of(1), 1U);
  std::size_t bucket = 1;
  for (const std::int64_t bound : kBounds) {
    EXPECT_EQ(PutTimes::bucket_of(bound - 1), bucket) << bound;
    EXPECT_EQ(PutTimes::bucket_of(bound), ++bucket) << bound;
  }
  EXPECT_EQ(bucket, PutTimes::kBuckets - 1);
}

TEST(StorePutTimes, TheTextIsTheOneThatOperatorsKnow) {
  PutTimes times;
  times.add(0);
  times.add(9);
  times.add(9);
  times.add(1500);
  EXPECT_EQ(times.text(),
            "[<=0ms]:1 [0~10ms]:2 [10~50ms]:0 [50~100ms]:0 [100~200ms]:0 [200~500ms]:0 "
            "[500ms~1s]:0 [1~2s]:1 [2~3s]:0 [3~4s]:0 [4~5s]:0 [5~10s]:0 [10s~]:0 ");
  EXPECT_EQ(times.over_1s(), 1);
  EXPECT_EQ(times.total(), 4);
}

// 100 puts of 1 to 100 ms each. 99 of them lie at or below 99 ms, in the bucket from 95 to 100,
// which has five: 95 + 5 * 4 / 5.
TEST(StorePutTimes, APercentileIsLinearWithinItsBucket) {
  FinePutTimes times;
  for (std::int64_t ms = 1; ms <= 100; ++ms) times.add(ms);
  EXPECT_EQ(times.percentile(99, 100), 9900);
  EXPECT_EQ(times.percentile(50, 100), 5000);
}

TEST(StorePutTimes, WithoutPutsAPercentileIs0) { EXPECT_EQ(FinePutTimes().percentile(99, 100), 0); }

TEST_F(StoreStatsCounting, TotalsCountWhatWasAppended) {
  EXPECT_EQ(info("putMessageTimesTotal", Duration()), "1");  // RocketMQ's, for 0.
  stats.appended(at(Duration::ms(1)), 3, 600);
  put(Duration::ms(2), Duration::ms(7));
  stats.put_failed();
  EXPECT_EQ(info("putMessageTimesTotal", Duration::ms(3)), "4");
  EXPECT_EQ(info("putMessageSizeTotal", Duration::ms(3)), "700");
  EXPECT_EQ(info("putMessageAverageSize", Duration::ms(3)), "175.0");
  EXPECT_EQ(info("putMessageFailedTimes", Duration::ms(3)), "1");
  EXPECT_EQ(info("bootTimestamp", Duration::ms(3)), "1700000000000");
  EXPECT_EQ(info("dispatchMaxBuffer", Duration::ms(3)), "0");
}

TEST_F(StoreStatsCounting, MaximaAreNeverReset) {
  put(Duration::ms(40), Duration::ms(33));
  stats.got(at(Duration()), at(Duration::ms(12)), 0);
  put(Duration::s(3'600), Duration::ms(5));
  EXPECT_EQ(info("putMessageEntireTimeMax", Duration::s(3'601)), "33");
  EXPECT_EQ(info("getMessageEntireTimeMax", Duration::s(3'601)), "12");
}

TEST_F(StoreStatsCounting, TheDistributionIsThatOfTheLastMinuteThatIsOver) {
  put(Duration::s(59), Duration::ms(1500));
  EXPECT_EQ(info("putMessageDistributeTime", Duration::s(59)), "null");
  put(Duration::s(60), Duration::ms(3));  // Of the next minute.
  EXPECT_NE(info("putMessageDistributeTime", Duration::s(60)).find("[0~10ms]:0 "),
            std::string::npos);
  EXPECT_NE(info("putMessageDistributeTime", Duration::s(119)).find("[1~2s]:1 "),
            std::string::npos);
  EXPECT_NE(info("putMessageDistributeTime", Duration::s(120)).find("[0~10ms]:1 "),
            std::string::npos);
  EXPECT_NE(info("putMessageDistributeTime", Duration::s(180)).find("[0~10ms]:0 "),
            std::string::npos);
  EXPECT_EQ(stats.all_put_times().total(), 2);
}

TEST_F(StoreStatsCounting, RatesNeedThatManySamples) {
  for (int second = 0; second < 10; ++second) {
    put(Duration::s(second) + Duration::ms(500), Duration());
    put(Duration::s(second) + Duration::ms(600), Duration());
  }
  EXPECT_EQ(info("putTps", Duration::s(10)), "  ");  // Ten samples, of which the first has two.
  EXPECT_EQ(info("putTps", Duration::s(11)), "1.8  ");
  EXPECT_EQ(info("getFoundTps", Duration::s(11)), "0.0  ");
  EXPECT_EQ(info("getTotalTps", Duration::s(10)), "0.0 0.0 0.0");
}

TEST_F(StoreStatsCounting, GetsAreFoundOrMissedAndTheirMessagesTransferred) {
  stats.got(at(Duration::s(2)), at(Duration::s(2)), 32);
  stats.got(at(Duration::s(2)), at(Duration::s(2)), 0);
  stats.got(at(Duration::s(2)), at(Duration::s(2)), 8);
  EXPECT_EQ(stats.totals().get_found_times, 2);
  EXPECT_EQ(stats.totals().get_miss_times, 1);
  EXPECT_EQ(info("getTransferredTps", Duration::s(11)), "4.0  ");
  EXPECT_EQ(info("getFoundTps", Duration::s(11)), "0.2  ");
  EXPECT_EQ(info("getTotalTps", Duration::s(11)), "0.3 0.0 0.0");
}

TEST_F(StoreStatsCounting, TheTimeThatItRunsIsToldInDaysHoursMinutesAndSeconds) {
  EXPECT_EQ(info("runtime", Duration::s(2 * 86'400 + 3 * 3'600 + 4 * 60 + 5)),
            "[ 2 days, 3 hours, 4 minutes, 5 seconds ]");
}

TEST(StoreStatsText, NumbersAreWrittenAsJavaWritesThem) {
  EXPECT_EQ(java_quotient(0, 600), "0.0");
  EXPECT_EQ(java_quotient(10, 10), "1.0");
  EXPECT_EQ(java_quotient(1, 10), "0.1");
  EXPECT_EQ(java_quotient(1, 600), "0.0016666666666666668");
  EXPECT_EQ(java_quotient(493, 4), "123.25");
  EXPECT_EQ(java_quotient(9'999'999, 1), "9999999.0");
  EXPECT_EQ(java_quotient(10'000'000, 1), "1.0E7");
  EXPECT_EQ(java_quotient(12'345'678, 1), "1.2345678E7");
  EXPECT_EQ(java_quotient(1, 2'000), "5.0E-4");
}

// A store that serves counts what its callers do with it.
TEST(StoreStatsOfStore, APutCountsOnceItIsAnsweredAndAsLongAsItTook) {
  StoreWorld world;  // SYNC_FLUSH.
  StoreProcess process(world);
  ASSERT_TRUE(process.started());
  const PendingPut put = process.put(message("body"));
  world.run_for(Duration::s(1));
  ASSERT_TRUE(put->done());
  const StoreStats& stats = process.store().stats();
  EXPECT_EQ(stats.totals().put_times, 1);
  EXPECT_EQ(stats.put_size_total(), record_of(4));
  EXPECT_EQ(stats.all_put_times().total(), 1);
  EXPECT_EQ(stats.put_time_max_ms(), put->at.count_ms());
  EXPECT_EQ(stats.put_failed_times(), 0);
}

// RocketMQ's hooks refuse before its statistics begin; its log finds the length out later.
TEST(StoreStatsOfStore, WhatIsRefusedAtTheDoorIsNoFailedPutAndWhatIsTooLongIsOne) {
  StoreWorld world;
  StoreProcess process(world);
  ASSERT_TRUE(process.started());
  process.put(message(""));
  world.run_for(Duration::s(1));
  EXPECT_EQ(process.store().stats().put_failed_times(), 0);
  EXPECT_EQ(process.store().stats().all_put_times().total(), 0);
  process.put(message_of(static_cast<std::size_t>(kFileBytes)));
  world.run_for(Duration::s(1));
  EXPECT_EQ(process.store().stats().put_failed_times(), 1);
  EXPECT_EQ(process.store().stats().all_put_times().total(), 1);
  EXPECT_EQ(process.store().stats().totals().put_times, 0);
}

}  // namespace
}  // namespace drydock::test
