// The matrix against a user's broker.conf: which cells there are, what differs from the file, and
// that the same seed breaks things at the same time in all of them.
#include "scenarios/drill/cells.hpp"

#include <gtest/gtest.h>

namespace drydock::scenarios {
namespace {

Drill drill_of() {
  Drill drill;
  drill.source.file = "f.json";
  drill.id = "d";
  drill.canonical = "{}";
  drill.brokers.push_back({"b", "h", "master", {}});
  FaultSpec fault;
  fault.kind = faults::FaultKind::process_kill;
  fault.on.value = "b";
  fault.when = BetweenTimes{Duration(), Duration::s(3)};
  fault.lasts = Duration::s(1);
  drill.fault_sets["kill"] = {fault};
  fault.kind = faults::FaultKind::host_power_loss;
  drill.fault_sets["power"] = {fault};
  drill.matrix.push_back({"flushDiskType", {kAsInFile, kTheOther}});
  drill.matrix.push_back({kFaultAxis, {"kill", "power"}});
  return drill;
}

Experiment experiment_of(const std::string& conf, Drill drill = drill_of(),
                         const Settings& settings = {}) {
  return make_experiment(std::move(drill), {{"broker.conf", conf, ""}}, settings);
}
std::string refusal(Drill drill, const std::string& conf = "", const Settings& settings = {}) {
  try {
    (void)experiment_of(conf, std::move(drill), settings);
  } catch (const InputError& error) {
    return error.what();
  }
  return "";
}

TEST(Cells, AreTheFilesFlushTypeAndTheOtherUnderEachFault) {
  const Experiment experiment = experiment_of("flushDiskType=SYNC_FLUSH\n");
  ASSERT_EQ(experiment.cells.size(), 4u);
  EXPECT_EQ(reports::text_of(experiment.cells[0].id), "fault=kill,flushDiskType=SYNC_FLUSH");
  EXPECT_EQ(reports::text_of(experiment.cells[3].id), "fault=power,flushDiskType=ASYNC_FLUSH");
  EXPECT_TRUE(experiment.cells[0].changes.empty());
  EXPECT_EQ(experiment.cells[3].changes.at("flushDiskType"), "ASYNC_FLUSH");
  EXPECT_EQ(experiment.cells[0].brokers[0].store.flush_disk_type, FlushDiskType::sync_flush);
  EXPECT_EQ(experiment.cells[2].brokers[0].store.flush_disk_type, FlushDiskType::async_flush);
  EXPECT_EQ(experiment.cells[0].faults[0].kind, faults::FaultKind::process_kill);
  EXPECT_EQ(experiment.cells[1].faults[0].kind, faults::FaultKind::host_power_loss);
}

TEST(Cells, WithoutAFileTheDefaultsAreTheUsersOwn) {
  const Experiment experiment = make_experiment(drill_of(), {}, {});
  EXPECT_EQ(experiment.cells[0].id.at("flushDiskType"), "ASYNC_FLUSH");
  EXPECT_EQ(experiment.facts.configuration_file, "(RocketMQ's defaults)");
}

TEST(Cells, LaterSourcesWin) {
  Drill drill = drill_of();
  drill.brokers[0].set = {{"flushIntervalCommitLog", "300"}, {"maxMessageSize", "1000"}};
  const Experiment experiment =
      experiment_of("flushIntervalCommitLog=200\nflushDiskType=ASYNC_FLUSH\n", drill,
                    {{"maxMessageSize", "2000"}});
  const StoreConfiguration& store = experiment.cells[0].brokers[0].store;
  EXPECT_EQ(store.flush_interval_commit_log, Duration::ms(300));
  EXPECT_EQ(store.max_message_size, 2'000);
}

TEST(Cells, AConfigurationAxisTakesLiteralValuesToo) {
  Drill drill = drill_of();
  drill.matrix[0] = {"flushIntervalCommitLog", {"500", "100"}};
  const Experiment experiment = experiment_of("flushIntervalCommitLog=500\n", drill);
  EXPECT_TRUE(experiment.cells[0].changes.empty());
  EXPECT_EQ(experiment.cells[2].changes.at("flushIntervalCommitLog"), "100");
  EXPECT_EQ(experiment.cells[2].brokers[0].store.flush_interval_commit_log, Duration::ms(100));
}

TEST(Cells, RefuseWhatCanNotBe) {
  EXPECT_EQ(refusal(drill_of(), "", {{"flushDiskType", "SYNC_FLUSH"}}),
            "--set flushDiskType: the matrix of f.json varies it");
  EXPECT_EQ(refusal(drill_of(), "", {{"maxMesageSize", "10"}}),
            "--set maxMesageSize: not a key of RocketMQ 5.3.3, which ignores it in silence; did "
            "you mean maxMessageSize?");
  Drill many = drill_of();
  for (int i = 0; i < 12; ++i) {
    many.matrix.push_back({"axis", {"0", "1", "2", "3", "4", "5", "6", "7", "8", "9"}});
  }
  EXPECT_EQ(refusal(many), "f.json:1:1: /matrix: has more than 10000 cells");
  Drill words = drill_of();
  words.matrix[0] = {"maxMessageSize", {kTheOther}};
  EXPECT_EQ(refusal(words),
            "f.json:1:1: /matrix/maxMessageSize: 'the-other' is supported for flushDiskType only");
  Drill unchosen = drill_of();
  unchosen.matrix.pop_back();
  EXPECT_EQ(refusal(unchosen), "f.json:1:1: /faults: with several sets, /matrix/fault must choose");
  Drill idle = drill_of();
  idle.expectations.emplace_back();
  idle.expectations.back().cells = {{"fault", "kil"}};
  EXPECT_EQ(refusal(idle), "f.json:1:1: /expectations/0: no cell has fault=kil");
  EXPECT_TRUE(refusal(drill_of(), "flushDiskType=NO_FLUSH\n").starts_with("broker.conf: line 1: "));
}

// Nothing is ever out of order in a cell in which nothing breaks.
TEST(Cells, AnOutageIsExpectedOnlyWhereSomethingBreaks) {
  Drill drill = drill_of();
  drill.fault_sets["none"] = {};
  drill.matrix.back().values.push_back("none");
  drill.expectations.push_back({.metric = reports::Metric::rto_fault});
  EXPECT_EQ(refusal(drill),
            "f.json:1:1: /expectations/0: there is no rto.fault without a fault, and the cell "
            "fault=none,flushDiskType=ASYNC_FLUSH has none: leave such cells out with \"cells\"");
  drill.expectations.back().cells = {{"fault", "kill"}};
  EXPECT_EQ(refusal(drill), "");
  Drill calm = drill_of();
  calm.matrix.clear();
  calm.fault_sets.clear();
  calm.expectations.push_back({.metric = reports::Metric::rto_client});
  EXPECT_EQ(
      refusal(calm),
      "f.json:1:1: /expectations/0: there is no rto.client without a fault, and the drill has "
      "none: give it some in /faults");
}

TEST(Cells, WarningsNameTheFileAndTheLine) {
  const Experiment experiment = experiment_of("\nflushDiskTyp=SYNC_FLUSH\n");
  ASSERT_EQ(experiment.facts.warnings.size(), 1u);
  EXPECT_TRUE(experiment.facts.warnings[0].starts_with("broker.conf: line 2: flushDiskTyp"))
      << experiment.facts.warnings[0];
}

TEST(Cells, TheDigestIsOfTheEffectiveExperiment) {
  const std::string conf = "listenPort=1\n";
  const std::string digest = experiment_of(conf).facts.scenario_digest;
  EXPECT_EQ(experiment_of("# a comment\nlistenPort = 1\n").facts.scenario_digest, digest);
  EXPECT_EQ(experiment_of("listenPort=1\nnoSuchKey=1\n").facts.scenario_digest, digest);
  EXPECT_NE(experiment_of("listenPort=2\n").facts.scenario_digest, digest);
  EXPECT_NE(experiment_of(conf, drill_of(), {{"maxMessageSize", "10"}}).facts.scenario_digest,
            digest);
}

TEST(Cells, ABrokerHasItsOwnFileOrThatOfItsRoleOrThatOfAll) {
  Drill drill = drill_of();
  drill.brokers.push_back(drill.brokers[0]);
  drill.brokers.back().name = "s";
  drill.brokers.back().role = "slave";
  const UserConfigurations users = {{"all.conf", "maxMessageSize=100", ""},
                                    {"slave.conf", "maxMessageSize=200", "slave"}};
  const Experiment experiment = make_experiment(drill, users, {});
  EXPECT_EQ(experiment.cells[0].brokers[0].store.max_message_size, 100);
  EXPECT_EQ(experiment.cells[0].brokers[1].store.max_message_size, 200);
  EXPECT_EQ(experiment.facts.configuration_file, "all.conf, slave=slave.conf");
  try {
    (void)make_experiment(drill, {{"x.conf", "", "broker-x"}}, {});
    FAIL() << "accepted";
  } catch (const InputError& error) {
    EXPECT_STREQ(error.what(),
                 "--conf broker-x=x.conf: f.json has no broker and no role of that name");
  }
}

TEST(Cells, AnAxisOfChoicesSetsTheirKeys) {
  Drill drill = drill_of();
  Axis axis;
  axis.key = "replication";
  axis.values = {"one", "two"};
  axis.variants["one"] = {{"brokerRole", "ASYNC_MASTER"}, {"inSyncReplicas", "1"}};
  axis.variants["two"] = {{"brokerRole", "SYNC_MASTER"}, {"inSyncReplicas", "2"}};
  drill.matrix = {drill.matrix[0], axis};
  drill.fault_sets = {};
  drill.matrix.erase(drill.matrix.begin());
  drill.expectations.clear();
  const Experiment experiment = experiment_of("inSyncReplicas=2\n", drill);
  ASSERT_EQ(experiment.cells.size(), 2u);
  EXPECT_EQ(experiment.cells[0].id.at("replication"), "one");
  // What differs from the file, RocketMQ's defaults standing in for what it does not say.
  EXPECT_EQ(experiment.cells[0].changes,
            (std::map<std::string, std::string>{{"inSyncReplicas", "1"}}));
  EXPECT_EQ(experiment.cells[1].changes,
            (std::map<std::string, std::string>{{"brokerRole", "SYNC_MASTER"}}));
  EXPECT_EQ(experiment.cells[1].brokers[0].ha.in_sync_replicas, 2);
}

TEST(Plans, TheSameSeedHasTheSameTimesInEveryCell) {
  const Experiment experiment = experiment_of("");
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    const faults::Plan kill = draw_plan(experiment.cells[0], seed);
    const faults::Plan power = draw_plan(experiment.cells[3], seed);
    EXPECT_EQ(kill, draw_plan(experiment.cells[0], seed));
    EXPECT_EQ(kill.faults[0].when, power.faults[0].when);
    const Duration at = std::get<faults::AtTime>(kill.faults[0].when).since_armed;
    EXPECT_GE(at, Duration());
    EXPECT_LE(at, Duration::s(3));
  }
  EXPECT_NE(draw_plan(experiment.cells[0], 1), draw_plan(experiment.cells[0], 2));
}

TEST(Plans, PrintAsCanonicalJson) {
  faults::Plan plan;
  plan.faults.push_back({faults::FaultKind::host_power_loss,
                         {faults::Selector::By::role, "master"},
                         faults::AtTime{Duration::ms(1'234)},
                         Duration::s(2)});
  plan.faults.push_back({faults::FaultKind::process_kill,
                         {faults::Selector::By::name, "b"},
                         faults::AtCrashPoint{CrashPoint::store_before_flush, 7},
                         std::nullopt});
  EXPECT_EQ(text_of(plan),
            R"([{"do":"host.power-loss","for":"2 s","on":"role:master","when":{"at":"1234 ms"}},)"
            R"({"do":"process.kill","on":"b","when":{"crash_point":"store.before-flush",)"
            R"("occurrence":7}}])");
}

}  // namespace
}  // namespace drydock::scenarios
