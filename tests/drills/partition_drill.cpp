// scenarios/partition.json: a master that no longer reaches its slave (HA reference, 7.6), and cuts
// of other kinds.
#include <catch2/catch.hpp>

#include "tests/drills/drill_file.hpp"

namespace drydock::drills {
namespace {

constexpr std::uint64_t kSeeds = 3;
constexpr std::int64_t kSecond = 1'000'000'000;

reports::CellResult run(const char* replication, const std::function<void(Json&)>& change = {}) {
  return run_cell(load("scenarios/partition.json", "", change), {{"replication", replication}},
                  kSeeds);
}

void cut(Json& json, const char* on, const char* from, const char* direction) {
  Json& fault = json["faults"]["partition"][0];
  fault["on"] = on;
  fault["from"] = from;
  fault["direction"] = direction;
}

SCENARIO("an asynchronous master does not notice that its slave is cut off", "[partition]") {
  const reports::CellResult result = run("async");
  CHECK(result.verdict == reports::Verdict::pass);
  for (const reports::RunResult& each : result.runs) {
    INFO("seed " << each.seed << ": " << each.note);
    CHECK(each.faults.at(0).target == "master-host from slave-host");
    CHECK(each.faults.at(0).ended_ns - each.faults.at(0).began_ns == 30 * kSecond);
    CHECK(each.rto.client_ns == 0);
    CHECK(each.rto.steady_ns == 0);
    CHECK(each.loss.lost.empty());
    // The phase `heal` ended because the slave had caught up, long before its time.
    CHECK(each.virtual_ns < 200 * kSecond);
  }
}

SCENARIO("two copies are not to be had while the slave is cut off, and nothing is lost",
         "[partition]") {
  const reports::CellResult result = run("sync-2");
  CHECK(result.verdict == reports::Verdict::pass);
  for (const reports::RunResult& each : result.runs) {
    INFO("seed " << each.seed << ": " << each.note);
    REQUIRE(each.rto.fault_ns);
    // Stored on the master, answered FLUSH_SLAVE_TIMEOUT: unknown, and there.
    CHECK(each.loss.unknown_stored > 100);
    CHECK(each.loss.lost.empty());
    CHECK(each.loss.phantoms == 0);
    CHECK(each.order.violations == 0);
    CHECK(each.virtual_ns < 200 * kSecond);
    std::int64_t sum = 0;
    for (const std::int64_t span : each.rto.stages_ns.value()) sum += span;
    CHECK(sum == *each.rto.fault_ns);
    // The connection to the slave is given up, made anew, and the slave reports on it.
    CHECK(each.rto.stages_ns->at(static_cast<std::size_t>(reports::Stage::resync)) > 30 * kSecond);
    CHECK(each.rto.steady == reports::Steady::reached);
  }
}

SCENARIO("a cut of one way stops that way only", "[partition]") {
  GIVEN("a master from which nothing arrives at its client") {
    const auto change = [](Json& json) { cut(json, "master-host", "client-host", "outgoing"); };
    THEN("what it was sent is stored, and nobody hears of it") {
      for (const reports::RunResult& each : run("async", change).runs) {
        CHECK(each.loss.unknown_stored > 0);
        CHECK(*each.rto.fault_ns >= 30 * kSecond);
        CHECK(each.loss.lost.empty());
      }
    }
  }
  GIVEN("a master at which nothing of its client arrives") {
    const auto change = [](Json& json) { cut(json, "master-host", "client-host", "incoming"); };
    THEN("nothing is stored but what comes again when it is over") {
      for (const reports::RunResult& each : run("async", change).runs) {
        CHECK(*each.rto.fault_ns >= 30 * kSecond);
        CHECK(each.loss.lost.empty());
      }
    }
  }
}

SCENARIO("a host may be cut off from all others", "[partition]") {
  const auto change = [](Json& json) { cut(json, "role:master", "others", "both"); };
  for (const reports::RunResult& each : run("async", change).runs) {
    CHECK(each.faults.at(0).target == "master-host from all others");
    CHECK(*each.rto.fault_ns >= 30 * kSecond);
    CHECK(each.loss.lost.empty());
  }
}

}  // namespace
}  // namespace drydock::drills
