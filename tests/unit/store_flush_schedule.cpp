// The schedule of the asynchronous flush decides, for the rounds that an idle service left out,
// what RocketMQ's ticking loop would have decided.
#include "engine/store/flush_schedule.hpp"

#include <gtest/gtest.h>

#include "engine/types/random_stream.hpp"

namespace drydock::test {
namespace {

// The loop as RocketMQ runs it, one round after the other.
class Ticking {
 public:
  Ticking(std::int64_t thorough_ms, std::int32_t least_pages)
      : thorough_ms_(thorough_ms), least_pages_(least_pages) {}
  std::int32_t round(std::int64_t now_ms) {
    if (now_ms < last_ms_ + thorough_ms_) return least_pages_;
    last_ms_ = now_ms;
    return 0;
  }

 private:
  std::int64_t thorough_ms_;
  std::int32_t least_pages_;
  std::int64_t last_ms_ = 0;
};

TEST(StoreFlushSchedule, TheFirstRoundAndThenOneIn10SecondsIsThorough) {
  FlushSchedule schedule(500, 10'000, 4);
  constexpr std::int64_t kStart = 1'700'000'000'000;
  for (int round = 0; round < 60; ++round) {
    EXPECT_EQ(schedule.least_pages_of(kStart + round * 500, 1), round % 20 == 0 ? 0 : 4) << round;
  }
}

TEST(StoreFlushSchedule, SkippedRoundsCountAsIfTheyHadBeenMade) {
  RandomStream random(7, "schedule");
  for (int run = 0; run < 200; ++run) {
    const std::int64_t interval = random.between(1, 700);
    const std::int64_t thorough = random.between(1, 12'000);
    FlushSchedule schedule(interval, thorough, 4);
    Ticking ticking(thorough, 4);
    std::int64_t now_ms = random.between(0, 20'000);
    for (int step = 0; step < 50; ++step) {
      const std::int64_t rounds = random.between(1, 60);
      std::int32_t expected = -1;
      for (std::int64_t i = 0; i < rounds; ++i) expected = ticking.round(now_ms + i * interval);
      ASSERT_EQ(schedule.least_pages_of(now_ms, rounds), expected);
      now_ms += rounds * interval + random.between(0, 30);  // The flush itself takes time.
    }
  }
}

TEST(StoreFlushSchedule, AWallClockThatIsSetBackDelaysTheThoroughRound) {
  FlushSchedule schedule(500, 10'000, 4);
  EXPECT_EQ(schedule.least_pages_of(100'000, 1), 0);
  EXPECT_EQ(schedule.least_pages_of(40'000, 1), 4);  // An hour back would be no different.
  EXPECT_EQ(schedule.least_pages_of(109'999, 1), 4);
  EXPECT_EQ(schedule.least_pages_of(110'000, 1), 0);
}

}  // namespace
}  // namespace drydock::test
