// A standby takes a shared disk over, and its page cache of the device knows it already. Each purge
// of a takeover covers one hazard; reference on reservations, section 16, and design, section 5: I1
// and I2.
#include <catch2/catch.hpp>

#include "reports/loss/explain.hpp"
#include "tests/drills/drill_file.hpp"

namespace drydock::drills {
namespace {

using reports::TakeoverStep;

constexpr const char* kDrill = "scenarios/storage/stale-cache.json";
constexpr std::uint64_t kSeeds = 4;

scenarios::Experiment load_bare(const std::function<void(Json&)>& change = {}) {
  Json json = Json::parse(read(kDrill), nullptr, true, true);
  if (change) change(json);
  auto parsed = scenarios::parse_drill(kDrill, json.dump());
  scenarios::check_simulated(parsed);
  return scenarios::make_experiment(std::move(parsed), {}, {});
}

reports::CellId cell(const char* purge, const char* standby) {
  return {{"purge", purge}, {"standby", standby}};
}

std::int64_t step_of(const reports::RunResult& run, TakeoverStep step) {
  return run.takeovers.at(0).steps_ns[static_cast<std::size_t>(step)];
}

std::int64_t waits(const reports::RunResult& run, const std::string& worker, WaitPlace place) {
  for (const reports::WaitFact& fact : run.waits) {
    const bool it = fact.process == "b-standby" && fact.worker == worker && fact.place == place;
    if (it) return fact.count;
  }
  return 0;
}

// What it took over is what the old owner had acknowledged, and nothing else has happened.
void check_clean(const reports::CellResult& result) {
  for (const reports::RunResult& each : result.runs) {
    INFO(reports::text_of(result.id) << ", seed " << each.seed << ": " << each.note);
    CHECK(each.verdict == reports::Verdict::pass);
    CHECK(each.ownership == reports::OwnershipReport());
    CHECK(each.loss.lost.empty());
    CHECK(each.loss.corrupt == 0);
    CHECK(each.loss.phantoms == 0);
    CHECK(each.takeovers.at(0).completed);
    CHECK(each.loss.acked > 0);
    CHECK(each.takeovers.at(0).records_read >= each.loss.acked);
  }
}

SCENARIO("with both purges a takeover finds all that was acknowledged", "[stale-cache]") {
  const scenarios::Experiment experiment = load_bare();
  check_clean(run_cell(experiment, cell("two", "read-ahead"), kSeeds));
  check_clean(run_cell(experiment, cell("two", "dirty"), kSeeds));
}

SCENARIO("the purge after the claim is the one against pages that were read", "[stale-cache]") {
  const scenarios::Experiment experiment = load_bare();
  check_clean(run_cell(experiment, cell("after-confirm", "read-ahead"), kSeeds));
  // A purge before it does not help: the old owner goes on until it is fenced.
  for (const char* purge : {"before-claim", "none"}) {
    const reports::CellResult result = run_cell(experiment, cell(purge, "read-ahead"), kSeeds);
    for (const reports::RunResult& each : result.runs) {
      INFO(purge << ", seed " << each.seed);
      CHECK(each.verdict == reports::Verdict::pass);
      CHECK(each.ownership.stale_reads > 0);
      CHECK(each.ownership.foreign_writes == 0);
      CHECK_FALSE(each.loss.lost.empty());
      CHECK(each.takeovers.at(0).completed);
    }
    const std::string why = reports::explain(reports::mechanism_of(result.runs));
    CHECK(why.starts_with("stale pages: "));
  }
}

SCENARIO("the purge before the claim is the one against pages that were dirtied", "[stale-cache]") {
  const scenarios::Experiment experiment = load_bare();
  check_clean(run_cell(experiment, cell("before-claim", "dirty"), kSeeds));
  // Later ones write them: the purge itself, or the flusher.
  for (const char* purge : {"after-confirm", "none"}) {
    const reports::CellResult result = run_cell(experiment, cell(purge, "dirty"), kSeeds);
    for (const reports::RunResult& each : result.runs) {
      INFO(purge << ", seed " << each.seed);
      CHECK(each.verdict == reports::Verdict::pass);
      CHECK(each.ownership.stale_reads == 0);
      // The megabyte that it had dirtied, and the records that were there.
      CHECK(each.ownership.foreign_writes == 256);
      CHECK(each.loss.lost.size() == 256);
      CHECK(each.takeovers.at(0).completed);
    }
    const std::string why = reports::explain(reports::mechanism_of(result.runs));
    CHECK(why.starts_with("dirty pages: 1,024 blocks "));
  }
}

// The checks that pass with both purges find each of the cells that lack the right one.
SCENARIO("without the purges the same checks fail", "[stale-cache]") {
  const auto experiment_with = [](const char* condition) {
    return load_bare([condition](Json& json) {
      json["expectations"] = Json::array({{{"every_run", condition}}});
    });
  };
  const auto verdict = [](const scenarios::Experiment& experiment, const char* purge,
                          const char* standby) {
    return run_cell(experiment, cell(purge, standby), 1).verdict;
  };
  using reports::Verdict;
  const scenarios::Experiment no_loss = experiment_with("acked_loss = 0");
  const scenarios::Experiment fresh = experiment_with("stale_reads = 0");
  const scenarios::Experiment own = experiment_with("foreign_writes = 0");
  CHECK(verdict(no_loss, "two", "read-ahead") == Verdict::pass);
  CHECK(verdict(no_loss, "two", "dirty") == Verdict::pass);
  CHECK(verdict(no_loss, "none", "read-ahead") == Verdict::safety);
  CHECK(verdict(no_loss, "none", "dirty") == Verdict::safety);
  CHECK(verdict(fresh, "none", "read-ahead") == Verdict::safety);
  CHECK(verdict(own, "none", "dirty") == Verdict::safety);
}

SCENARIO("a takeover's report says where its time went", "[stale-cache]") {
  const scenarios::Experiment experiment = load_bare();
  const auto one = [&experiment](const char* purge, const char* standby) {
    return run_cell(experiment, cell(purge, standby), 1).runs.at(0);
  };
  const reports::RunResult two = one("two", "dirty");
  CHECK(step_of(two, TakeoverStep::purge_before) > 0);
  CHECK(step_of(two, TakeoverStep::claim) > 0);
  CHECK(step_of(two, TakeoverStep::check) > 0);
  CHECK(step_of(two, TakeoverStep::mount) > 0);
  CHECK(step_of(two, TakeoverStep::read_back) > 0);
  // Refused writes are waited for like others.
  CHECK(waits(two, "purge_before", WaitPlace::writeback) > 0);
  CHECK(waits(two, "purge_after", WaitPlace::writeback) == 0);
  CHECK(waits(two, "claim", WaitPlace::device) == 3);
  CHECK(waits(two, "mount", WaitPlace::device) > 0);
  CHECK(waits(two, "read_back", WaitPlace::page_read) > 0);
  const reports::RunResult none = one("none", "dirty");
  CHECK(step_of(none, TakeoverStep::purge_before) == 0);
  CHECK(step_of(none, TakeoverStep::purge_after) == 0);
  const reports::RunResult after = one("after-confirm", "dirty");
  CHECK(waits(after, "purge_after", WaitPlace::writeback) > 0);
}

SCENARIO("an owner that was fenced stays out, also after a reboot", "[stale-cache]") {
  const scenarios::Experiment experiment = load_bare([](Json& json) {
    json["faults"]["power"] = Json::parse(
        R"([{"do": "host.power-loss", "on": "a", "when": {"at": "3 s"}, "for": "1 s"}])");
    json["expectations"] = Json::array({{{"every_run", "acked_loss = 0"}}});
  });
  for (const reports::RunResult& each :
       run_cell(experiment, cell("two", "read-ahead"), kSeeds).runs) {
    CHECK(each.loss.lost.empty());
    CHECK(each.ownership == reports::OwnershipReport());
    CHECK_FALSE(each.rto.fault_ns.has_value());
  }
}

SCENARIO("an owner that nobody has fenced mounts its disk again", "[stale-cache]") {
  const scenarios::Experiment experiment = load_bare([](Json& json) {
    json["faults"]["power"] = Json::parse(
        R"([{"do": "host.power-loss", "on": "a", "when": {"at": "3 s"}, "for": "1 s"}])");
    json["load"].erase("standbys");
    json.erase("matrix");
    json["expectations"] = Json::array({{{"every_run", "acked_loss = 0"}}});
  });
  for (const reports::RunResult& each : run_cell(experiment, {}, kSeeds).runs) {
    INFO(each.note);
    CHECK(each.verdict == reports::Verdict::pass);
    CHECK(each.loss.lost.empty());
    REQUIRE(each.rto.fault_ns.has_value());
    CHECK(*each.rto.fault_ns >= Duration::s(2).count_ns());  // Dark for 1 s, and booting for 1 s.
    CHECK(*each.rto.fault_ns <= Duration::s(3).count_ns());
  }
}

SCENARIO("a shared disk is one that outlives a host", "[stale-cache]") {
  const auto disk = [](const char* key, const char* value) {
    return [=](Json& json) { json["topology"]["disks"]["shared"][key] = value; };
  };
  CHECK_THROWS_WITH(load_bare(disk("profile", "local-nvme")),
                    Catch::Contains("/topology/disks/shared/profile: several hosts attach it, and "
                                    "this one is inside of a host"));
  CHECK_THROWS_WITH(load_bare(disk("size", "268435457 B")),
                    Catch::Contains("/topology/disks/shared/size: must be at least 1 MiB and a "
                                    "multiple of 4 KiB"));
}

}  // namespace
}  // namespace drydock::drills
