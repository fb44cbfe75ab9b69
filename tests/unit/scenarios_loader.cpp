// The loader accepts a whole drill, and refuses everything else by name, file and path, in one
// line.
#include <gtest/gtest.h>

#include "tests/support/scenario_text.hpp"

namespace drydock::scenarios {
namespace {

using test::Change;
using test::Json;
using test::kBrokerScenario;

Json valid() { return kBrokerScenario.json(); }
std::string refusal(const Change& change) { return kBrokerScenario.refusal(change); }

// What is said to a text; empty if it is accepted.
std::string refusal_of_text(const std::string& text) {
  try {
    (void)parse_drill("f.json", text);
  } catch (const InputError& error) {
    return error.what();
  }
  return "";
}

TEST(Loader, ReadsAWholeDrill) {
  const Drill drill = parse_drill("f.json", kBrokerScenario.text());
  EXPECT_EQ(drill.id, "d");
  EXPECT_EQ(drill.seeds.first, 3u);
  EXPECT_EQ(drill.seeds.last, 5u);
  ASSERT_EQ(drill.hosts.size(), 2u);
  EXPECT_EQ(drill.hosts[1].disk->bytes, 1LL << 30);
  EXPECT_EQ(drill.hosts[1].boot, Duration::s(5));
  ASSERT_EQ(drill.brokers.size(), 1u);
  EXPECT_EQ(drill.brokers[0].set[0].second, "200");
  ASSERT_EQ(drill.producers.size(), 1u);
  EXPECT_EQ(drill.producers[0].body_bytes, 1'024);
  EXPECT_EQ(drill.producers[0].rate_per_second, 50);
  EXPECT_EQ(drill.phases.inject.at_most, Duration::s(2));
  EXPECT_EQ(drill.phases.hold.until, PhaseEnd::writes_resume);
  EXPECT_EQ(drill.phases.hold.then, Duration::s(1));
  ASSERT_EQ(drill.fault_sets.at("power").size(), 1u);
  const FaultSpec& power = drill.fault_sets.at("power")[0];
  EXPECT_EQ(power.kind, faults::FaultKind::host_power_loss);
  EXPECT_EQ(std::get<faults::AtEvent>(power.when), (faults::AtEvent{EventName::store_flushed, 3}));
  const FaultSpec& kill = drill.fault_sets.at("crash")[0];
  EXPECT_EQ(std::get<faults::AtCrashPoint>(kill.when).point, CrashPoint::store_before_flush);
  EXPECT_FALSE(kill.lasts);
  ASSERT_EQ(drill.matrix.size(), 2u);
  ASSERT_EQ(drill.expectations.size(), 3u);
  EXPECT_EQ(drill.expectations[2].bound, 30'000'000'000);
}

TEST(Loader, CommentsAndTheOrderOfKeysDoNotChangeADrill) {
  EXPECT_EQ(parse_drill("f.json", kBrokerScenario.text()).canonical,
            parse_drill("f.json", nlohmann::json(valid()).dump()).canonical);
}

TEST(Loader, RefusesWhatIsNotImplementedByName) {
  EXPECT_EQ(
      refusal([](Json& j) { j["topology"]["hosts"]["h"]["graphics_card"] = "1"; }),
      "/topology/hosts/h/graphics_card: not supported; known here: labels, disk, boot, dirty, "
      "kernel, memory, open_files, cpu");
  EXPECT_EQ(refusal([](Json& j) { j["record"] = Json::object(); }),
            "/record: not supported; known here: drill, title, why, seeds, topology, conf, "
            "behaviour, load, phases, faults, expectations, matrix");
  EXPECT_EQ(refusal([](Json& j) { j["faults"]["kill"][0]["do"] = "net.cut"; }),
            "/faults/kill/0/do: 'net.cut' is not supported; drydock list shows the kinds "
            "of faults");
  EXPECT_EQ(refusal([](Json& j) { j["topology"]["brokers"]["b"]["role"] = "learner"; }),
            "/topology/brokers/b/role: role 'learner' is not supported; known here: master, "
            "slave");
  EXPECT_EQ(refusal([](Json& j) { j["load"]["producers"] = Json::object(); }),
            "/load/producers: must name a producer");
  EXPECT_EQ(refusal([](Json& j) { j["phases"]["hold"]["until"] = "caught-up"; }),
            "/phases/hold/until: not supported; known here: writes-resume, "
            "brokers-serving, slaves-caught-up, and an event as {\"event\": NAME}");
  EXPECT_EQ(refusal([](Json& j) { j["phases"]["hold"]["until"] = {{"event", "tea.is-ready"}}; }),
            "/phases/hold/until/event: there is no such event; drydock list shows them");
  EXPECT_EQ(refusal([](Json& j) { j["topology"]["hosts"]["h"]["disk"]["shared_by"] = {"h", "c"}; }),
            "/topology/hosts/h/disk/shared_by: a disk that several hosts attach stands in "
            "/topology/disks");
}

TEST(Loader, RefusesNamesThatReferToNothing) {
  EXPECT_EQ(refusal([](Json& j) { j["topology"]["brokers"]["b"]["host"] = "x"; }),
            "/topology/brokers/b/host: there is no host 'x' in /topology/hosts");
  EXPECT_EQ(refusal([](Json& j) { j["conf"]["x"] = Json::object(); }),
            "/conf/x: there is no broker 'x' in /topology/brokers");
  EXPECT_EQ(refusal([](Json& j) { j["load"]["producers"]["p"]["broker"] = "x"; }),
            "/load/producers/p/broker: there is no broker 'x' in /topology/brokers");
  EXPECT_EQ(refusal([](Json& j) { j["faults"]["kill"][0]["on"] = "h"; }),
            "/faults/kill/0/on: there is no process 'h'; a role is written role:NAME");
  EXPECT_EQ(refusal([](Json& j) { j["faults"]["kill"][0]["on"] = "role:slave"; }),
            "/faults/kill/0/on: nothing in the topology has the role 'slave'");
  EXPECT_EQ(refusal([](Json& j) { j["faults"]["power"][0]["when"]["event"] = "x"; }),
            "/faults/power/0/when/event: there is no such event; drydock list shows them");
  EXPECT_EQ(refusal([](Json& j) { j["matrix"]["fault"][0] = "x"; }),
            "/matrix/fault/0: there is no 'x' in /faults");
  EXPECT_EQ(refusal([](Json& j) { j["expectations"][0]["cells"] = {{"x", "y"}}; }),
            "/expectations/0/cells/x: the matrix has no such axis");
  EXPECT_EQ(refusal([](Json& j) { j["expectations"][0]["every_run"] = "loss = 0"; }),
            "/expectations/0/every_run: there is no quantity 'loss'; drydock list shows "
            "them");
}

// The line and column are those of the file as its author sees it, comments and all.
TEST(Loader, NamesTheLineAndTheColumn) {
  const auto with = [](const std::string& from, const std::string& to) {
    std::string text = kBrokerScenario.text();
    return refusal_of_text(text.replace(text.find(from), from.size(), to));
  };
  EXPECT_EQ(with(R"("rate": "50/s")", R"("rate": 50)"),
            "f.json:12:11: /load/producers/p/rate: must be a rate: an integer and /s");
  EXPECT_EQ(with(R"("boot": "5 s")", R"("boots": "5 s")"),
            "f.json:5:73: /topology/hosts/h/boots: not supported; did you mean 'boot'? known here: "
            "labels, disk, boot, dirty, kernel, memory, open_files, cpu");
  EXPECT_EQ(with(R"(["as-in-file", "the-other"])", R"(["as-in-file", "as-in-file"])"),
            "f.json:23:46: /matrix/flushDiskType/1: occurs twice");
}

TEST(Loader, RefusesKeysThatRocketMqDoesNotHave) {
  const std::string why =
      "not a key of RocketMQ 5.3.3, which ignores it in silence; did you mean flushDiskType?";
  EXPECT_EQ(refusal([](Json& j) { j["conf"]["b"]["flushDiskTyp"] = "SYNC_FLUSH"; }),
            "/conf/b/flushDiskTyp: " + why);
  EXPECT_EQ(refusal([](Json& j) { j["matrix"]["flushDiskTyp"] = {"SYNC_FLUSH", "ASYNC_FLUSH"}; }),
            "/matrix/flushDiskTyp: " + why);
  EXPECT_EQ(refusal([](Json& j) { j["matrix"]["x"] = {{"one", {{"flushDiskTyp", "y"}}}}; }),
            "/matrix/x/one/flushDiskTyp: " + why);
}

TEST(Loader, SaysWhatMayHaveBeenMeant) {
  const auto meant = [](const Change& change) {
    const std::string said = refusal(change);
    const std::size_t at = said.rfind("did you mean '");
    return at == said.npos ? said : said.substr(at + 13);
  };
  EXPECT_EQ(meant([](Json& j) { j["topology"]["brokers"]["b"]["role"] = "mastr"; }), "'master'?");
  EXPECT_EQ(meant([](Json& j) {
              j["topology"]["hosts"]["client-host"] = Json::object();
              j["load"]["producers"]["p"]["host"] = "client-hots";
            }),
            "'client-host'?");
  EXPECT_EQ(meant([](Json& j) { j["faults"]["kill"][0]["do"] = "process.kil"; }),
            "'process.kill'?");
  EXPECT_EQ(meant([](Json& j) { j["faults"]["kill"][0]["on"] = "role:mastr"; }), "'master'?");
  EXPECT_EQ(meant([](Json& j) { j["faults"]["power"][0]["when"]["event"] = "store.flush"; }),
            "'store.flushed'?");
  EXPECT_EQ(
      meant([](Json& j) { j["faults"]["crash"][0]["when"]["crash_point"] = "store.before-flus"; }),
      "'store.before-flush'?");
  EXPECT_EQ(meant([](Json& j) { j["matrix"]["fault"][0] = "kil"; }), "'kill'?");
  EXPECT_EQ(meant([](Json& j) { j["phases"]["hold"]["until"] = "write-resume"; }),
            "'writes-resume'?");
  EXPECT_EQ(meant([](Json& j) { j["behaviour"]["preset"] = "rocketmq-5.3.2"; }),
            "'rocketmq-5.3.3'?");
  EXPECT_EQ(
      meant([](Json& j) { j["behaviour"]["set"] = {{"flush.errors-advance-position", "x"}}; }),
      "'flush.error-advances-position'?");
  EXPECT_EQ(meant([](Json& j) { j["behaviour"]["bugs"] = {"ack-before-flsh"}; }),
            "'ack-before-flush'?");
  EXPECT_EQ(meant([](Json& j) { j["behaviour"]["buggify"] = {{"client.retry-erly", "1%"}}; }),
            "'client.retry-early'?");
  EXPECT_EQ(meant([](Json& j) { j["expectations"][0]["every_run"] = "acked_los = 0"; }),
            "'acked_loss'?");
}

TEST(Loader, RefusesWrongUnits) {
  EXPECT_EQ(refusal([](Json& j) { j["phases"]["warm"] = 5; }),
            "/phases/warm: must be a duration: an integer and one of ns us ms s min h");
  EXPECT_EQ(refusal([](Json& j) { j["load"]["producers"]["p"]["body"] = "1 s"; }),
            "/load/producers/p/body: must be a size: an integer and one of B KiB MiB GiB "
            "kB MB GB");
  EXPECT_EQ(refusal([](Json& j) { j["load"]["producers"]["p"]["rate"] = "0/s"; }),
            "/load/producers/p/rate: must be a rate: an integer and /s");
  EXPECT_EQ(refusal([](Json& j) { j["load"]["producers"]["p"]["queues"] = "2"; }),
            "/load/producers/p/queues: must be an integer from 1 to 1024");
  EXPECT_EQ(refusal([](Json& j) { j["load"]["producers"]["p"]["queues"] = 18446744073709551615u; }),
            "/load/producers/p/queues: must be an integer from 1 to 1024");
  EXPECT_EQ(refusal([](Json& j) { j["expectations"][2]["every_run"] = "rto.client <= 30"; }),
            "/expectations/2/every_run: must end with a duration: an integer and one of ns "
            "us ms s min h");
  EXPECT_EQ(refusal([](Json& j) { j["seeds"] = "5..3"; }), "/seeds: '5..3' ends before it begins");
  EXPECT_EQ(refusal([](Json& j) { j["seeds"] = 5; }), "/seeds: must be N or N..M in quotes");
}

TEST(Loader, SaysWhatIsTheMost) {
  const auto producer = [](const char* key, const char* value) {
    return refusal([&](Json& j) { j["load"]["producers"]["p"][key] = value; });
  };
  const std::string at = "/load/producers/p/";
  for (const char* large : {"99999999999 h", "99999999999999999999999 ms", "36000001 s"}) {
    EXPECT_EQ(producer("timeout", large), at + "timeout: must be at most 10000 h");
  }
  EXPECT_EQ(producer("body", "99999999999999 GiB"), at + "body: must be at most 1048576 GiB");
  EXPECT_EQ(producer("rate", "99999999999999999999/s"), at + "rate: must be at most 1000000/s");
  EXPECT_EQ(refusal([](Json& j) {
              j["topology"]["links"] =
                  Json::parse(R"([{"from": "h", "to": "c", "bandwidth": "9999999999 GiB/s"}])");
            }),
            "/topology/links/0/bandwidth: must be at most 1048576 GiB/s");
  EXPECT_EQ(
      refusal([](Json& j) { j["expectations"][2]["every_run"] = "rto.client <= 99999999999 h"; }),
      "/expectations/2/every_run: must end with at most 10000 h");
}

TEST(Loader, RefusesWhatContradictsItself) {
  EXPECT_EQ(refusal([](Json& j) { j["faults"]["kill"][0]["when"]["between"] = {"2 s", "1 s"}; }),
            "/faults/kill/0/when/between: ends before it begins");
  EXPECT_EQ(refusal([](Json& j) { j["expectations"][0]["total"] = "acked_loss = 0"; }),
            "/expectations/0: must have only one of every_run, total, p50, p90, p99");
  EXPECT_EQ(refusal([](Json& j) { j["expectations"][1]["total"] = "rto.client <= 1 s"; }),
            "/expectations/1/total: times have no total");
  EXPECT_EQ(refusal([](Json& j) { j["topology"]["brokers"]["b"]["host"] = "c"; }),
            "/topology/brokers/b: its host has no disk");
  EXPECT_EQ(refusal([](Json& j) { j["load"]["producers"]["p"]["timeout"] = "0 s"; }),
            "/load/producers/p/timeout: must be at least 1 ms");
  EXPECT_EQ(refusal([](Json& j) { j["topology"]["hosts"]["h"]["boot"] = "10001 h"; }),
            "/topology/hosts/h/boot: must be at most 10000 h");
  EXPECT_EQ(refusal([](Json& j) { j["topology"]["brokers"].clear(); }),
            "/topology/brokers: must have one master: this version runs one group of brokers");
}

TEST(Loader, RefusesWhatIsMissingOrNoJson) {
  EXPECT_EQ(refusal([](Json& j) { j.erase("phases"); }), "/: 'phases' is missing");
  EXPECT_EQ(refusal([](Json& j) { j["load"]["producers"]["p"].erase("timeout"); }),
            "/load/producers/p: 'timeout' is missing");
  EXPECT_EQ(refusal_of_text("[]"), "f.json:1:1: /: must be an object");
  EXPECT_TRUE(refusal_of_text("{").starts_with("f.json:1:2: no JSON: syntax error while parsing"))
      << refusal_of_text("{");
  EXPECT_TRUE(
      refusal_of_text("// a comment\n{\n  \"drill\" 5}").starts_with("f.json:3:11: no JSON: "))
      << refusal_of_text("// a comment\n{\n  \"drill\" 5}");
  EXPECT_EQ(refusal_of_text(R"({"drill": "a", "drill": "b"})"),
            "f.json:1:2: /drill: occurs twice in one object");
  EXPECT_TRUE(refusal_of_text(R"({"drill": 1e999})").starts_with("f.json:1:15: no JSON: "))
      << refusal_of_text(R"({"drill": 1e999})");
}

}  // namespace
}  // namespace drydock::scenarios
