// scenarios/incidents: public reports as drills. Each shows what should follow, and that it does
// not where the report's cause is switched on: by a mistake that is planted, a behaviour of
// RocketMQ, or a setting of its own. All cells of all of them, with the expectations that the files
// have.
#include <catch2/catch.hpp>

#include <filesystem>
#include <set>

#include "tests/drills/drill_file.hpp"

namespace drydock::drills {
namespace {

// All but the cold-read storm, which says more than its causes: tests/drills/evidence.py has it.
std::vector<std::string> incident_files() {
  std::set<std::string> names;  // In order.
  const std::filesystem::path root(DRYDOCK_SOURCE_ROOT);
  for (const auto& entry : std::filesystem::directory_iterator(root / "scenarios/incidents")) {
    const std::string name = entry.path().filename().string();
    if (!entry.is_regular_file() || name == "cold-read-storm.json") continue;
    names.insert("scenarios/incidents/" + name);
  }
  return {names.begin(), names.end()};
}

// What the file says of a cell holds in it. If it says different things of its cells, something of
// that does not hold in another cell: the cause makes the difference. (Where the cause leaves
// nobody who could be asked, tests/drills/seeded_bugs.cpp switches it on.)
SCENARIO("every incident is told from its cause", "[incidents]") {
  for (const std::string& file : incident_files()) {
    DYNAMIC_SECTION(file) {
      const scenarios::Experiment experiment = load(file, "");
      REQUIRE(experiment.cells.size() >= 2);
      bool differs = false;
      int broken_elsewhere = 0;
      for (const scenarios::Cell& cell : experiment.cells) {
        const reports::CellResult result = run_cell(experiment, cell.id, 1);
        const reports::RunResult& run = result.runs.at(0);
        INFO(reports::text_of(cell.id) << ": " << run.note);
        for (const reports::ExpectationResult& each : result.expectations) {
          INFO(reports::text_of(each.expectation));
          CHECK(each.holds);
        }
        CHECK(result.verdict == reports::Verdict::pass);
        for (const scenarios::Cell& other : experiment.cells) {
          for (const reports::Expectation& expectation : other.expectations) {
            if (applies_to(expectation, cell.id)) continue;
            differs = true;
            broken_elsewhere += holds_in(expectation, run) ? 0 : 1;
          }
        }
      }
      CHECK((broken_elsewhere > 0) == differs);
    }
  }
}

SCENARIO("a mistake may be planted in some cells, and the report says so", "[incidents]") {
  const char* const file = "scenarios/incidents/b010-hole.json";
  const scenarios::Experiment experiment = load(file, "");
  for (const scenarios::Cell& cell : experiment.cells) {
    const bool planted = cell.id.at("cause") == "planted";
    const SeededBugs& bugs = cell.brokers.at(0).store.bugs;
    CHECK(bugs.has(SeededBug::recovery_appends_behind_hole) == planted);
    CHECK_FALSE(bugs.has(SeededBug::dispatch_skips_tail));
  }
  CHECK_THAT(experiment.facts.behaviour,
             Catch::Contains("IN SOME CELLS WITH THE SEEDED BUG recovery-appends-behind-hole"));
  const auto unknown = [](Json& json) {
    json["matrix"]["cause"]["planted"]["behaviour/bugs"] = {"recovery-appends-behind-holes"};
  };
  CHECK_THROWS_WITH(load(file, "", unknown), Catch::Contains("recovery-appends-behind-hole'?"));
}

}  // namespace
}  // namespace drydock::drills
