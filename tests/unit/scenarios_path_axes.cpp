// Axes of the matrix that vary places of a scenario.
#include <gtest/gtest.h>

#include "tests/support/scenario_text.hpp"

namespace drydock::scenarios {
namespace {

using test::Change;
using test::Json;

Drill read(const Change& change = {}) { return test::kBareScenario.read(change); }
std::string refusal(const Change& change) { return test::kBareScenario.refusal(change); }

TEST(FaultSets, MustBeInACell) {
  EXPECT_EQ(refusal([](Json& j) {
              j["faults"]["g"] = j["faults"]["f"];
              j["matrix"] = {{"fault", {"f"}}};
            }),
            "/faults/g: /matrix/fault does not have it");
}

TEST(PathAxes, GiveEachCellItsOwnScenario) {
  const Change change = [](Json& j) {
    j["matrix"] = {{"load/writers/w/rate", {"10 MB/s", "20 MB/s"}},
                   {"flush",
                    {{"none", Json::object()},
                     {"often", {{"load/writers/w/sync", {{"call", "msync"}, {"every", "1 s"}}}}}}}};
  };
  const Experiment experiment = make_experiment(read(change), {}, {});
  ASSERT_EQ(experiment.cells.size(), 4u);
  const auto writer_of = [&](std::size_t cell) {
    return drill_of(experiment, experiment.cells[cell]).writers.at(0);
  };
  EXPECT_EQ(writer_of(0).bytes_per_second, 10'000'000);
  EXPECT_EQ(writer_of(0).sync, SyncCall::none);
  EXPECT_EQ(writer_of(1).sync, SyncCall::msync);
  EXPECT_EQ(writer_of(2).bytes_per_second, 20'000'000);
  EXPECT_EQ(writer_of(3).sync_every, Duration::s(1));
  EXPECT_TRUE(experiment.cells[0].changes.empty());
  EXPECT_EQ(experiment.cells[2].changes.at("load/writers/w/rate"), "20 MB/s");
}

TEST(PathAxes, ASettingDoesNotVanishUnderThem) {
  Json json = test::kBareScenario.json();
  json["matrix"] = {{"load/writers/w/rate", {"10 MB/s", "20 MB/s"}}};
  try {
    parse_drill("f.json", json.dump(), {{"load/writers/w/rate", "30 MB/s"}});
    ADD_FAILURE() << "accepted";
  } catch (const InputError& error) {
    EXPECT_STREQ(error.what(), "--set load/writers/w/rate: the matrix varies /load/writers/w/rate");
  }
  EXPECT_EQ(parse_drill("f.json", json.dump(), {{"load/readers/r/rate", "2 MB/s"}})
                .readers[0]
                .bytes_per_second,
            2'000'000);
}

TEST(PathAxes, AreRefusedWhereTheyCannotBe) {
  EXPECT_EQ(refusal([](Json& j) { j["matrix"] = {{"drill/x", {"a"}}}; }),
            "/matrix/drill/x: only places in topology/hosts, topology/disks, behaviour/set, load, "
            "phases and faults, and behaviour/bugs, can be varied");
  EXPECT_EQ(
      refusal([](Json& j) { j["matrix"] = {{"load/writers/w/rate", {"10 MB/s", "fast"}}}; }),
      "/matrix: with load/writers/w/rate=fast: load/writers/w/rate: must be a rate: a size and "
      "/s, as 125 MB/s");
  EXPECT_EQ(refusal([](Json& j) { j["matrix"] = {{"flushDiskType", {"SYNC_FLUSH"}}}; }),
            "/matrix: flushDiskType: the topology has no broker that could have it");
}

}  // namespace
}  // namespace drydock::scenarios
