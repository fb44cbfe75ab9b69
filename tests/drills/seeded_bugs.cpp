// Each planted mistake makes a drill fail that passes without it.
#include <catch2/catch.hpp>

#include "tests/drills/drill_file.hpp"

namespace drydock::drills {
namespace {

constexpr std::uint64_t kSeeds = 200;

// The seed that finds it, or 0 if none of the first 200 does.
std::uint64_t found_by(const std::string& drill, const reports::CellId& cell,
                       const std::string& bug, const std::function<void(Json&)>& change = {}) {
  const auto planted = [&](Json& json) {
    if (change) change(json);
    if (!bug.empty()) json["behaviour"]["bugs"] = {bug};
  };
  const scenarios::Experiment experiment = load(drill, "", planted);
  for (const scenarios::Cell& each : experiment.cells) {
    if (each.id != cell) continue;
    for (std::uint64_t seed = 1; seed <= kSeeds; ++seed) {
      const reports::RunResult run =
          scenarios::run_one(experiment, each, seed, scenarios::Verification::none);
      if (run.verdict == reports::Verdict::safety) return seed;
    }
    return 0;
  }
  throw std::runtime_error("no such cell: " + reports::text_of(cell));
}

// Without the bug nothing is found in as many seeds as its discovery took, and a few more.
void require_found(const std::string& drill, const reports::CellId& cell, const std::string& bug,
                   const std::function<void(Json&)>& change = {}) {
  const std::uint64_t seed = found_by(drill, cell, bug, change);
  INFO(bug << " in " << reports::text_of(cell));
  REQUIRE(seed > 0);
  const scenarios::Experiment sound = load(drill, "", change);
  for (const scenarios::Cell& each : sound.cells) {
    if (each.id != cell) continue;
    for (std::uint64_t again = 1; again <= seed + 3; ++again) {
      const auto run = scenarios::run_one(sound, each, again, scenarios::Verification::none);
      CHECK(run.verdict != reports::Verdict::safety);
    }
  }
}

SCENARIO("ack-before-flush is found", "[seeded-bugs]") {
  require_found("scenarios/power-loss.json",
                {{"fault", "power-loss"}, {"flushDiskType", "SYNC_FLUSH"}}, "ack-before-flush",
                [](Json& json) {
                  // Its flush takes longer than the way of an answer.
                  json["topology"]["hosts"]["broker-host"]["disk"]["profile"] = "sata-ssd";
                });
}

SCENARIO("ack-before-copy is found", "[seeded-bugs]") {
  require_found(
      "scenarios/ack-matrix.json",
      {{"fault", "destroyed"}, {"flushDiskType", "SYNC_FLUSH"}, {"replication", "sync-2"}},
      "ack-before-copy");
}

}  // namespace
}  // namespace drydock::drills
