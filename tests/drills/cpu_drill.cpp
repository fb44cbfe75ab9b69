// A host whose broker's work takes time: how many sends a second it then takes.
#include <catch2/catch.hpp>

#include "scenarios/world_sim/cpu_of_host.hpp"
#include "scenarios/world_sim/sim_run.hpp"
#include "tests/drills/drill_file.hpp"

namespace drydock::drills {
namespace {

// As much as one broker takes, of messages of 1 KiB, for so long. Nobody reads.
scenarios::Experiment flat_out(const Json& cpu, const std::string& how_long) {
  return load("tests/bench/stack/whole_stack.json", "", [&](Json& json) {
    if (!cpu.is_null()) json["topology"]["hosts"]["broker-host"]["cpu"] = cpu;
    json["conf"]["broker-a"]["flushDiskType"] = "ASYNC_FLUSH";
    json["load"]["producers"]["producer"]["in_flight"] = 256;
    json["load"].erase("consumers");
    json["phases"]["warm"] = how_long;
  });
}

std::int64_t acked(const Json& cpu, const std::string& how_long) {
  const scenarios::Experiment experiment = flat_out(cpu, how_long);
  scenarios::SimRun run(experiment, experiment.cells.at(0), 1);
  while (run.advance()) {
  }
  return static_cast<std::int64_t>(run.result().loss.acked);
}

// Between two lengths, so that neither the start nor the end counts.
std::int64_t acked_per_second(const Json& cpu) {
  return (acked(cpu, "500 ms") - acked(cpu, "300 ms")) * 5;
}

// What so many cores pay for, if a message costs its send and its dispatch.
std::int64_t affordable_per_second(const Json& cpu) {
  const scenarios::CpuSpec spec{.cores = cpu["cores"], .profile = cpu["profile"]};
  const CpuPrices prices = scenarios::cpu_prices(spec);
  const Duration price = prices.send.of(1024) + prices.dispatch.of(1024);
  return Duration::s(spec.cores) / price;
}

// 256 sends in flight keep the cores busy, and nobody waits for a flush. So what the cores pay for
// is what comes, within 5 %. How few sends in flight would do is not known.
void takes_what_its_cores_pay_for(const Json& cpu) {
  const std::int64_t affordable = affordable_per_second(cpu);
  const std::int64_t found = acked_per_second(cpu);
  INFO(cpu.dump() << ": " << found << "/s, affordable " << affordable << "/s");
  CHECK(found <= affordable * 105 / 100);
  CHECK(found >= affordable * 95 / 100);
}

SCENARIO("a saturated broker takes what its cores pay for", "[cpu]") {
  takes_what_its_cores_pay_for({{"cores", 1}, {"profile", "cpu-drydock"}});
  takes_what_its_cores_pay_for({{"cores", 1}, {"profile", "cpu-rocketmq"}});
  takes_what_its_cores_pay_for({{"cores", 2}, {"profile", "cpu-rocketmq"}});
}

SCENARIO("work whose price nobody says takes no time", "[cpu]") {
  const std::int64_t priced = acked_per_second({{"cores", 1}, {"profile", "cpu-rocketmq"}});
  CHECK(acked_per_second(Json()) > 2 * priced);
}

SCENARIO("a report says what the work costs and what of that is assumed", "[cpu]") {
  const Json cpu = {{"cores", 3}, {"profile", "cpu-drydock"}};
  const scenarios::Experiment experiment = flat_out(cpu, "1 s");
  const std::string lines = [&] {
    std::string all;
    for (const std::string& line : scenarios::assumptions_of(experiment.drill)) all += line + "\n";
    return all;
  }();
  INFO(lines);
  CHECK(lines.find("host broker-host: 3 cores; by profile cpu-drydock they take ") !=
        std::string::npos);
}

SCENARIO("a profile that there is not, or that is none, is refused", "[cpu]") {
  const auto refusal = [](const Json& profile) -> std::string {
    try {
      flat_out({{"cores", 1}, {"profile", profile}}, "1 s");
    } catch (const scenarios::InputError& error) {
      return error.what();
    }
    return "accepted";
  };
  CHECK(refusal("cpu-drydok")
            .find("/topology/hosts/broker-host/cpu/profile: there is no 'cpu-drydok'; did you mean "
                  "'cpu-drydock'? known here: cpu-drydock, cpu-rocketmq, or a profile in place of "
                  "its name") != std::string::npos);
  CHECK(refusal({{"profile", "mine"}}).find("cpu/profile: this profile: ") != std::string::npos);
}

}  // namespace
}  // namespace drydock::drills
