// Producers and consumers: what the loader takes, and what it refuses.
#include <gtest/gtest.h>

#include "tests/support/scenario_text.hpp"

namespace drydock::scenarios {
namespace {

using test::Change;
using test::Json;
using test::kBrokerScenario;

Json valid() { return kBrokerScenario.json(); }
std::string refusal(const Change& change) { return kBrokerScenario.refusal(change); }

TEST(Loader, RefusesTopicsThatNoBrokerTakesSendsFor) {
  const auto refusal_of_topic = [](const std::string& topic) {
    return refusal([&](Json& j) { j["load"]["producers"]["p"]["topic"] = topic; });
  };
  // Storage reference, 1.2 and 2.7.
  EXPECT_EQ(refusal_of_topic("SCHEDULE_TOPIC_XXXX"),
            "/load/producers/p/topic: 'SCHEDULE_TOPIC_XXXX' belongs to the broker itself, "
            "which refuses what others send there");
  EXPECT_EQ(refusal_of_topic(std::string(128, 't')),
            "/load/producers/p/topic: has more than 127 characters: brokers refuse it");
}

// Otherwise it waits for nothing, and only `undelivered` would tell.
TEST(Loader, AConsumerReadsATopicThatSomebodySendsTo) {
  const auto consumer = [](const char* topic) {
    return refusal([&](Json& j) {
      j["load"]["producers"]["p"]["topic"] = "orders";
      j["load"]["consumers"]["r"] = {{"host", "c"}, {"topic", topic}, {"broker", "b"}};
    });
  };
  const std::string at = "/load/consumers/r/topic: ";
  EXPECT_EQ(consumer("orders"), "accepted");
  EXPECT_EQ(consumer("order"),
            at + "no producer in /load/producers sends to the topic 'order'; did you mean "
                 "'orders'?");
  EXPECT_EQ(consumer("shipments"),
            at + "no producer in /load/producers sends to the topic 'shipments'");
}

TEST(Loader, ConsumersAskNameServersUnlessTheyNameABroker) {
  Json json = valid();
  json["load"]["consumers"] =
      Json::parse(R"({"reader": {"host": "c", "topic": "x", "broker": "b", "batch": 8,
                                "after": "1 s", "pause": "0 s"}})");
  const Drill drill = parse_drill("f.json", json.dump());
  ASSERT_EQ(drill.consumers.size(), 1u);
  EXPECT_EQ(drill.consumers[0].name, "reader");
  EXPECT_EQ(drill.consumers[0].batch, 8);
  EXPECT_EQ(drill.consumers[0].after, Duration::s(1));
  EXPECT_EQ(drill.consumers[0].pause, Duration());
  const auto with = [&](const char* key, const Json& value) {
    return refusal([&](Json& j) {
      j = json;
      j["load"]["consumers"]["reader"][key] = value;
    });
  };
  const std::string at = "/load/consumers/reader/";
  const auto pulls = [&](const Json& expectation) {
    return refusal([&](Json& j) {
      j = json;
      j["expectations"] = Json::array({expectation});
    });
  };
  EXPECT_EQ(pulls({{"every_run", "pull.missed <= 9"}, {"of", "b"}}), "accepted");
  EXPECT_EQ(pulls({{"every_run", "pull.missed <= 9"}, {"of", "x"}}),
            "/expectations/0/of: there is no broker 'x'");
  EXPECT_EQ(pulls({{"every_run", "pull.missed <= 9"}}),
            "/expectations/0: must say of which broker it speaks: \"of\": \"BROKER\"");
  EXPECT_EQ(pulls({{"every_run", "registration.gap <= 60 s"}, {"of", "b"}}),
            "/expectations/0/of: registers with nobody: there are no /topology/name_servers");
  EXPECT_EQ(with("batch", 0), at + "batch: must be an integer from 1 to 1024");
  EXPECT_EQ(with("broker", "x"), at + "broker: there is no broker 'x' in /topology/brokers");
  EXPECT_EQ(
      with("group", "g"),
      at + "group: not supported; known here: host, broker, topic, batch, after, pause, ordered");
  EXPECT_TRUE(with("after", "10 h").starts_with(at + "after: must be less than the load, which"));
}

TEST(Loader, AProducerAsksNameServersUnlessItNamesItsBroker) {
  Json json = valid();
  json["topology"]["hosts"]["n"] = Json::object();
  json["topology"]["name_servers"] = {{"ns-2", {{"host", "n"}}}, {"ns-1", {{"host", "c"}}}};
  json["load"]["producers"]["p"].erase("broker");
  json["faults"]["kill"][0]["on"] = "role:nameserver";
  const Drill drill = parse_drill("f.json", json.dump());
  ASSERT_EQ(drill.name_servers.size(), 2u);
  EXPECT_EQ(drill.name_servers[0].name, "ns-1");
  EXPECT_EQ(drill.name_servers[0].host, "c");
  EXPECT_EQ(drill.producers.at(0).broker, "");
  EXPECT_EQ(drill.fault_sets.at("kill").at(0).on.value, "nameserver");

  EXPECT_EQ(refusal([](Json& j) { j["load"]["producers"]["p"].erase("broker"); }),
            "/load/producers/p: must name its broker: the topology has no name_servers to "
            "ask");
  EXPECT_EQ(refusal([&](Json& j) {
              j = json;
              j["topology"]["name_servers"]["b"] = {{"host", "h"}};
            }),
            "/topology/name_servers/b: a broker has that name, too");
  EXPECT_EQ(refusal([&](Json& j) {
              j = json;
              j["topology"]["name_servers"]["ns-1"]["host"] = "n";
            }),
            "/topology/name_servers/ns-1: its host runs name server 'ns-2' already");
}

}  // namespace
}  // namespace drydock::scenarios
