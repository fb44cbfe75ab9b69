// Phases, faults, matrix and expectations: what the loader takes, and what it refuses.
#include <gtest/gtest.h>

#include "tests/support/scenario_text.hpp"

namespace drydock::scenarios {
namespace {

using test::Change;
using test::Json;
using test::kBrokerScenario;

Json valid() { return kBrokerScenario.json(); }
std::string refusal(const Change& change) { return kBrokerScenario.refusal(change); }

TEST(Loader, RefusesFaultsThatCanNeverWork) {
  Json json = valid();
  json["topology"]["hosts"]["n"] = Json::object();
  json["topology"]["name_servers"] = {{"ns", {{"host", "n"}}}};
  const auto refused = [&](const char* fault) {
    return refusal([&](Json& j) {
      j = json;
      j["faults"]["kill"].push_back(Json::parse(fault));
    });
  };
  const std::string at = "/faults/kill/1/";
  for (const char* whom : {"role:master", "role:nameserver", "b"}) {
    const std::string promote =
        R"({"do": "operator.promote", "when": {"at": "1 s"}, "on": ")" + std::string(whom) + "\"}";
    EXPECT_EQ(refused(promote.c_str()), at + "on: must be a slave: only a slave can be promoted");
  }
  const std::string no_broker = at + "on: runs no broker, and only brokers reach crash points";
  EXPECT_EQ(refused(R"({"do": "host.panic", "on": "c",
                        "when": {"crash_point": "store.before-flush"}})"),
            no_broker);
  EXPECT_EQ(refused(R"({"do": "process.kill", "on": "role:nameserver",
                        "when": {"crash_point": "store.before-flush"}})"),
            no_broker);
  EXPECT_EQ(refused(R"({"do": "host.panic", "on": "h",
                        "when": {"crash_point": "store.before-flush"}})"),
            "accepted");
  const std::string itself = at + "from: a host is never cut off from itself";
  EXPECT_EQ(refused(R"({"do": "net.partition", "on": "h", "from": "role:master",
                        "when": {"at": "1 s"}})"),
            itself);
  EXPECT_EQ(refused(R"({"do": "net.partition", "on": "role:master", "from": "role:master",
                        "when": {"at": "1 s"}})"),
            itself);
  EXPECT_EQ(refused(R"({"do": "net.partition", "on": "n", "from": "role:master",
                        "when": {"at": "1 s"}})"),
            "accepted");
}

TEST(Loader, RefusesStrayProgramsAndDemotionsThatMeanNothing) {
  Json json = valid();
  const auto refused = [&](const char* fault) {
    return refusal([&](Json& j) {
      j = json;
      j["faults"]["kill"].push_back(Json::parse(fault));
    });
  };
  const std::string at = "/faults/kill/1";
  EXPECT_EQ(refused(R"({"do": "net.stray-client", "on": "b", "from": "c", "when": {"at": "1 s"}})"),
            "accepted");
  EXPECT_EQ(refused(R"({"do": "net.stray-client", "on": "b", "from": "x",
                        "when": {"at": "1 s"}})")
                .rfind(at + "/from: ", 0),
            0u);
  EXPECT_EQ(refused(R"({"do": "fs.remove", "on": "b", "file": "store", "when": {"at": "1 s"}})"),
            at + "/file: must be a path such as /store/x");
  EXPECT_EQ(refused(R"({"do": "process.kill", "on": "b", "file": "/x", "when": {"at": "1 s"}})"),
            at + "/file: process.kill has no such member");
  EXPECT_EQ(
      refused(R"({"do": "fs.lock", "on": "b", "directory": "/store/", "when": {"at": "1 s"}})"),
      at + "/directory: must be a path such as /store/x");
  EXPECT_EQ(refused(R"({"do": "fs.remove", "on": "b", "directory": "/x", "when": {"at": "1 s"}})"),
            at + "/directory: fs.remove has no such member");
  EXPECT_EQ(refused(R"({"do": "fs.lock", "on": "b", "when": {"at": "1 s"}})").rfind(at, 0), 0u);
  const char* const demote = R"({"do": "operator.demote", "on": "b", "when": {"at": "1 s"}})";
  EXPECT_EQ(refused(demote), at + ": needs a name server: it says whom the slave should follow");
  json["topology"]["hosts"]["n"] = Json::object();
  json["topology"]["name_servers"] = {{"ns", {{"host", "n"}}}};
  EXPECT_EQ(refused(demote), "accepted");
  EXPECT_EQ(refused(R"({"do": "net.stray-client", "on": "role:nameserver", "from": "c",
                        "when": {"at": "1 s"}})"),
            at + "/on: must be a broker");
}

TEST(Loader, RefusesFaultsThatCanNeverFireAndAJudgeWithoutTime) {
  EXPECT_EQ(refusal([](Json& j) { j["faults"]["kill"][0]["when"] = {{"at", "400 s"}}; }),
            "/faults/kill/0/when: is later than the phases inject and hold, which last 62 s "
            "at most");
  EXPECT_EQ(refusal([](Json& j) { j["phases"]["judge"] = "1 s"; }),
            "/phases/judge: must be at least 2 s: it begins with a second for what is on "
            "its way");
}

