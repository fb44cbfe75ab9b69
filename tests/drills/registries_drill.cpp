// What has a name can happen: each event, crash point and buggify site of the registries occurs in
// a drill. A name that nothing reaches any more fails here.
#include <catch2/catch.hpp>

#include <array>
#include <map>

#include "scenarios/world_sim/sim_run.hpp"
#include "tests/drills/drill_file.hpp"

namespace drydock::drills {
namespace {

using faults::FaultKind;

constexpr const char* kMatrix = "scenarios/ack-matrix.json";
// Small files: they roll, and a queue's and the index's too.
constexpr const char* kSmallFiles =
    "flushDiskType=SYNC_FLUSH\nmappedFileSizeCommitLog=131072\nmappedFileSizeConsumeQueue=400\n"
    "maxHashSlotNum=50\nmaxIndexNum=200\n";

scenarios::FaultSpec fault(FaultKind kind, const char* on, std::int64_t at_ms) {
  scenarios::FaultSpec spec;
  spec.kind = kind;
  spec.on = {faults::Selector::By::name, on};
  spec.when = scenarios::BetweenTimes{Duration::ms(at_ms), Duration::ms(at_ms)};
  return spec;
}
scenarios::FaultSpec killed_at(CrashPoint point, const char* on) {
  scenarios::FaultSpec spec = fault(FaultKind::process_kill, on, 0);
  spec.when = faults::AtCrashPoint{point, 1};
  spec.lasts = Duration::ms(100);
  return spec;
}
scenarios::FaultSpec killed(const char* on, std::int64_t at_ms) {
  scenarios::FaultSpec spec = fault(FaultKind::process_kill, on, at_ms);
  spec.lasts = Duration::ms(500);
  return spec;
}

struct Ended {
  reports::RunResult result;
  std::array<std::uint64_t, static_cast<std::size_t>(EventName::count_)> events{};
};

// The cell {async, `flush`} with these faults.
Ended run(const scenarios::Experiment& experiment, std::vector<scenarios::FaultSpec> faults,
          const std::string& flush = "SYNC_FLUSH") {
  scenarios::Cell cell;
  for (const scenarios::Cell& each : experiment.cells) {
    const bool wanted =
        each.id.at("replication") == "async" && each.id.at("flushDiskType") == flush;
    if (wanted) cell = each;
  }
  cell.faults = std::move(faults);
  scenarios::SimRun run(experiment, cell, 1);
  while (run.advance()) {
  }
  Ended ended;
  ended.result = run.result();
  for (std::size_t i = 0; i < ended.events.size(); ++i) {
    ended.events[i] = run.kernel().triggers().occurrences(static_cast<EventName>(i));
  }
  return ended;
}

scenarios::Experiment small_files(const std::function<void(Json&)>& change = {}) {
  return load(kMatrix, kSmallFiles, change);
}

// The same with the transient pool.
scenarios::Experiment pooled_files() {
  return load(kMatrix, kSmallFiles + std::string("transientStorePoolEnable=true\n"));
}

SCENARIO("every crash point is reached, and a kill there loses nothing", "[registries]") {
  const scenarios::Experiment plain = small_files();
  const scenarios::Experiment pooled = pooled_files();
  for (std::size_t i = 0; i < static_cast<std::size_t>(CrashPoint::count_); ++i) {
    const auto point = static_cast<CrashPoint>(i);
    INFO(name_of(point));
    std::vector<scenarios::FaultSpec> faults = {killed_at(point, "broker-a")};
    // Recovery comes with a start; an orderly stop is what the operator asks of a slave.
    if (name_of(point).starts_with("store.recovery-")) faults.push_back(killed("broker-a", 1'000));
    if (point == CrashPoint::store_after_abort_removed) {
      faults = {killed_at(point, "broker-a-s"), fault(FaultKind::host_destroy, "master-host", 500),
                fault(FaultKind::operator_promote, "broker-a-s", 1'000)};
    }
    const bool of_pool = name_of(point).ends_with("-commit");
    const Ended ended = run(of_pool ? pooled : plain, std::move(faults));
    CHECK(ended.result.faults.at(0).began_ns >= 0);
    if (point != CrashPoint::store_after_abort_removed) CHECK(ended.result.loss.lost.empty());
  }
}

SCENARIO("every buggify site changes what happens", "[registries]") {
  for (std::size_t i = 0; i < static_cast<std::size_t>(BuggifySite::count_); ++i) {
    const std::string name(name_of(static_cast<BuggifySite>(i)));
    INFO(name);
    const auto with = [&](const std::string& share) {
      const scenarios::Experiment experiment = small_files([&](Json& json) {
        if (!share.empty()) json["behaviour"]["buggify"] = {{name, share}};
        // An answer takes longer than the 10 ms after which an impatient client gives up.
        json["topology"]["links"] = {
            {{"from", "client-host"}, {"to", "master-host"}, {"latency", "12 ms"}}};
      });
      return run(experiment, {}, "ASYNC_FLUSH").result;
    };
    CHECK(with("50%").fingerprint != with("").fingerprint);
    CHECK(with("50%").loss.lost.empty());
  }
}

// What only an error of the disk, or damage in its files, brings about: no fault of a drill makes
// those yet. The unit tests of the store do, each by its name.
const std::map<EventName, const char*> kOnlyWithADamagedDisk = {
    {EventName::store_flush_failed, "unit-store: StoreFlush"},
    {EventName::store_dispatch_skipped, "unit-store: StoreDispatch"},
    {EventName::store_queue_gap, "unit-store: StoreConsumeQueue"},
    {EventName::store_queue_flush_failed, "unit-store: StoreConsumeQueue"},
    {EventName::store_queue_write_failed, "unit-store: StoreConsumeQueue"},
};

SCENARIO("every event is told in a drill", "[registries]") {
  const scenarios::Experiment plain = small_files();
  const scenarios::Experiment pooled = pooled_files();
  std::array<std::uint64_t, static_cast<std::size_t>(EventName::count_)> events{};
  const std::vector<std::vector<scenarios::FaultSpec>> plans = {
      {killed("broker-a", 500)},
      {fault(FaultKind::host_power_loss, "master-host", 500)},
      {fault(FaultKind::host_panic, "master-host", 500)},
      {fault(FaultKind::host_destroy, "master-host", 500),
       fault(FaultKind::operator_promote, "broker-a-s", 1'000)},
      {killed("name-server", 500)},
      {killed("broker-a-s", 500)},
  };
  const auto count = [&events](const Ended& ended) {
    for (std::size_t i = 0; i < events.size(); ++i) events[i] += ended.events[i];
  };
  for (const auto& plan : plans) count(run(plain, plan));
  count(run(pooled, plans.front()));
  // A slave asks its master for topics and offsets when it is a minute old.
  count(run(small_files([](Json& json) {
              json["phases"]["warm"] = "62 s";
              json["load"]["producers"]["producer"]["rate"] = "5/s";
            }),
            {}));
  // Somebody fills the disk as the broker looks at it for the first time, and not at the second.
  scenarios::FaultSpec filled = fault(FaultKind::disk_fill, "broker-a", 0);
  filled.trouble.used_percent = 95;
  filled.lasts = Duration::s(8);
  // A slave is away meanwhile.
  scenarios::FaultSpec away = killed("broker-a-s", 0);
  away.lasts = Duration::s(12);
  const auto filled_late = [](Json& json) {
    json["phases"]["warm"] = "56 s";
    json["phases"]["hold"] = "25 s";
    json["load"]["producers"]["producer"]["rate"] = "40/s";
  };
  const std::string all_at_once = kSmallFiles + std::string("deleteFileBatchMax=100\n");
  count(run(load(kMatrix, all_at_once, filled_late), {filled, away}));
  for (std::size_t i = 0; i < events.size(); ++i) {
    const auto name = static_cast<EventName>(i);
    INFO(name_of(name));
    CHECK((events[i] > 0) != kOnlyWithADamagedDisk.contains(name));
  }
}

}  // namespace
}  // namespace drydock::drills
