// scenarios/incidents/transient-pool.json shows what the transient pool costs: what is in it goes
// with the process. That it is the pool which loses, and no other part, shows in the cell without
// it, and in what the report says of the loss.
#include <catch2/catch.hpp>

#include "reports/loss/explain.hpp"
#include "scenarios/world_sim/pool_of_broker.hpp"
#include "tests/drills/drill_file.hpp"

namespace drydock::drills {
namespace {

constexpr std::uint64_t kSeeds = 4;
constexpr const char* kDrill = "scenarios/incidents/transient-pool.json";

reports::CellId cell(const std::string& pool, const std::string& flush, const std::string& fault) {
  return {{"transientStorePoolEnable", pool}, {"flushDiskType", flush}, {"fault", fault}};
}

std::int64_t lost(const reports::CellResult& result) {
  std::int64_t sum = 0;
  for (const reports::RunResult& run : result.runs) {
    INFO(reports::text_of(result.id) << ", seed " << run.seed << ": " << run.note);
    CHECK(run.loss.acked > 500);
    CHECK(run.loss.corrupt == 0);
    CHECK(run.loss.phantoms == 0);
    sum += static_cast<std::int64_t>(run.loss.lost.size());
  }
  return sum;
}

bool contains(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

SCENARIO("a kill takes what is in the transient pool, and nothing without it", "[pool]") {
  const scenarios::Experiment experiment = load(kDrill, "");
  const auto with = run_cell(experiment, cell("true", "ASYNC_FLUSH", "process-kill"), kSeeds);
  CHECK(lost(with) > 0);
  for (const reports::RunResult& run : with.runs) {
    for (const reports::LostMessage& message : run.loss.lost) {
      CHECK(message.copies == std::vector<reports::CopyFate>{reports::CopyFate::in_pool});
    }
  }
  const std::string why = reports::explain(reports::mechanism_of(with.runs));
  INFO(why);
  CHECK(contains(why, "the transient pool went with its process, and with it"));
  CHECK(contains(why, "no commit had brought"));

  CHECK(lost(run_cell(experiment, cell("false", "ASYNC_FLUSH", "process-kill"), kSeeds)) == 0);
  CHECK(lost(run_cell(experiment, cell("true", "SYNC_FLUSH", "process-kill"), kSeeds)) == 0);
}

SCENARIO("a power loss takes the pool and the page cache", "[pool]") {
  const scenarios::Experiment experiment = load(kDrill, "");
  const auto with = run_cell(experiment, cell("true", "ASYNC_FLUSH", "power-loss"), kSeeds);
  CHECK(lost(with) > 0);
  const std::string why = reports::explain(reports::mechanism_of(with.runs));
  INFO(why);
  CHECK(contains(why, "the transient pool went with its process"));
  CHECK(contains(why, "acknowledged before a flush covered"));
  CHECK(lost(run_cell(experiment, cell("true", "SYNC_FLUSH", "power-loss"), kSeeds)) == 0);
}

// The file in use and the one that is made in advance have both buffers. After a restart sends go
// to a file that was there, which needs none.
SCENARIO("a pool of two buffers takes one message of a new file", "[pool]") {
  const scenarios::Experiment experiment =
      load(kDrill, "transientStorePoolSize=2\n",
           [](Json& json) { json["load"]["producers"]["producer"]["rate"] = "5/s"; });
  const auto result = run_cell(experiment, cell("true", "ASYNC_FLUSH", "process-kill"), 1);
  const reports::RunResult& run = result.runs.at(0);
  CHECK(run.baseline.acked == 1);
  CHECK(run.loss.failed >= 30);  // The others of 7 s.
  CHECK(run.loss.acked > 10);
}

SCENARIO("a pool that its host or its machine cannot have is refused", "[pool]") {
  const auto refusal = [](const std::string& conf, const std::function<void(Json&)>& change = {}) {
    try {
      scenarios::check_pools(load(kDrill, conf, change));
    } catch (const std::exception& error) {
      return std::string(error.what());
    }
    return std::string();
  };
  CHECK(refusal("") == "");
  CHECK(contains(refusal("transientStorePoolSize=16"),
                 "/topology/brokers/broker-a: the transient pool of its broker.conf has 16 GiB, "
                 "more than jvm/direct of 15 GiB"));
  const auto memory = [](const char* size) {
    return [size](Json& json) { json["topology"]["hosts"]["broker-host"]["memory"] = size; };
  };
  CHECK(contains(refusal("", memory("12 GiB")), "(its transient pool)"));
  CHECK(refusal("", memory("14 GiB")) == "");
  CHECK(contains(refusal("",
                         [](Json& json) {
                           json["topology"]["brokers"]["broker-a"]["jvm"] = {
                               {"transient_pool", "1 GiB"}};
                         }),
                 "/jvm/transient_pool: transientStorePoolEnable of its broker.conf takes"));
  CHECK(contains(refusal("",
                         [](Json& json) {
                           json["topology"]["brokers"]["broker-a"]["jvm"] = {{"direct", "4 GiB"}};
                           json["matrix"]["transientStorePoolEnable"] = {false};
                           json["expectations"] = Json::array();
                         }),
                 "/jvm/direct: without transient_pool"));
}

}  // namespace
}  // namespace drydock::drills