TEST(Loader, RefusesFaultsThatOutlastTheirPhases) {
  EXPECT_EQ(refusal([](Json& j) { j["faults"]["kill"][0]["for"] = "62 s"; }), "accepted");
  EXPECT_EQ(refusal([](Json& j) { j["faults"]["kill"][0]["for"] = "63 s"; }),
            "/faults/kill/0/for: is longer than the phases inject and hold, which last 62 s at "
            "most; without it the fault stays until heal");
}

TEST(Loader, RefusesEndsOfPhasesThatDecideNothing) {
  EXPECT_EQ(refusal([](Json& j) { j["phases"]["hold"]["then"] = "60 s"; }),
            "/phases/hold/then: must be less than at_most, which ends the phase in any case");
  EXPECT_EQ(refusal([](Json& j) { j["phases"]["hold"]["until"] = "slaves-caught-up"; }),
            "/phases/hold/until: the topology has no slave to wait for");
}

TEST(Loader, TakesSlavesAndWhatOperatorsDo) {
  Json json = valid();
  json["topology"]["brokers"] = {{"s", {{"host", "c"}, {"role", "slave"}}},
                                 {"b", {{"host", "h"}, {"role", "master"}}}};
  json["topology"]["hosts"]["c"] = json["topology"]["hosts"]["h"];
  json["faults"]["kill"] = {
      {{"do", "host.destroy"}, {"on", "role:master"}, {"when", {{"at", "1 s"}}}},
      {{"do", "operator.promote"}, {"on", "s"}, {"when", {{"at", "2 s"}}}}};
  const Drill drill = parse_drill("f.json", json.dump());
  ASSERT_EQ(drill.brokers.size(), 2u);
  EXPECT_EQ(drill.brokers[0].name, "b") << "the master comes first";
  ASSERT_EQ(drill.fault_sets.at("kill").size(), 2u);
  json["faults"]["kill"][0]["for"] = "1 s";
  EXPECT_EQ(refusal([&](Json& j) { j = json; }),
            "/faults/kill/0/for: host.destroy is never taken back");
  EXPECT_EQ(refusal([&](Json& j) {
              j = json;
              j["load"]["producers"]["p"]["broker"] = "s";
            }),
            "/load/producers/p/broker: must be the master: a slave takes no sends");
  EXPECT_EQ(refusal([&](Json& j) {
              j = json;
              j["faults"]["kill"][0].erase("for");
              j["load"]["consumers"]["r"] = {{"host", "c"}, {"topic", "x"}, {"broker", "s"}};
            }),
            "/load/consumers/r/broker: must be the master: a consumer that reads from a "
            "slave is not built yet");
}

TEST(Loader, ASetMayBeEmptyButNotConsistOfRemediesAlone) {
  Json json = valid();
  json["topology"]["brokers"] = {{"s", {{"host", "c"}, {"role", "slave"}}},
                                 {"b", {{"host", "h"}, {"role", "master"}}}};
  json["topology"]["hosts"]["c"] = json["topology"]["hosts"]["h"];
  json["faults"]["kill"] = Json::array();
  EXPECT_TRUE(parse_drill("f.json", json.dump()).fault_sets.at("kill").empty());
  EXPECT_EQ(refusal([&](Json& j) {
              j = json;
              j["faults"]["kill"] = {
                  {{"do", "operator.promote"}, {"on", "s"}, {"when", {{"at", "2 s"}}}}};
            }),
            "/faults/kill: must hold a fault, not only what operators do about one");
}

TEST(Loader, APartitionSaysFromWhomAndWhichWay) {
  Json json = valid();
  json["faults"]["kill"] = {{{"do", "net.partition"},
                             {"on", "b"},
                             {"from", "c"},
                             {"direction", "incoming"},
                             {"when", {{"at", "1 s"}}},
                             {"for", "2 s"}}};
  const auto separation = [](const Json& from) {
    return parse_drill("f.json", from.dump()).fault_sets.at("kill").at(0).separation;
  };
  EXPECT_EQ(separation(json), (faults::Separation{faults::Selector{faults::Selector::By::name, "c"},
                                                  faults::CutDirection::incoming}));
  const auto refused = [&](const char* key, const char* value) {
    return refusal([&](Json& j) {
      j = json;
      j["faults"]["kill"][0][key] = value;
    });
  };
  EXPECT_EQ(refused("from", "h"), "/faults/kill/0/from: a host is never cut off from itself");
  EXPECT_EQ(refused("from", "x-host"), "/faults/kill/0/from: there is no host or process 'x-host'");
  EXPECT_EQ(refused("from", "other"),
            "/faults/kill/0/from: there is no host or process 'other'; did you mean "
            "'others'?");
  EXPECT_EQ(refused("from", "role:slave"),
            "/faults/kill/0/from: nothing in the topology has the role 'slave'");
  EXPECT_EQ(refused("direction", "in"),
            "/faults/kill/0/direction: must be both, incoming or outgoing");
  EXPECT_EQ(refused("do", "process.kill"), "/faults/kill/0/from: process.kill has no such member");
  json["faults"]["kill"][0]["from"] = "others";
  json["faults"]["kill"][0].erase("direction");
  EXPECT_EQ(separation(json), faults::Separation());
}

