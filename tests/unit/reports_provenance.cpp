// Each way in which a copy of a lost message can end is told apart, with its times and the fault
// that ended it. One message, key 1, sent at 100, at offset 1000 to 1100.
#include "reports/loss/provenance.hpp"

#include <gtest/gtest.h>

namespace drydock::reports {
namespace {

using Kind = StoreEvent::Kind;

constexpr StoreEvent appended(std::int64_t time_ns, std::int64_t from, std::int64_t to) {
  return {Kind::appended, time_ns, from, to};
}
constexpr StoreEvent flushed(std::int64_t time_ns, std::int64_t to) {
  return {Kind::flushed, time_ns, 0, to};
}
constexpr StoreEvent recovered(std::int64_t time_ns, std::int64_t to) {
  return {Kind::recovered, time_ns, 0, to};
}

constexpr StoreEvent committed(std::int64_t time_ns, std::int64_t to) {
  return {Kind::committed, time_ns, 0, to};
}

LostMessage trace(const std::vector<StoreTrace>& traces, const std::vector<FaultFact>& faults) {
  History history;
  history.sends.resize(1);
  history.sends[0].key = 1;
  history.sends[0].invoked_ns = 100;
  LossReport loss;
  loss.lost.push_back({1, 1'000, 120, true, {}});
  trace_copies(history, traces, faults, 200, loss);
  return loss.lost[0];
}

const FaultFact kPowerLoss{"host.power-loss", "h", 200, 300};
const FaultFact kDestroyed{"host.destroy", "h", 200, -1};

TEST(Provenance, APageCacheGoesWithThePower) {
  const LostMessage message =
      trace({{"a", "h", {appended(110, 1'000, 1'100), flushed(150, 900), recovered(400, 1'000)}}},
            {kPowerLoss});
  EXPECT_EQ(message.histories,
            (std::vector<CopyHistory>{{CopyEnd::page_cache_lost, 110, -1, 200, 0}}));
  EXPECT_EQ(message.last_copy_fault, 0);
}

// The transient pool is memory of the process, which a kill and a power loss take alike.
TEST(Provenance, AMessageInTheTransientPoolGoesWithTheProcess) {
  const FaultFact kill{"process.kill", "a", 200, 300};
  for (const FaultFact& fault : {kill, kPowerLoss}) {
    const StoreTrace log{"a",
                         "h",
                         {committed(50, 900), appended(110, 1'000, 1'100), committed(150, 1'000),
                          recovered(400, 1'000)}};
    EXPECT_EQ(trace({log}, {fault}).histories,
              (std::vector<CopyHistory>{{CopyEnd::pool_lost, 110, -1, 200, 0}}));
    EXPECT_EQ(trace({log}, {fault}).copies, std::vector<CopyFate>());
  }
  const StoreTrace in_cache{"a",
                            "h",
                            {committed(50, 900), appended(110, 1'000, 1'100), committed(150, 1'100),
                             recovered(400, 1'000)}};
  EXPECT_EQ(trace({in_cache}, {kPowerLoss}).histories[0].end, CopyEnd::page_cache_lost);
  EXPECT_EQ(trace({in_cache}, {kill}).histories[0].end, CopyEnd::cut_by_recovery);
  // The life before had a pool.
  const StoreTrace without{
      "a",
      "h",
      {committed(50, 900), recovered(60, 900), appended(110, 1'000, 1'100), recovered(400, 1'000)}};
  EXPECT_EQ(trace({without}, {kPowerLoss}).histories[0].end, CopyEnd::page_cache_lost);
}

// A kill during the boot takes nothing that the power loss before had left.
TEST(Provenance, TheFaultThatTookItIsNotTheLastOneBeforeRecovery) {
  const FaultFact kill{"process.kill", "a", 300, 350};
  const LostMessage message =
      trace({{"a", "h", {appended(110, 1'000, 1'100), recovered(400, 1'000)}}}, {kill, kPowerLoss});
  EXPECT_EQ(message.histories,
            (std::vector<CopyHistory>{{CopyEnd::page_cache_lost, 110, -1, 200, 1}}));
  EXPECT_EQ(message.last_copy_fault, 1);
}

// What a flush had covered outlives the power loss, and goes with the disk.
TEST(Provenance, ADestroyedHostTakesWhatAPowerLossHadLeft) {
  const FaultFact destroyed{"host.destroy", "h", 400, -1};
  const LostMessage message = trace(
      {{"a", "h", {appended(110, 1'000, 1'100), flushed(150, 1'100)}}}, {kPowerLoss, destroyed});
  EXPECT_EQ(message.histories, (std::vector<CopyHistory>{{CopyEnd::destroyed, 110, 150, 400, 1}}));
}

TEST(Provenance, ADiskGoesWithItsHostFlushedOrNot) {
  const LostMessage message =
      trace({{"a", "h", {appended(110, 1'000, 1'100), flushed(150, 1'100)}}, {"s", "h2", {}}},
            {kDestroyed});
  EXPECT_EQ(message.histories,
            (std::vector<CopyHistory>{{CopyEnd::destroyed, 110, 150, 200, 0}, {}}));
  EXPECT_EQ(message.last_copy_fault, 0);
}

TEST(Provenance, RecoveryThatCutsWhatWasFlushedIsNamed) {
  const LostMessage message =
      trace({{"a", "h", {appended(110, 1'000, 1'100), flushed(150, 1'100), recovered(400, 1'000)}}},
            {kPowerLoss});
  EXPECT_EQ(message.histories,
            (std::vector<CopyHistory>{{CopyEnd::cut_by_recovery, 110, 150, 400, 0}}));
}

// Flushes in [140, 160) were confirmed and not done: reference on Linux, section 4.5, rule R7.
TEST(Provenance, AFlushThatWasALieSavesNothing) {
  const FaultFact lie{"disk.flush-lie", "h", 140, 160};
  const auto with = [](std::vector<StoreEvent> flushes, const FaultFact& lying, const char* kind) {
    flushes.insert(flushes.begin(), appended(110, 1'000, 1'100));
    flushes.push_back(recovered(400, 1'000));
    return trace({{"a", "h", flushes}}, {lying, {kind, "h", 200, 300}}).histories.at(0);
  };
  EXPECT_EQ(with({flushed(150, 1'100)}, lie, "host.power-loss"),
            (CopyHistory{CopyEnd::disk_cache_lost, 110, 150, 200, 1}));
  EXPECT_EQ(with({flushed(150, 1'100)}, {"disk.flush-lie", "h", 140, -1}, "host.power-loss").end,
            CopyEnd::disk_cache_lost);
  // Another disk lied; the flush was before the lie, behind it, or one behind it was done; the disk
  // kept its power.
  const CopyEnd cut = CopyEnd::cut_by_recovery;
  EXPECT_EQ(with({flushed(150, 1'100)}, {"disk.flush-lie", "g", 140, 160}, "host.power-loss").end,
            cut);
  EXPECT_EQ(with({flushed(130, 1'100), flushed(150, 1'100)}, lie, "host.power-loss").end, cut);
  EXPECT_EQ(with({flushed(160, 1'100)}, lie, "host.power-loss").end, cut);
  EXPECT_EQ(with({flushed(150, 1'100), flushed(170, 1'100)}, lie, "host.power-loss").end, cut);
  EXPECT_EQ(with({flushed(150, 1'100)}, lie, "host.panic").end, cut);
}

TEST(Provenance, AFileSystemThatCannotBeMountedTakesWhatWasFlushed) {
  StoreTrace log{"a", "h", {appended(110, 1'000, 1'100), flushed(150, 1'100)}, true};
  EXPECT_EQ(trace({log}, {kPowerLoss}).histories.at(0),
            (CopyHistory{CopyEnd::file_system_lost, 110, 150, 200, 0}));
}

TEST(Provenance, ARecoveryThatFindsItLeavesIt) {
  const LostMessage message =
      trace({{"a", "h", {appended(110, 1'000, 1'100), recovered(400, 1'100)}}}, {kPowerLoss});
  EXPECT_EQ(message.histories, (std::vector<CopyHistory>{{CopyEnd::kept, 110, -1, -1, -1}}));
  EXPECT_EQ(message.last_copy_fault, -1);
}

TEST(Provenance, TheLastCopyIsTheOneThatWentLast) {
  const FaultFact later{"host.power-loss", "h2", 250, 350};
  const LostMessage message =
      trace({{"a", "h", {appended(110, 1'000, 1'100), recovered(600, 1'000)}},
             {"s", "h2", {appended(115, 900, 1'200), recovered(500, 900)}}},
            {kPowerLoss, later});
  ASSERT_EQ(message.histories.size(), 2u);
  EXPECT_EQ(message.histories[1], (CopyHistory{CopyEnd::page_cache_lost, 115, -1, 250, 1}));
  EXPECT_EQ(message.last_copy_fault, 1);
}

// Offsets are given out again: by the old master behind the cut, by a promoted slave behind its
// end.
TEST(Provenance, AnotherMessageAtTheSameOffsetIsNoCopy) {
  const LostMessage message = trace(
      {{"a", "h", {appended(50, 1'000, 1'100), recovered(60, 1'000), appended(110, 1'000, 1'100)}},
       {"s", "h2", {recovered(400, 1'000), appended(500, 1'000, 1'100)}}},
      {kDestroyed});
  ASSERT_EQ(message.histories.size(), 2u);
  EXPECT_EQ(message.histories[0].appended_ns, 110);
  EXPECT_EQ(message.histories[1].end, CopyEnd::not_received);
}

TEST(Provenance, WhatWasUnderWayWhenItsSourceWentDownHasArrived) {
  const LostMessage message =
      trace({{"a", "h", {appended(110, 1'000, 1'100)}}, {"s", "h2", {appended(201, 1'000, 1'100)}}},
            {kDestroyed});
  EXPECT_EQ(message.histories.at(1), (CopyHistory{CopyEnd::kept, 201, -1, -1, -1}));
}

TEST(Provenance, IsToldInWords) {
  RunResult run;
  run.faults = {{"host.power-loss", "h", 200, 300}};
  run.replicas = {{"a", "master", {}, false}, {"s", "slave", {}, false}};
  LostMessage message;
  EXPECT_EQ(describe_copies(run, message), "");
  message.histories = {{CopyEnd::page_cache_lost, 110, -1, 200, 0}, {}};
  EXPECT_EQ(describe_copies(run, message),
            "a had it from 90 ns before the fault, in no flush, until the fault: its page cache "
            "was lost (host.power-loss on h); s never received it");
  message.histories = {{CopyEnd::disk_cache_lost, 110, 150, 200, 0}, {}};
  EXPECT_EQ(describe_copies(run, message),
            "a had it from 90 ns before the fault, flushed as the disk said 50 ns before the "
            "fault, until the fault: it was in the cache of its disk, whose flush was confirmed "
            "and not done (host.power-loss on h, after a disk.flush-lie); s never received it");
}

// The copies of the message as traced, and what its offsets alone had said.
LossReport followed(const std::vector<StoreTrace>& traces, std::vector<CopyFate> by_offset,
                    bool behind) {
  History history;
  history.sends.resize(1);
  history.sends[0].key = 1;
  history.sends[0].invoked_ns = 100;
  LossReport loss;
  loss.at_risk = 5;
  loss.lost.push_back({1, 1'000, 120, behind, std::move(by_offset)});
  trace_copies(history, traces, {kPowerLoss}, 200, loss);
  return loss;
}

TEST(Provenance, WhatOffsetsSaidOfACopyFollowsItsHistory) {
  constexpr CopyFate on_disk_then = CopyFate::flushed;
  constexpr CopyFate behind_last_flush = CopyFate::behind_last_flush;
  constexpr CopyFate not_received = CopyFate::not_received;
  const StoreTrace origin{"a", "h", {appended(110, 1'000, 1'100), recovered(400, 1'000)}};
  const StoreTrace flushes{"a", "h", {appended(110, 1'000, 1'100), flushed(150, 1'100)}};
  const StoreTrace flushes_late{"a", "h", {appended(110, 1'000, 1'100), flushed(250, 1'100)}};
  const StoreTrace nothing{"s", "h2", {}};
  const LossReport in_memory =
      followed({origin, nothing}, {on_disk_then, behind_last_flush}, false);
  EXPECT_EQ(in_memory.lost[0].copies, (std::vector<CopyFate>{behind_last_flush, not_received}));
  EXPECT_TRUE(in_memory.lost[0].behind_last_flush);
  EXPECT_EQ(in_memory.at_risk, 6);
  const LossReport on_disk = followed({flushes, nothing}, {behind_last_flush, on_disk_then}, true);
  EXPECT_EQ(on_disk.lost[0].copies, (std::vector<CopyFate>{on_disk_then, not_received}));
  EXPECT_FALSE(on_disk.lost[0].behind_last_flush);
  EXPECT_EQ(on_disk.at_risk, 4);
  EXPECT_EQ(followed({flushes_late}, {on_disk_then}, false).lost[0].copies,
            std::vector<CopyFate>{behind_last_flush});
}

TEST(Provenance, WhatCameAfterTheFaultWasNotThereAtTheFault) {
  using enum CopyFate;
  const StoreTrace late{"a", "h", {appended(210, 1'000, 1'100)}};
  const LossReport report = followed({late}, {behind_last_flush}, true);
  EXPECT_EQ(report.lost[0].copies, std::vector<CopyFate>{not_received});
  EXPECT_FALSE(report.lost[0].behind_last_flush);
  EXPECT_EQ(report.at_risk, 4);
  // Of one that was sent later nothing is said.
  EXPECT_TRUE(followed({late}, {}, false).lost[0].copies.empty());
}

TEST(Provenance, AFlushAfterTheFaultSavesNothing) {
  const LostMessage message =
      trace({{"a", "h", {appended(110, 1'000, 1'100), flushed(350, 1'100), recovered(400, 1'000)}}},
            {kPowerLoss});
  EXPECT_EQ(message.histories,
            (std::vector<CopyHistory>{{CopyEnd::page_cache_lost, 110, -1, 200, 0}}));
}

TEST(Provenance, AsLongAsACopyIsKeptNoFaultTookTheLastOne) {
  const LostMessage message =
      trace({{"a", "h", {appended(110, 1'000, 1'100), recovered(400, 1'000)}},
             {"s", "h2", {appended(115, 900, 1'200)}}},
            {kPowerLoss});
  ASSERT_EQ(message.histories.size(), 2u);
  EXPECT_EQ(message.histories[0].fault, 0);
  EXPECT_EQ(message.histories[1].end, CopyEnd::kept);
  EXPECT_EQ(message.last_copy_fault, -1);
}

// The fault is named before the recovery that cut the copy off.
TEST(Provenance, AFaultOfTheProcessAloneIsNamedToo) {
  const FaultFact kill{"process.kill", "a", 200, 300};
  const LostMessage message =
      trace({{"a", "h", {appended(110, 1'000, 1'100), recovered(400, 1'000)}}}, {kill});
  EXPECT_EQ(message.histories,
            (std::vector<CopyHistory>{{CopyEnd::cut_by_recovery, 110, -1, 400, 0}}));
  EXPECT_EQ(message.last_copy_fault, 0);
}

}  // namespace
}  // namespace drydock::reports
