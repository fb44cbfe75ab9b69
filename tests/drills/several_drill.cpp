// Drills with several of what others have one of: faults, producers, files of the user, masters.
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

SCENARIO("a host that is destroyed in the dark keeps nothing", "[several]") {
  const scenarios::Experiment experiment = load(kMatrix, "", [](Json& json) {
    json["faults"]["destroyed"] = Json::parse(
        R"([{"do": "host.power-loss", "on": "master-host", "when": {"at": "1 s"}, "for": "2 s"},
            {"do": "host.destroy", "on": "master-host", "when": {"at": "2 s"}},
            {"do": "operator.promote", "on": "broker-a-s", "when": {"at": "6 s"}}])");
  });
  const reports::RunResult run = run_cell(experiment, kDestroyed, 1).runs.at(0);
  INFO(run.note);
  CHECK(run.faults.at(0).ended_ns == -1);  // Its power never came back.
  CHECK(run.faults.at(1).began_ns > run.faults.at(0).began_ns);
  CHECK(run.replicas.at(0).destroyed);
  CHECK(run.replicas.at(1).read);
  // SYNC_FLUSH and a disk that keeps what it has acknowledged: only the destruction takes it.
  REQUIRE(!run.loss.lost.empty());
  for (const reports::LostMessage& message : run.loss.lost) {
    CHECK(message.copies.at(0) == reports::CopyFate::destroyed);
    CHECK(message.last_copy_fault == 1);
  }
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

// A production file of a slave names its master by an address that no drill has.
SCENARIO("a slave follows the drill's master, whatever address its file has", "[several]") {
  const std::string master = "brokerRole=SYNC_MASTER\ninSyncReplicas=2\nflushDiskType=SYNC_FLUSH\n";
  const std::string slave =
      "brokerRole=SLAVE\nbrokerId=1\nhaMasterAddress=10.20.16.31:10912\nflushDiskType=SYNC_FLUSH\n";
  Json json = Json::parse(read(kMatrix), nullptr, true, true);
  json["matrix"].erase("replication");
  json["matrix"].erase("flushDiskType");
  json["expectations"] = Json::array();
  const scenarios::Experiment experiment =
      scenarios::make_experiment(scenarios::parse_drill(kMatrix, json.dump()),
                                 {{"m.conf", master, "master"}, {"s.conf", slave, "slave"}}, {});
  for (const reports::RunResult& run : run_cell(experiment, {{"fault", "destroyed"}}, 2).runs) {
    CHECK(run.loss.acked > 500);
    CHECK(run.loss.lost.empty());
    CHECK(!run.rto.fault_ns);  // Promoted, it waits for two copies as its master did.
  }
}

// RocketMQ's MappedFileQueue: a flushed position of 0 means the first file, wherever it starts.
SCENARIO("a slave whose log begins with a later file flushes it", "[several]") {
  const scenarios::Experiment experiment = load(kMatrix, "mappedFileSizeCommitLog=65536\n");
  const reports::CellId killed = {
      {"fault", "process-kill"}, {"flushDiskType", "SYNC_FLUSH"}, {"replication", "async"}};
  for (const reports::RunResult& run : run_cell(experiment, killed, 2).runs) {
    const reports::StoreFacts& slave = run.replicas.at(1).store;
    CHECK(slave.flushed_to > 65'536);
    CHECK(slave.appended_to - slave.flushed_to < 65'536);
  }
}

SCENARIO("of two masters the judge reads the one that was promoted", "[several]") {
  const scenarios::Experiment experiment = load(kMatrix, "", [](Json& json) {
    json["phases"]["hold"] = "60 s";
    json["expectations"] = Json::array();
    json["faults"]["destroyed"] = Json::parse(
        R"([{"do": "process.kill", "on": "broker-a", "when": {"at": "1 s"}, "for": "1 s"},
            {"do": "operator.promote", "on": "broker-a-s", "when": {"at": "10 s"}}])");
  });
  const reports::RunResult run = run_cell(experiment, kDestroyed, 1).runs.at(0);
  INFO(run.note);
  CHECK(run.note.find("2 brokers take writes at judge; read is broker-a-s") != std::string::npos);
  // Both register under the name and id 0, so clients go to one and to the other in turn; readers
  // of the one miss what the other has acknowledged.
  CHECK(run.verdict == reports::Verdict::safety);
}

SCENARIO("sends that are open when the judge would begin leave the run inconclusive", "[several]") {
  const scenarios::Experiment experiment =
      load(kMatrix, "", [](Json& json) { json["phases"]["settle"] = "0 s"; });
  const reports::RunResult run = run_cell(experiment, kDestroyed, 1).runs.at(0);
  CHECK(run.verdict == reports::Verdict::inconclusive);
  CHECK(run.note.find("sends were still open") != std::string::npos);
}

}  // namespace
}  // namespace drydock::drills
