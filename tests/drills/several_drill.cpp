// Drills with several faults in one set, and with several producers.
#include <catch2/catch.hpp>

#include <set>

#include "reports/loss/explain.hpp"
#include "tests/drills/drill_file.hpp"

namespace drydock::drills {
namespace {

constexpr const char* kMatrix = "scenarios/ack-matrix.json";
const reports::CellId kDestroyed = {
    {"fault", "destroyed"}, {"flushDiskType", "SYNC_FLUSH"}, {"replication", "async"}};

SCENARIO("each fault of a set has its own outage, and the longest one counts", "[several]") {
  const scenarios::Experiment experiment = load(kMatrix, "", [](Json& json) {
    json["faults"]["destroyed"] = Json::parse(
        R"([{"do": "process.kill", "on": "broker-a", "when": {"at": "100 ms"}, "for": "500 ms"},
            {"do": "host.destroy", "on": "master-host", "when": {"at": "3 s"}},
            {"do": "operator.promote", "on": "broker-a-s", "when": {"at": "6 s"}}])");
  });
  const reports::CellResult result = run_cell(experiment, kDestroyed, 3);
  for (const reports::RunResult& run : result.runs) {
    REQUIRE(run.faults.size() == 3);
    REQUIRE(run.faults[0].rto_fault_ns);
    CHECK(*run.faults[0].rto_fault_ns < 3'000'000'000);
    REQUIRE(run.faults[1].rto_fault_ns);
    CHECK(*run.faults[1].rto_fault_ns >= 3'000'000'000);
    CHECK(run.rto.fault_ns == run.faults[1].rto_fault_ns);
    CHECK(run.fault()->kind == "host.destroy");
    std::int64_t sum = 0;
    for (const std::int64_t stage : run.rto.stages_ns.value()) sum += stage;
    CHECK(sum == *run.rto.fault_ns);
  }
  const std::string why = reports::explain(reports::mechanism_of(result.runs));
  INFO(why);
  CHECK(why.find(" with host.destroy on master-host") != std::string::npos);
  CHECK(why.find("process.kill") == std::string::npos);
}

SCENARIO("several producers share a topic, and each keeps its own order", "[several]") {
  const scenarios::Experiment experiment = load(kMatrix, "", [](Json& json) {
    Json& producers = json["load"]["producers"];
    producers["second"] = producers["producer"];
    producers["second"]["rate"] = "40/s";
    producers["second"]["timeout"] = "1 s";
    producers["second"]["host"] = "name-host";
  });
  const reports::CellId killed = {
      {"fault", "process-kill"}, {"flushDiskType", "SYNC_FLUSH"}, {"replication", "async"}};
  const reports::CellResult both = run_cell(experiment, killed, 3);
  const reports::CellResult alone = run_cell(load(kMatrix, ""), killed, 3);
  CHECK(both.verdict == reports::Verdict::pass);
  for (std::size_t i = 0; i < both.runs.size(); ++i) {
    CHECK(both.runs[i].loss.lost.empty());
    CHECK(both.runs[i].order.violations == 0);
    // 140 instead of 100 sends per second.
    CHECK(both.runs[i].loss.acked > alone.runs[i].loss.acked * 13 / 10);
    CHECK(both.runs[i].loss.acked < alone.runs[i].loss.acked * 15 / 10);
  }
}

}  // namespace
}  // namespace drydock::drills