TEST(Loader, AnAxisMayNameChoicesOfSeveralKeys) {
  Json json = valid();
  json["matrix"]["replication"] = {{"one", {{"brokerRole", "ASYNC_MASTER"}}},
                                   {"two", {{"brokerRole", "SYNC_MASTER"}, {"inSyncReplicas", 2}}}};
  const Drill drill = parse_drill("f.json", json.dump());
  const Axis& axis = drill.matrix.back();
  EXPECT_EQ(axis.values, (std::vector<std::string>{"one", "two"}));
  EXPECT_EQ(axis.variants.at("two"), (std::vector<std::pair<std::string, std::string>>{
                                         {"brokerRole", "SYNC_MASTER"}, {"inSyncReplicas", "2"}}));
}

TEST(Loader, RefusesExpectationsOfLessThanNothing) {
  for (const char* vain :
       {"acked_loss < 0", "acked_loss = -1", "acked_loss >= -1", "rto.client < 0 s"}) {
    EXPECT_EQ(refusal([&](Json& j) { j["expectations"][2]["every_run"] = vain; }),
              "/expectations/2/every_run: nothing that is counted or measured is ever "
              "below 0");
  }
}

TEST(Loader, ExpectationsSpeakOfRunsOfTheirSumOrOfAQuantile) {
  Json json = valid();
  json["expectations"][2] = {{"p90", "rto.client <= 30 s"}};
  EXPECT_EQ(parse_drill("f.json", json.dump()).expectations.at(2).over, reports::Over::p90);
  EXPECT_EQ(refusal([](Json& j) { j["expectations"][2] = {{"cells", Json::object()}}; }),
            "/expectations/2: must have one of every_run, total, p50, p90, p99");
  EXPECT_EQ(refusal([](Json& j) { j["expectations"][2]["p50"] = "acked_loss = 0"; }),
            "/expectations/2: must have only one of every_run, total, p50, p90, p99");
}

TEST(Loader, AnExpectationMayNeedANumberOfSeeds) {
  const auto with = [](const Json& needed, const char* over = "total") {
    return [needed, over](Json& j) {
      j["seeds"] = "1..10";
      j["expectations"][2] = {{over, "acked_loss > 0"}, {"seeds_at_least", needed}};
    };
  };
  Json json = valid();
  with(10)(json);
  EXPECT_EQ(parse_drill("f.json", json.dump()).expectations.at(2).seeds_at_least, 10);
  EXPECT_EQ(refusal(with(2, "p90")), "accepted");
  const std::string at = "/expectations/2/seeds_at_least: ";
  EXPECT_EQ(refusal(with(11)),
            at + "the drill has 10 seeds: give it more in /seeds, or ask for fewer");
  EXPECT_EQ(refusal(with(2, "every_run")),
            at + "every_run holds of each run by itself: say total, p50, p90 or p99, or leave it");
  for (const Json& bad : {Json(0), Json(1), Json(-1), Json(1'000'001), Json("10")}) {
    EXPECT_TRUE(refusal(with(bad)).starts_with(at + "must be ")) << refusal(with(bad));
  }
}

TEST(Loader, ATimeMayBeExpectedNeverToCome) {
  Json json = valid();
  json["expectations"][2]["every_run"] = "rto.fault = never";
  EXPECT_FALSE(parse_drill("f.json", json.dump()).expectations.at(2).bound.has_value());
  EXPECT_EQ(refusal([](Json& j) { j["expectations"][2]["every_run"] = "rto.fault <= never"; }),
            "/expectations/2/every_run: must end with a duration: an integer and one of ns "
            "us ms s min h");
}

TEST(Loader, BuggifySitesFireInPercent) {
  Json json = valid();
  json["behaviour"]["buggify"] = {{"client.retry-early", "20%"}};
  EXPECT_EQ(parse_drill("f.json", json.dump()).behaviour.buggify,
            (std::map<BuggifySite, std::int64_t>{{BuggifySite::client_retry_early, 20}}));
  EXPECT_EQ(refusal([](Json& j) { j["behaviour"]["buggify"] = {{"client.retry-early", "0%"}}; }),
            "/behaviour/buggify/client.retry-early: must be at least 1%");
  EXPECT_EQ(refusal([](Json& j) { j["behaviour"]["buggify"] = {{"x.y", "20%"}}; }),
            "/behaviour/buggify/x.y: there is no such site; drydock list shows them");
}

}  // namespace
}  // namespace drydock::scenarios
