// Values that the command line puts into a scenario.
#include <gtest/gtest.h>

#include "tests/support/scenario_text.hpp"

namespace drydock::scenarios {
namespace {

using test::kBrokerScenario;

// What is said to the drill with one setting; empty if it is accepted.
std::string refusal_of_setting(const PathSetting& setting) {
  try {
    (void)parse_drill("f.json", kBrokerScenario.text(), {setting});
  } catch (const InputError& error) {
    return error.what();
  }
  return "";
}

TEST(Loader, TakesValuesFromTheCommandLineByTheirPath) {
  const Drill drill = parse_drill("f.json", kBrokerScenario.text(),
                                  {{"load/producers/p/rate", "20/s"},
                                   {"load/producers/p/queues", "4"},
                                   {"load/producers/p/wait_store_ok", "false"},
                                   {"seeds", "7"},
                                   {"faults/kill/0/for", "2 s"},
                                   {"matrix/flushDiskType", R"(["SYNC_FLUSH"])"}});
  EXPECT_EQ(drill.producers[0].rate_per_second, 20);
  EXPECT_EQ(drill.producers[0].queues, 4);
  EXPECT_FALSE(drill.producers[0].wait_store_ok);
  EXPECT_EQ(drill.seeds.last, 7u) << "a number stays a text where a text stood";
  EXPECT_EQ(drill.fault_sets.at("kill")[0].lasts, Duration::s(2));
  EXPECT_EQ(drill.matrix[0].values, (std::vector<std::string>{"SYNC_FLUSH"}));
  EXPECT_TRUE(drill.canonical.contains(R"("rate":"20/s")")) << "it is part of the scenario";
}

TEST(Loader, RefusesPathsThatLeadNowhereAndValuesThatMakeNoSense) {
  EXPECT_EQ(refusal_of_setting({"load/producers/q/rate", "1/s"}),
            "--set load/producers/q/rate: f.json has no /load/producers/q");
  EXPECT_EQ(refusal_of_setting({"seeds/x/y", "1"}), "--set seeds/x/y: f.json has no /seeds/x");
  EXPECT_EQ(refusal_of_setting({"faults/kill/1", "{}"}),
            "--set faults/kill/1: f.json has no /faults/kill/1");
  EXPECT_EQ(refusal_of_setting({"load/", "1"}), "--set load/: a path ends with a name");
  EXPECT_EQ(refusal_of_setting({"load/producers/p/rate", "fast"}),
            "--set load/producers/p/rate: must be a rate: an integer and /s");
  EXPECT_EQ(refusal_of_setting({"topology/hosts/h", R"({"boot": 5})"}),
            "--set topology/hosts/h: /topology/hosts/h/boot: must be a duration: an integer and "
            "one of ns us ms s min h");
  EXPECT_EQ(refusal_of_setting({"phases/warms", "1 s"}),
            "--set phases/warms: not supported; did you mean 'warm'? known here: warm, inject, "
            "hold, heal, settle, judge");
}

}  // namespace
}  // namespace drydock::scenarios
