// Safepoints of a Java virtual machine: when they come, whom they wait for, and who waits
// meanwhile. Sources: sim/host/jvm.hpp.
#include <gtest/gtest.h>

#include "tests/support/disk_world.hpp"
#include "tests/support/file_world.hpp"

namespace drydock::test {
namespace {

using sim::DiskHang;
using sim::JvmOptions;

constexpr std::int64_t kMiB = 1 << 20;
constexpr std::int64_t kGiB = 1 << 30;
constexpr Duration kBeat = Duration::ms(100);

// A process of Java, with a thread of its own that beats.
struct JavaWorld : FileWorld {
  explicit JavaWorld(JvmOptions options = {}, FileWorldOptions files_options = {})
      : FileWorld(std::move(files_options)), java(files, host, "java", std::move(options)) {
    beats = java.start(beat(java.process().context()));
  }

  Task<Result<void>> beat(Context& context) {
    Worker& worker = context.workers.add("heart");
    heart = &worker;
    MonotonicTime last = context.clock.now();
    for (;;) {
      Result<void> slept = co_await sleep_for(context.clock, kBeat);
      if (!slept) co_return slept;
      const MonotonicTime now = context.clock.now();
      longest_gap = std::max(longest_gap, now - last);
      last = now;
      ++count;
    }
  }
  sim::Jvm& jvm() { return *java.process().jvm(); }
  WaitTotals stood() const { return heart->waits_at(WaitPlace::safepoint); }
  WaitTotals waited(WaitPlace place) { return java.worker().waits_at(place); }

