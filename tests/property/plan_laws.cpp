// The law of promises: no plan of kills, panics, power losses, partitions and restarts, in any
// order, at any time, at any crash point, on master, slave and name server, loses a message that
// the settings of the cell promise to keep. What each promises: HA reference, 1.4 and 1.6; storage
// reference, 7.2.
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <array>
#include <span>
#include <string>
#include <vector>

#include "tests/drills/drill_file.hpp"

namespace drydock::test {
namespace {

using faults::FaultKind;
using scenarios::FaultSpec;

template <class T>
T evenly(T low, T high) {
  return *rc::gen::resize(rc::kNominalSize, rc::gen::inRange<T>(low, high));
}
template <class T, std::size_t n>
T one_of(const std::array<T, n>& values) {
  return values[evenly<std::size_t>(0, n)];
}

constexpr std::array kEvents = {
    EventName::store_appended,    EventName::store_flushed,          EventName::store_dispatched,
    EventName::send_acknowledged, EventName::ha_slave_acknowledged,  EventName::ha_slave_connected,
    EventName::serving_started,   EventName::store_recovery_started, EventName::broker_registered};
constexpr std::array<const char*, 3> kProcesses = {"broker-a", "broker-a-s", "name-server"};
constexpr std::array<const char*, 3> kHosts = {"master-host", "slave-host", "name-host"};

faults::Selector named(const char* name) { return {faults::Selector::By::name, name}; }

void draw_moment(FaultSpec& fault) {
  const int kind = evenly(0, 4);
  if (kind == 0) {
    fault.when = faults::AtEvent{one_of(kEvents), evenly<std::uint64_t>(1, 200)};
  } else if (kind == 1 && fault.kind == FaultKind::process_kill) {
    const auto point = static_cast<CrashPoint>(evenly(0, static_cast<int>(CrashPoint::count_)));
    fault.when = faults::AtCrashPoint{point, evenly<std::uint64_t>(1, 60)};
  } else {
    const Duration at = Duration::us(evenly<std::int64_t>(0, 3'000'000));
    fault.when = scenarios::BetweenTimes{at, at};
  }
}

// Between two hosts, or one and all others; both ways, or one.
FaultSpec draw_partition() {
  FaultSpec fault;
  fault.kind = FaultKind::net_partition;
  const std::size_t host = evenly<std::size_t>(0, kHosts.size());
  fault.on = named(kHosts[host]);
  if (evenly(0, 2) == 0) {
    fault.separation.from =
        named(kHosts[(host + evenly<std::size_t>(1, kHosts.size())) % kHosts.size()]);
  }
  fault.separation.direction = static_cast<faults::CutDirection>(evenly(0, 3));
  draw_moment(fault);
  fault.lasts = Duration::ms(evenly<std::int64_t>(0, 8'000));
  return fault;
}

FaultSpec draw_fault(bool power) {
  if (evenly(0, 4) == 0) return draw_partition();
  FaultSpec fault;
  const bool host = power && evenly(0, 2) == 0;
  fault.kind = FaultKind::process_kill;
  if (host) fault.kind = evenly(0, 3) == 0 ? FaultKind::host_panic : FaultKind::host_power_loss;
  fault.on = named(host ? one_of(kHosts) : one_of(kProcesses));
  draw_moment(fault);
  if (evenly(0, 5) > 0) fault.lasts = Duration::ms(evenly<std::int64_t>(0, 4'000));
  return fault;
}

std::vector<FaultSpec> draw_faults(bool power) {
  std::vector<FaultSpec> faults(evenly<std::size_t>(1, 6));
  for (FaultSpec& fault : faults) fault = draw_fault(power);
  return faults;
}

// The master's host is gone for good, after whatever else, and its slave takes over.
void destroy_master(std::vector<FaultSpec>& faults) {
  const Duration at = Duration::us(evenly<std::int64_t>(0, 3'000'000));
  faults.push_back({.kind = FaultKind::host_destroy,
                    .on = named("master-host"),
                    .when = scenarios::BetweenTimes{at, at},
                    .lasts = {}});
  faults.push_back({.kind = FaultKind::operator_promote,
                    .on = named("broker-a-s"),
                    .when = scenarios::BetweenTimes{Duration::s(10), Duration::s(10)},
                    .lasts = {}});
}

const scenarios::Experiment& experiment() {
  static const scenarios::Experiment loaded =
      drills::load("scenarios/ack-matrix.json", "", [](drills::Json& json) {
        json["expectations"] = drills::Json::array();
        // What has not fired by then is disarmed; both slaves and names come back.
        json["phases"]["hold"] = {{"at_most", "20 s"}, {"until", "writes-resume"}, {"then", "1 s"}};
      });
  return loaded;
}

// A cell of the ACK matrix with faults of its own, run under a seed of its own.
reports::RunResult run(const char* replication, const char* flush, std::vector<FaultSpec> faults) {
  for (scenarios::Cell cell : experiment().cells) {
    if (cell.id.at("replication") != replication || cell.id.at("flushDiskType") != flush) continue;
    cell.faults = std::move(faults);
    const auto seed = evenly<std::uint64_t>(1, 1'000'000'000);
    return scenarios::run_one(experiment(), cell, seed, scenarios::Verification::none);
  }
  throw std::runtime_error("no such cell");
}

void require_kept(const reports::RunResult& run) {
  RC_LOG() << "seed " << run.seed << ", plan " << run.plan << "\n" << run.note;
  RC_ASSERT(run.verdict != reports::Verdict::harness);
  RC_ASSERT(run.loss.lost.empty());
  RC_ASSERT(run.loss.corrupt == 0);
  RC_ASSERT(run.loss.phantoms == 0);
}

constexpr std::array<const char*, 3> kReplications = {"async", "sync-default", "sync-2"};
constexpr std::array<const char*, 2> kFlushes = {"ASYNC_FLUSH", "SYNC_FLUSH"};

RC_GTEST_PROP(PlanLaws, KillsLoseNothing, ()) {
  require_kept(run(one_of(kReplications), one_of(kFlushes), draw_faults(false)));
}

RC_GTEST_PROP(PlanLaws, PowerLossesLoseNothingThatWasFlushed, ()) {
  require_kept(run(one_of(kReplications), "SYNC_FLUSH", draw_faults(true)));
}

// Kills of the slave leave its page cache, which is all that its acknowledgement speaks of.
RC_GTEST_PROP(PlanLaws, TwoCopiesOutliveTheMastersHost, ()) {
  std::vector<FaultSpec> faults = draw_faults(false);
  destroy_master(faults);
  require_kept(run("sync-2", one_of(kFlushes), std::move(faults)));
}

// The laws' own seeded bugs: promises that the settings do not give.
bool lost_somewhere(const char* replication, const char* flush, bool destroyed) {
  bool lost = false;
  rc::check("lost", [&] {
    std::vector<FaultSpec> faults = draw_faults(!destroyed);
    if (destroyed) destroy_master(faults);
    lost = lost || !run(replication, flush, std::move(faults)).loss.lost.empty();
  });
  return lost;
}

TEST(PlanLawsNotice, PowerLossesLoseWhatNoFlushCovered) {
  EXPECT_TRUE(lost_somewhere("async", "ASYNC_FLUSH", false));
}

TEST(PlanLawsNotice, OneCopyDoesNotOutliveItsHost) {
  EXPECT_TRUE(lost_somewhere("sync-default", "SYNC_FLUSH", true));
}

}  // namespace
}  // namespace drydock::test