  FileActor java;
  Asked<void> beats;
  Worker* heart = nullptr;
  Duration longest_gap;
  int count = 0;
};

JvmOptions without_collections() {
  JvmOptions options;
  options.allocated_per_second = 0;
  return options;
}

TEST(Jvm, AsksForASafepointSoLongAfterTheLastOne) {
  JavaWorld world(without_collections());
  world.run_for(Duration::ms(999));
  EXPECT_EQ(world.jvm().counters().safepoints, 0);
  world.run_for(Duration::s(10));
  EXPECT_EQ(world.jvm().counters().safepoints, 10);
  EXPECT_EQ(world.jvm().counters().collections, 0);
  EXPECT_EQ(world.stood().count, 10);
  EXPECT_EQ(world.stood().longest, Duration::us(400));
}

TEST(Jvm, OfALaterVersionAsksForNoneWithoutAReason) {
  JvmOptions options = without_collections();
  options.guaranteed_interval = Duration();
  JavaWorld world(options);
  world.run_for(Duration::s(100));
  EXPECT_EQ(world.jvm().counters().safepoints, 0);
  EXPECT_EQ(world.longest_gap, kBeat);
}

TEST(Jvm, CollectsWheneverTheYoungGenerationIsFull) {
  JvmOptions options;
  options.guaranteed_interval = Duration();
  options.young_bytes = kGiB;
  options.allocated_per_second = 512 * kMiB;
  JavaWorld world(options);
  world.run_for(Duration::s(2) - Duration::ns(1));
  EXPECT_EQ(world.jvm().counters().collections, 0);
  // Nothing is allocated in the pause: the second one comes two seconds after the end of the first.
  world.run_for(Duration::s(2) + Duration::ms(20));
  EXPECT_EQ(world.jvm().counters().collections, 1);
  world.run_for(Duration::ms(21));
  EXPECT_EQ(world.jvm().counters().collections, 2);
  EXPECT_EQ(world.stood().longest, Duration::ms(20));
}

TEST(Jvm, CollectsAsOftenWithOtherSafepointsInBetween) {
  JvmOptions options;
  options.young_bytes = kGiB;
  options.allocated_per_second = 100 * kMiB;
  options.cleanup_pause = Duration();
  options.young_pause = Duration();
  JavaWorld world(options);
  world.run_for(Duration::ms(10'239));
  EXPECT_EQ(world.jvm().counters().collections, 0);
  world.run_for(Duration::ms(2));
  EXPECT_EQ(world.jvm().counters().collections, 1);
  EXPECT_EQ(world.jvm().counters().safepoints, 11);
}

// A store that waits for the commit of a journal whose writes hang.
struct HangingWorld : JavaWorld {
  explicit HangingWorld(JvmOptions options) : JavaWorld(std::move(options)) {
    map = &java.map("/log", kMiB);
    ENSURE(java.sync("/log").has_value());
    ENSURE(store(0)->done());
    disk.hang(DiskHang::all);
    run_for(Duration::s(6));  // By now the journal commits what the first store changed.
  }
  Asked<void> store(std::int64_t offset) {
    Asked<void> stored = java.start(map->store(java.worker(), offset, SharedBytes::copy_of("x")));
    run_for(Duration());
    return stored;
  }
  MappedFile* map = nullptr;
};

TEST(Safepoint, WaitsForAThreadThatIsStuckInAMappedStoreAndAllOthersStandStill) {
  HangingWorld world(without_collections());
  const int before = world.count;
  const Asked<void> stored = world.store(8'192);
  ASSERT_FALSE(stored->done());
  world.run_for(Duration::s(30));
  EXPECT_LE(world.count, before + 10);  // Until the next safepoint was due.
  EXPECT_TRUE(world.java.process().stopped_by(StopCause::safepoint));
  world.disk.release(DiskHang::all);
  world.run_for(Duration::s(1));
  EXPECT_TRUE(stored->done());
  EXPECT_GE(world.longest_gap, Duration::s(29));
  EXPECT_GE(world.stood().longest, Duration::s(29));
  EXPECT_GE(world.jvm().counters().stopping_longest, Duration::s(29));
  EXPECT_GE(world.waited(WaitPlace::journal).longest, Duration::s(29));
  EXPECT_GE(world.count, before + 5);
}

TEST(Safepoint, DoesNotWaitForItWhereTheAccessIsLikeANativeCall) {
  JvmOptions options = without_collections();
  options.waits_for_mapped = false;
  HangingWorld world(options);
  const int before = world.count;
  const Asked<void> stored = world.store(8'192);
  world.run_for(Duration::s(30));
  EXPECT_FALSE(stored->done());
  EXPECT_GE(world.count, before + 295);
  EXPECT_LE(world.longest_gap, kBeat + Duration::us(400));
}

TEST(Safepoint, DoesNotWaitForASystemCall) {
  HangingWorld world(without_collections());
  const int before = world.count;
  const Asked<void> synced =
      world.java.start(world.java.file("/log").sync_data(world.java.worker()));
  const Asked<void> written = world.java.start(
      world.java.file("/log").write_at(world.java.worker(), 65'536, SharedBytes::copy_of("x")));
  world.run_for(Duration::s(30));
  EXPECT_FALSE(synced->done());
  EXPECT_FALSE(written->done());
  EXPECT_GE(world.count, before + 295);
}

TEST(Safepoint, AThreadThatReturnsFromTheKernelMeanwhileStandsStillToo) {
  JvmOptions options = without_collections();
  options.cleanup_pause = Duration::s(5);
  HangingWorld world(options);
  // The safepoint of second 6 or so goes on; the next one begins a second after it has ended.
  while (world.java.process().running()) world.run_for(Duration::ms(1));
  while (!world.java.process().running()) world.run_for(Duration::ms(1));
  const Asked<void> synced =
      world.java.start(world.java.file("/log").sync_data(world.java.worker()));
  world.run_for(Duration::ms(1'500));
  ASSERT_FALSE(world.java.process().running());
  world.disk.release(DiskHang::all);
  world.run_for(Duration::s(1));
  EXPECT_FALSE(synced->done());  // The kernel has done its part; the thread may not go on.
  EXPECT_EQ(world.java.worker().wait_place(), WaitPlace::safepoint);
  world.run_for(Duration::s(4));
  EXPECT_TRUE(synced->done());
}

// Its own file of performance data is stored into at each safepoint, by the machine's own thread.
// The first such store behind a writeback, which begins after 30 s (vm.dirty_expire_centisecs), is
// a page fault, and waits as one.
TEST(Safepoint, StallsInItsFileOfPerformanceDataOnADiskThatHangs) {
  JvmOptions options = without_collections();
  options.perf_data = "/hsperfdata";
  JavaWorld world(options);  // No other file is dirty: the flusher could be stuck in that.
  world.run_for(Duration::s(2));
  world.disk.hang(DiskHang::all);
  world.run_for(Duration::s(64));
  EXPECT_FALSE(world.java.process().running());
  world.disk.release(DiskHang::all);
  world.run_for(Duration::s(2));
  EXPECT_GE(world.longest_gap, Duration::s(20));
}

TEST(Safepoint, StallsInItsLogOnADiskThatHangs) {
  JvmOptions options;
  options.guaranteed_interval = Duration();
  options.young_bytes = 64 * kMiB;
  options.gc_log = "/gc.log";
  HangingWorld world(options);
  world.run_for(Duration::s(30));
  EXPECT_FALSE(world.java.process().running());
  world.disk.release(DiskHang::all);
  world.run_for(Duration::s(2));
  EXPECT_GE(world.longest_gap, Duration::s(20));
}

TEST(Safepoint, LeavesAProcessStoppedThatASignalHasStopped) {
  HangingWorld world(without_collections());
  const Asked<void> stored = world.store(8'192);
  world.run_for(Duration::s(2));
  world.java.process().stop(StopCause::signal);
  world.disk.release(DiskHang::all);
  world.run_for(Duration::s(5));
  const int before = world.count;
  EXPECT_FALSE(stored->done());
  world.java.process().proceed(StopCause::signal);
  world.run_for(Duration::s(5));
  EXPECT_TRUE(stored->done());
  EXPECT_GE(world.count, before + 40);
}

TEST(Safepoint, AKilledProcessStaysUntilItsStuckThreadHasReturned) {
  HangingWorld world(without_collections());
  world.store(8'192);
  world.run_for(Duration::s(2));
  world.java.process().kill();
  world.run_for(Duration::s(5));
  EXPECT_EQ(world.java.process().phase(), ProcessState::Phase::dying);
  world.disk.release(DiskHang::all);
  world.run_for(Duration::s(1));
  EXPECT_EQ(world.java.process().phase(), ProcessState::Phase::dead);
}

TEST(Safepoint, GoesWithItsHost) {
  HangingWorld world(without_collections());
  world.store(8'192);
  world.run_for(Duration::s(2));
  world.host.lose_power();
  world.run_for(Duration::s(1));
  EXPECT_FALSE(world.java.process().alive());
}

FileWorldOptions of_memory(std::int64_t bytes, std::int64_t swap = 0) {
  FileWorldOptions options;
  options.memory = {.bytes = bytes, .swap_bytes = swap};
  return options;
}

TEST(JvmHeap, IsTouchedAtTheStartOrWhenItIsFirstAllocatedFrom) {
  JvmOptions options;
  options.heap_bytes = 4 * kGiB;
  options.young_bytes = kGiB;
  options.allocated_per_second = 64 * kMiB;
  for (const bool pre_touch : {true, false}) {
    options.pre_touch = pre_touch;
    JavaWorld world(options, of_memory(16 * kGiB));
    const auto touched = [&world] {
      return world.host.memory()->of(world.java.process().id()) * 4096;
    };
    world.run_for(Duration());
    EXPECT_EQ(touched(), pre_touch ? 4 * kGiB : 16 * kMiB);
    world.run_for(Duration::s(8) + Duration::ms(100));
    EXPECT_EQ(touched(), pre_touch ? 4 * kGiB : 528 * kMiB);
    // The young generation is used again after a collection.
    world.run_for(Duration::s(60));
    EXPECT_EQ(touched(), pre_touch ? 4 * kGiB : kGiB);
    EXPECT_GT(world.jvm().counters().collections, 0);
  }
}

TEST(JvmHeap, ThatGrowsBeyondTheHostsMemoryEndsTheProcess) {
  JvmOptions options;
  options.pre_touch = false;
  options.allocated_per_second = 256 * kMiB;
  JavaWorld world(options, of_memory(kGiB));
  world.run_for(Duration::s(2));
  EXPECT_TRUE(world.java.process().running());
  world.run_for(Duration::s(6));
  EXPECT_EQ(world.java.process().end(), sim::ProcessEnd::killed);
  EXPECT_EQ(world.host.memory()->counters().global_kills, 1);
}

TEST(JvmDirectMemory, EndsAtItsLimit) {
  JvmOptions options = without_collections();
  options.heap_bytes = kGiB;
  options.young_bytes = kGiB / 2;
  options.direct_bytes = 3 * kGiB;
  JavaWorld world(options, of_memory(16 * kGiB));
  world.run_for(Duration());
  EXPECT_TRUE(world.jvm().take_direct(2 * kGiB));
  EXPECT_FALSE(world.jvm().take_direct(kGiB + 1));
  EXPECT_EQ(world.host.memory()->of(world.java.process().id()) * 4096, 3 * kGiB);
  world.jvm().give_direct(kGiB);
  EXPECT_TRUE(world.jvm().take_direct(2 * kGiB));
  EXPECT_EQ(world.jvm().direct_bytes(), 3 * kGiB);
  EXPECT_EQ(world.host.memory()->of(world.java.process().id()) * 4096, 4 * kGiB);
}

// transientStorePoolEnable: five buffers of a CommitLog file, locked.
TEST(JvmTransientPool, IsLockedDirectMemory) {
  JvmOptions options = without_collections();
  options.heap_bytes = kGiB;
  options.young_bytes = kGiB / 2;
  options.transient_pool_bytes = 5 * kGiB;
  JavaWorld world(options, of_memory(8 * kGiB, 8 * kGiB));
  world.run_for(Duration());
  EXPECT_EQ(world.jvm().direct_bytes(), 5 * kGiB);
  EXPECT_EQ(world.host.memory()->of(world.java.process().id()) * 4096, 6 * kGiB);
  // The heap is swapped, the pool is not.
  FileActor other(world.files, world.host, "other");
  other.process().charge_memory(5 * kGiB / 2);
  world.run_for(Duration::s(1));
  EXPECT_TRUE(world.java.process().alive());
  EXPECT_GT(world.host.memory()->swapped(), 0);
  EXPECT_GE(world.host.memory()->anonymous() * 4096, 5 * kGiB);
}

TEST(JvmTransientPool, ThatDoesNotFitEndsTheProgram) {
  JvmOptions options = without_collections();
  options.transient_pool_bytes = 5 * kGiB;
  options.direct_bytes = 4 * kGiB;
  FileWorld world;
  std::string said;
  world.host.set_log_sink([&said](const std::string& process, LogLevel, const std::string& line) {
    said = process + ": " + line;
  });
  FileActor java(world.files, world.host, "java", options);
  world.run_for(Duration::ms(1));
  EXPECT_EQ(java.process().end(), sim::ProcessEnd::killed);
  EXPECT_EQ(said, "java: OutOfMemoryError: Direct buffer memory");
}

}  // namespace
}  // namespace drydock::test
