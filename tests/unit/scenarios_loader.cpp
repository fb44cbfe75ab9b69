// The loader accepts a whole drill, and refuses everything else by name, file and path, in one
// line.
#include "scenarios/loader/loader.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <nlohmann/json.hpp>
#include <regex>

namespace drydock::scenarios {
namespace {

using Json = nlohmann::ordered_json;

const char* const kDrill = R"({
  // A comment.
  "drill": "d", "title": "t", "why": ["w"], "seeds": "3..5",
  "topology": {
    "hosts": {"h": {"disk": {"profile": "local-nvme", "size": "1 GiB"}, "boot": "5 s"}, "c": {}},
    "brokers": {"b": {"host": "h", "role": "master"}}
  },
  "conf": {"b": {"flushIntervalCommitLog": 200}},
  "behaviour": {"preset": "rocketmq-5.3.3", "set": {"flush.error-advances-position": "hardened"}},
  "load": {"producers": {
    "p": {"host": "c", "broker": "b", "topic": "x", "queues": 2, "body": "1 KiB",
          "rate": "50/s", "in_flight": 4, "timeout": "3 s", "retries": 2}}},
  "phases": {"warm": "1 s", "inject": "2 s",
             "hold": {"at_most": "60 s", "until": "writes-resume", "then": "1 s"},
             "heal": "1 s", "settle": "5 s", "judge": "10 s"},
  "faults": {
    "kill": [{"do": "process.kill", "on": "role:master", "when": {"between": ["0 s", "2 s"]},
              "for": "1 s"}],
    "power": [{"do": "host.power-loss", "on": "h",
               "when": {"event": "store.flushed", "occurrence": 3}, "for": "1 s"}],
    "crash": [{"do": "process.kill", "on": "b", "when": {"crash_point": "store.before-flush"}}]
  },
  "matrix": {"flushDiskType": ["as-in-file", "the-other"], "fault": ["kill", "power", "crash"]},
  "expectations": [{"cells": {"fault": "kill"}, "every_run": "acked_loss = 0"},
                   {"total": "duplicates >= 0"},
                   {"every_run": "rto.client <= 30 s"}]
})";

Json valid() { return Json::parse(kDrill, nullptr, true, true); }

// What is said to a text; empty if it is accepted.
std::string refusal_of_text(const std::string& text) {
  try {
    (void)parse_drill("f.json", text);
  } catch (const InputError& error) {
    return error.what();
  }
  return "";
}
// What is said to a drill after `change`, without the place: the whole text is one line here.
std::string refusal(const std::function<void(Json&)>& change) {
  Json json = valid();
  change(json);
  const std::string said = refusal_of_text(json.dump());
  return std::regex_replace(said, std::regex("^f\\.json:1:[0-9]+: "), "f.json: ");
}

TEST(Loader, ReadsAWholeDrill) {
  const Drill drill = parse_drill("f.json", kDrill);
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
  EXPECT_EQ(parse_drill("f.json", kDrill).canonical,
            parse_drill("f.json", nlohmann::json(valid()).dump()).canonical);
}

TEST(Loader, RefusesTopicsThatNoBrokerTakesSendsFor) {
  const auto refusal_of_topic = [](const std::string& topic) {
    return refusal([&](Json& j) { j["load"]["producers"]["p"]["topic"] = topic; });
  };
  // Storage reference, 1.2 and 2.7.
  EXPECT_EQ(refusal_of_topic("SCHEDULE_TOPIC_XXXX"),
            "f.json: /load/producers/p/topic: 'SCHEDULE_TOPIC_XXXX' belongs to the broker itself, "
            "which refuses what others send there");
  EXPECT_EQ(refusal_of_topic(std::string(128, 't')),
            "f.json: /load/producers/p/topic: has more than 127 characters: brokers refuse it");
}

TEST(Loader, RefusesWhatIsNotImplementedByName) {
  EXPECT_EQ(refusal([](Json& j) { j["topology"]["hosts"]["h"]["gpu"] = "1"; }),
            "f.json: /topology/hosts/h/gpu: not supported; known here: labels, disk, boot, dirty, "
            "kernel, memory, open_files");
  EXPECT_EQ(refusal([](Json& j) { j["record"] = Json::object(); }),
            "f.json: /record: not supported; known here: drill, title, why, seeds, topology, conf, "
            "behaviour, load, phases, faults, expectations, matrix");
  EXPECT_EQ(refusal([](Json& j) { j["faults"]["kill"][0]["do"] = "net.cut"; }),
            "f.json: /faults/kill/0/do: 'net.cut' is not supported; drydock list shows the kinds "
            "of faults");
  EXPECT_EQ(
      refusal([](Json& j) { j["topology"]["brokers"]["b"]["role"] = "learner"; }),
      "f.json: /topology/brokers/b/role: role 'learner' is not supported; known here: master, "
      "slave");
  EXPECT_EQ(refusal([](Json& j) { j["faults"]["kill"] = Json::array(); }),
            "f.json: /faults/kill: must hold a fault, not only what operators do about one");
  EXPECT_EQ(refusal([](Json& j) { j["load"]["producers"] = Json::object(); }),
            "f.json: /load/producers: must name a producer");
  EXPECT_EQ(refusal([](Json& j) { j["phases"]["hold"]["until"] = "caught-up"; }),
            "f.json: /phases/hold/until: not supported; known here: writes-resume, "
            "brokers-serving, slaves-caught-up, and an event as {\"event\": NAME}");
  EXPECT_EQ(refusal([](Json& j) { j["phases"]["hold"]["until"] = {{"event", "tea.is-ready"}}; }),
            "f.json: /phases/hold/until/event: there is no such event; drydock list shows them");
  EXPECT_EQ(refusal([](Json& j) { j["topology"]["hosts"]["h"]["disk"]["shared_by"] = {"h", "c"}; }),
            "f.json: /topology/hosts/h/disk/shared_by: a disk that several hosts attach stands in "
            "/topology/disks");
}

TEST(Loader, RefusesNamesThatReferToNothing) {
  EXPECT_EQ(refusal([](Json& j) { j["topology"]["brokers"]["b"]["host"] = "x"; }),
            "f.json: /topology/brokers/b/host: there is no host 'x' in /topology/hosts");
  EXPECT_EQ(refusal([](Json& j) { j["conf"]["x"] = Json::object(); }),
            "f.json: /conf/x: there is no broker 'x' in /topology/brokers");
  EXPECT_EQ(refusal([](Json& j) { j["load"]["producers"]["p"]["broker"] = "x"; }),
            "f.json: /load/producers/p/broker: there is no broker 'x' in /topology/brokers");
  EXPECT_EQ(refusal([](Json& j) { j["faults"]["kill"][0]["on"] = "h"; }),
            "f.json: /faults/kill/0/on: there is no process 'h'; a role is written role:NAME");
  EXPECT_EQ(refusal([](Json& j) { j["faults"]["kill"][0]["on"] = "role:slave"; }),
            "f.json: /faults/kill/0/on: nothing in the topology has the role 'slave'");
  EXPECT_EQ(refusal([](Json& j) { j["faults"]["power"][0]["when"]["event"] = "x"; }),
            "f.json: /faults/power/0/when/event: there is no such event; drydock list shows them");
  EXPECT_EQ(refusal([](Json& j) { j["matrix"]["fault"][0] = "x"; }),
            "f.json: /matrix/fault/0: there is no 'x' in /faults");
  EXPECT_EQ(refusal([](Json& j) { j["expectations"][0]["cells"] = {{"x", "y"}}; }),
            "f.json: /expectations/0/cells/x: the matrix has no such axis");
  EXPECT_EQ(refusal([](Json& j) { j["expectations"][0]["every_run"] = "loss = 0"; }),
            "f.json: /expectations/0/every_run: there is no quantity 'loss'; drydock list shows "
            "them");
}

// The line and column are those of the file as its author sees it, comments and all.
TEST(Loader, NamesTheLineAndTheColumn) {
  const auto with = [](const std::string& from, const std::string& to) {
    std::string text = kDrill;
    return refusal_of_text(text.replace(text.find(from), from.size(), to));
  };
  EXPECT_EQ(with(R"("rate": "50/s")", R"("rate": 50)"),
            "f.json:12:11: /load/producers/p/rate: must be a rate: an integer and /s");
  EXPECT_EQ(with(R"("boot": "5 s")", R"("boots": "5 s")"),
            "f.json:5:73: /topology/hosts/h/boots: not supported; did you mean 'boot'? known here: "
            "labels, disk, boot, dirty, kernel, memory, open_files");
  EXPECT_EQ(with(R"(["as-in-file", "the-other"])", R"(["as-in-file", "as-in-file"])"),
            "f.json:23:46: /matrix/flushDiskType/1: occurs twice");
}

// What is said to the drill with one setting; empty if it is accepted.
std::string refusal_of_setting(const PathSetting& setting) {
  try {
    (void)parse_drill("f.json", kDrill, {setting});
  } catch (const InputError& error) {
    return error.what();
  }
  return "";
}

TEST(Loader, TakesValuesFromTheCommandLineByTheirPath) {
  const Drill drill = parse_drill("f.json", kDrill,
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

TEST(Loader, RefusesKeysThatRocketMqDoesNotHave) {
  const std::string why =
      "not a key of RocketMQ 5.3.3, which ignores it in silence; did you mean flushDiskType?";
  EXPECT_EQ(refusal([](Json& j) { j["conf"]["b"]["flushDiskTyp"] = "SYNC_FLUSH"; }),
            "f.json: /conf/b/flushDiskTyp: " + why);
  EXPECT_EQ(refusal([](Json& j) { j["matrix"]["flushDiskTyp"] = {"SYNC_FLUSH", "ASYNC_FLUSH"}; }),
            "f.json: /matrix/flushDiskTyp: " + why);
  EXPECT_EQ(refusal([](Json& j) { j["matrix"]["x"] = {{"one", {{"flushDiskTyp", "y"}}}}; }),
            "f.json: /matrix/x/one/flushDiskTyp: " + why);
}

TEST(Loader, SaysWhatMayHaveBeenMeant) {
  const auto meant = [](const std::function<void(Json&)>& change) {
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
  const std::string at = "f.json: /faults/kill/1/";
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
            "");
  const std::string itself = at + "from: a host is never cut off from itself";
  EXPECT_EQ(refused(R"({"do": "net.partition", "on": "h", "from": "role:master",
                        "when": {"at": "1 s"}})"),
            itself);
  EXPECT_EQ(refused(R"({"do": "net.partition", "on": "role:master", "from": "role:master",
                        "when": {"at": "1 s"}})"),
            itself);
  EXPECT_EQ(refused(R"({"do": "net.partition", "on": "n", "from": "role:master",
                        "when": {"at": "1 s"}})"),
            "");
}

TEST(Loader, RefusesWrongUnits) {
  EXPECT_EQ(refusal([](Json& j) { j["phases"]["warm"] = 5; }),
            "f.json: /phases/warm: must be a duration: an integer and one of ns us ms s min h");
  EXPECT_EQ(refusal([](Json& j) { j["load"]["producers"]["p"]["body"] = "1 s"; }),
            "f.json: /load/producers/p/body: must be a size: an integer and one of B KiB MiB GiB "
            "kB MB GB");
  EXPECT_EQ(refusal([](Json& j) { j["load"]["producers"]["p"]["rate"] = "0/s"; }),
            "f.json: /load/producers/p/rate: must be a rate: an integer and /s");
  EXPECT_EQ(refusal([](Json& j) { j["load"]["producers"]["p"]["queues"] = "2"; }),
            "f.json: /load/producers/p/queues: must be an integer from 1 to 1024");
  EXPECT_EQ(refusal([](Json& j) { j["load"]["producers"]["p"]["queues"] = 18446744073709551615u; }),
            "f.json: /load/producers/p/queues: must be an integer from 1 to 1024");
  EXPECT_EQ(refusal([](Json& j) { j["expectations"][2]["every_run"] = "rto.client <= 30"; }),
            "f.json: /expectations/2/every_run: must end with a duration: an integer and one of ns "
            "us ms s min h");
  EXPECT_EQ(refusal([](Json& j) { j["seeds"] = "5..3"; }),
            "f.json: /seeds: '5..3' ends before it begins");
  EXPECT_EQ(refusal([](Json& j) { j["seeds"] = 5; }),
            "f.json: /seeds: must be N or N..M in quotes");
}

TEST(Loader, SaysWhatIsTheMost) {
  const auto producer = [](const char* key, const char* value) {
    return refusal([&](Json& j) { j["load"]["producers"]["p"][key] = value; });
  };
  const std::string at = "f.json: /load/producers/p/";
  for (const char* large : {"99999999999 h", "99999999999999999999999 ms", "36000001 s"}) {
    EXPECT_EQ(producer("timeout", large), at + "timeout: must be at most 10000 h");
  }
  EXPECT_EQ(producer("body", "99999999999999 GiB"), at + "body: must be at most 1048576 GiB");
  EXPECT_EQ(producer("rate", "99999999999999999999/s"), at + "rate: must be at most 1000000/s");
  EXPECT_EQ(refusal([](Json& j) {
              j["topology"]["links"] =
                  Json::parse(R"([{"from": "h", "to": "c", "bandwidth": "9999999999 GiB/s"}])");
            }),
            "f.json: /topology/links/0/bandwidth: must be at most 1048576 GiB/s");
  EXPECT_EQ(
      refusal([](Json& j) { j["expectations"][2]["every_run"] = "rto.client <= 99999999999 h"; }),
      "f.json: /expectations/2/every_run: must end with at most 10000 h");
}

TEST(Loader, RefusesExpectationsOfLessThanNothing) {
  for (const char* vain :
       {"acked_loss < 0", "acked_loss = -1", "acked_loss >= -1", "rto.client < 0 s"}) {
    EXPECT_EQ(refusal([&](Json& j) { j["expectations"][2]["every_run"] = vain; }),
              "f.json: /expectations/2/every_run: nothing that is counted or measured is ever "
              "below 0");
  }
}

TEST(Loader, KeepsTheNameOfAllOtherHostsForPartitions) {
  const std::string why =
      ": 'others' is what a partition calls all other hosts; choose another "
      "name";
  EXPECT_EQ(refusal([](Json& j) { j["topology"]["hosts"]["others"] = Json::object(); }),
            "f.json: /topology/hosts/others" + why);
  EXPECT_EQ(refusal([](Json& j) { j["topology"]["brokers"]["others"] = {{"host", "h"}}; }),
            "f.json: /topology/brokers/others" + why);
  EXPECT_EQ(refusal([](Json& j) { j["topology"]["name_servers"] = {{"others", {{"host", "c"}}}}; }),
            "f.json: /topology/name_servers/others" + why);
}

TEST(Loader, RefusesLinksThatCountForNothing) {
  const auto links = [](const char* text) {
    return refusal([&](Json& j) {
      j["topology"]["hosts"]["c"]["labels"] = {{"zone", "a"}};
      j["topology"]["hosts"]["d"]["labels"] = {{"zone", "a"}};
      j["topology"]["links"] = Json::parse(text);
    });
  };
  EXPECT_EQ(links(R"([{"from": "h", "to": "h", "latency": "1 ms"}])"),
            "f.json: /topology/links/0/to: a host has no link to itself");
  EXPECT_EQ(links(R"([{"from": "h", "to": "c", "latency": "1 ms"},
                      {"from": "h", "to": "c", "latency": "2 ms"}])"),
            "f.json: /topology/links/1: /topology/links/0 is from and to the same hosts");
  EXPECT_EQ(links(R"([{"from": "h", "to": "c", "latency": "1 ms"},
                      {"from": "c", "to": "h", "latency": "2 ms"}])"),
            "");
  EXPECT_EQ(links(R"([{"from": "label:zone=a", "to": "label:zone=a", "latency": "1 ms"},
                      {"from": "c", "to": "d", "latency": "2 ms"}])"),
            "");
}

// Otherwise it waits for nothing, and only `undelivered` would tell.
TEST(Loader, AConsumerReadsATopicThatSomebodySendsTo) {
  const auto consumer = [](const char* topic) {
    return refusal([&](Json& j) {
      j["load"]["producers"]["p"]["topic"] = "orders";
      j["load"]["consumers"]["r"] = {{"host", "c"}, {"topic", topic}, {"broker", "b"}};
    });
  };
  const std::string at = "f.json: /load/consumers/r/topic: ";
  EXPECT_EQ(consumer("orders"), "");
  EXPECT_EQ(consumer("order"),
            at + "no producer in /load/producers sends to the topic 'order'; did you mean "
                 "'orders'?");
  EXPECT_EQ(consumer("shipments"),
            at + "no producer in /load/producers sends to the topic 'shipments'");
}

TEST(Loader, RefusesWhatContradictsItself) {
  EXPECT_EQ(refusal([](Json& j) { j["faults"]["kill"][0]["when"]["between"] = {"2 s", "1 s"}; }),
            "f.json: /faults/kill/0/when/between: ends before it begins");
  EXPECT_EQ(refusal([](Json& j) { j["expectations"][0]["total"] = "acked_loss = 0"; }),
            "f.json: /expectations/0: must have only one of every_run, total, p50, p90, p99");
  EXPECT_EQ(refusal([](Json& j) { j["expectations"][1]["total"] = "rto.client <= 1 s"; }),
            "f.json: /expectations/1/total: times have no total");
  EXPECT_EQ(refusal([](Json& j) { j["topology"]["brokers"]["b"]["host"] = "c"; }),
            "f.json: /topology/brokers/b: its host has no disk");
  EXPECT_EQ(refusal([](Json& j) { j["load"]["producers"]["p"]["timeout"] = "0 s"; }),
            "f.json: /load/producers/p/timeout: must be at least 1 ms");
  EXPECT_EQ(refusal([](Json& j) { j["topology"]["hosts"]["h"]["boot"] = "10001 h"; }),
            "f.json: /topology/hosts/h/boot: must be at most 10000 h");
  EXPECT_EQ(
      refusal([](Json& j) { j["topology"]["brokers"].clear(); }),
      "f.json: /topology/brokers: must have one master: this version runs one group of brokers");
}

TEST(Loader, TakesTheMemoryOfAHostAndWhatItsBrokerTakesOfIt) {
  Json json = valid();
  json["topology"]["hosts"]["h"]["memory"] = "64 GiB";
  const Drill plain = parse_drill("f.json", json.dump());
  EXPECT_EQ(std::ranges::find(plain.hosts, "h", &HostSpec::name)->memory->bytes,
            std::int64_t{64} << 30);
  EXPECT_EQ(plain.brokers[0].jvm.heap_bytes, std::int64_t{8} << 30);
  json["topology"]["hosts"]["h"]["memory"] = Json::parse(
      R"({"size": "64 GiB", "group_limit": "32 GiB", "swap": "1 GiB", "min_free": "2 GiB"})");
  json["topology"]["brokers"]["b"]["heap"] = "16 GiB";
  const Drill full = parse_drill("f.json", json.dump());
  const MemorySpec memory = *std::ranges::find(full.hosts, "h", &HostSpec::name)->memory;
  EXPECT_EQ(memory.group_limit_bytes, std::int64_t{32} << 30);
  EXPECT_EQ(memory.swap_bytes, std::int64_t{1} << 30);
  EXPECT_EQ(memory.min_free_bytes, std::int64_t{2} << 30);
  EXPECT_EQ(full.brokers[0].jvm.heap_bytes, std::int64_t{16} << 30);

  EXPECT_EQ(refusal([](Json& j) { j["topology"]["hosts"]["c"]["memory"] = "8 GiB"; }),
            "f.json: /topology/hosts/c/memory: its host has no disk, so nothing that fills it");
  EXPECT_EQ(refusal([](Json& j) {
              j["topology"]["hosts"]["h"]["memory"] = {{"size", "8 GiB"}, {"group_limit", "9 GiB"}};
            }),
            "f.json: /topology/hosts/h/memory/group_limit: must be at most size");
  EXPECT_EQ(refusal([](Json& j) { j["topology"]["brokers"]["b"]["heap"] = "1 GiB"; }),
            "f.json: /topology/brokers/b/heap: its host has no size of memory, so it never runs "
            "out");
}

TEST(Loader, TakesTheVirtualMachineOfABroker) {
  Json json = valid();
  const JvmSpec plain = parse_drill("f.json", json.dump()).brokers[0].jvm;
  // RocketMQ's bin/runbroker.sh.
  EXPECT_EQ(plain.heap_bytes, std::int64_t{8} << 30);
  EXPECT_EQ(plain.young_bytes, std::int64_t{4} << 30);
  EXPECT_EQ(plain.direct_bytes, std::int64_t{15} << 30);
  EXPECT_TRUE(plain.pre_touch);
  EXPECT_EQ(plain.safepoint_interval, Duration::s(1));
  json["topology"]["hosts"]["h"]["memory"] = "64 GiB";
  json["topology"]["brokers"]["b"]["jvm"] = Json::parse(
      R"({"heap": "16 GiB", "direct": "20 GiB", "transient_pool": "5 GiB", "pre_touch": false,
          "allocation": "100 MiB/s", "young_pause": "5 ms", "safepoint_interval": "0 s",
          "gc_log": "/gc.log", "perf_data": "/hsperfdata"})");
  const JvmSpec full = parse_drill("f.json", json.dump()).brokers[0].jvm;
  EXPECT_EQ(full.heap_bytes, std::int64_t{16} << 30);
  EXPECT_EQ(full.young_bytes, std::int64_t{8} << 30) << "half of the heap, as in the script";
  EXPECT_EQ(full.direct_bytes, std::int64_t{20} << 30);
  EXPECT_EQ(full.transient_pool_bytes, std::int64_t{5} << 30);
  EXPECT_FALSE(full.pre_touch);
  EXPECT_EQ(full.allocated_per_second, std::int64_t{100} << 20);
  EXPECT_EQ(full.young_pause, Duration::ms(5));
  EXPECT_EQ(full.safepoint_interval, Duration());
  EXPECT_EQ(full.gc_log, "/gc.log");
  EXPECT_EQ(full.perf_data, "/hsperfdata");
}

TEST(Loader, RefusesAVirtualMachineThatCannotBe) {
  const std::string at = "f.json: /topology/brokers/b/jvm";
  const auto with = [](const char* key, Json value, bool memory = true) {
    return refusal([&](Json& j) {
      if (memory) j["topology"]["hosts"]["h"]["memory"] = "64 GiB";
      j["topology"]["brokers"]["b"]["jvm"][key] = value;
    });
  };
  EXPECT_EQ(with("heap", "0 B"), at + "/heap: must be at least 2 MiB");
  EXPECT_EQ(with("young", "9 GiB"), at + "/young: must be at most heap");
  EXPECT_EQ(with("young", "0 B"), at + "/young: must be at least 1 MiB");
  EXPECT_EQ(with("direct", "1 GiB"), at + "/direct: without transient_pool nothing takes of it");
  EXPECT_EQ(with("transient_pool", "16 GiB"),
            at + "/transient_pool: must be at most direct, or the program ends with an "
                 "OutOfMemoryError: Direct buffer memory");
  EXPECT_EQ(with("transient_pool", "0 B"), at + "/transient_pool: must be more than 0");
  EXPECT_EQ(with("transient_pool", "1 GiB", false),
            at + "/transient_pool: its host has no size of memory, so it never runs out");
  EXPECT_EQ(with("pre_touch", false, false),
            at + "/pre_touch: its host has no size of memory, so it never runs out");
  EXPECT_EQ(with("allocation", "500 GiB/s"), at + "/allocation: must be at most 100 times young");
  EXPECT_EQ(with("young_pause", "61 s"), at + "/young_pause: must be at most 60 s");
  EXPECT_EQ(with("safepoint_interval", "1 ms"),
            at + "/safepoint_interval: must be at least 10 ms, or 0 s for none");
  EXPECT_EQ(with("gc_log", "gc.log"),
            at + "/gc_log: must be an absolute path of one name, such as \"/log\"");
  EXPECT_EQ(refusal([](Json& j) {
              j["topology"]["brokers"]["b"]["jvm"] = {{"gc_log", "/a"}, {"perf_data", "/a"}};
            }),
            at + "/perf_data: is the file of gc_log");
  EXPECT_EQ(refusal([](Json& j) {
              j["topology"]["hosts"]["h"]["memory"] = "64 GiB";
              j["topology"]["brokers"]["b"]["heap"] = "1 GiB";
              j["topology"]["brokers"]["b"]["jvm"] = Json::object();
            }),
            "f.json: /topology/brokers/b/heap: jvm has a heap, too");
  EXPECT_EQ(refusal([](Json& j) {
              j["topology"]["hosts"]["h"]["memory"] = "64 GiB";
              j["topology"]["brokers"]["b"]["heap"] = "0 B";
            }),
            "f.json: /topology/brokers/b/heap: must be at least 2 MiB");
}

TEST(Loader, TakesALimitOfOpenFiles) {
  Json json = valid();
  const auto limit = [&json] {
    const Drill drill = parse_drill("f.json", json.dump());
    return std::ranges::find(drill.hosts, "h", &HostSpec::name)->open_files_max;
  };
  EXPECT_EQ(limit(), 655'350);  // RocketMQ's bin/os.sh.
  json["topology"]["hosts"]["h"]["open_files"] = 1'024;
  EXPECT_EQ(limit(), 1'024);
  EXPECT_NE(refusal([](Json& j) { j["topology"]["hosts"]["h"]["open_files"] = 0; }), "");
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
            "f.json: /faults/kill/0/for: host.destroy is never taken back");
  EXPECT_EQ(refusal([&](Json& j) {
              j = json;
              j["load"]["producers"]["p"]["broker"] = "s";
            }),
            "f.json: /load/producers/p/broker: must be the master: a slave takes no sends");
  EXPECT_EQ(refusal([&](Json& j) {
              j = json;
              j["faults"]["kill"][0].erase("for");
              j["load"]["consumers"]["r"] = {{"host", "c"}, {"topic", "x"}, {"broker", "s"}};
            }),
            "f.json: /load/consumers/r/broker: must be the master: a consumer that reads from a "
            "slave is not built yet");
}

TEST(Loader, ExpectationsSpeakOfRunsOfTheirSumOrOfAQuantile) {
  Json json = valid();
  json["expectations"][2] = {{"p90", "rto.client <= 30 s"}};
  EXPECT_EQ(parse_drill("f.json", json.dump()).expectations.at(2).over, reports::Over::p90);
  EXPECT_EQ(refusal([](Json& j) { j["expectations"][2] = {{"cells", Json::object()}}; }),
            "f.json: /expectations/2: must have one of every_run, total, p50, p90, p99");
  EXPECT_EQ(refusal([](Json& j) { j["expectations"][2]["p50"] = "acked_loss = 0"; }),
            "f.json: /expectations/2: must have only one of every_run, total, p50, p90, p99");
}

TEST(Loader, ATimeMayBeExpectedNeverToCome) {
  Json json = valid();
  json["expectations"][2]["every_run"] = "rto.fault = never";
  EXPECT_FALSE(parse_drill("f.json", json.dump()).expectations.at(2).bound.has_value());
  EXPECT_EQ(refusal([](Json& j) { j["expectations"][2]["every_run"] = "rto.fault <= never"; }),
            "f.json: /expectations/2/every_run: must end with a duration: an integer and one of ns "
            "us ms s min h");
}

TEST(Loader, BuggifySitesFireInPercent) {
  Json json = valid();
  json["behaviour"]["buggify"] = {{"client.retry-early", "20%"}};
  EXPECT_EQ(parse_drill("f.json", json.dump()).behaviour.buggify,
            (std::map<BuggifySite, std::int64_t>{{BuggifySite::client_retry_early, 20}}));
  EXPECT_EQ(refusal([](Json& j) { j["behaviour"]["buggify"] = {{"x.y", "20%"}}; }),
            "f.json: /behaviour/buggify/x.y: there is no such site; drydock list shows them");
}

TEST(Loader, ConsumersAskNameServersUnlessTheyNameABroker) {
  Json json = valid();
  json["load"]["consumers"] =
      Json::parse(R"({"reader": {"host": "c", "topic": "x", "broker": "b", "batch": 8}})");
  const Drill drill = parse_drill("f.json", json.dump());
  ASSERT_EQ(drill.consumers.size(), 1u);
  EXPECT_EQ(drill.consumers[0].name, "reader");
  EXPECT_EQ(drill.consumers[0].batch, 8);
  const auto with = [&](const char* key, const Json& value) {
    return refusal([&](Json& j) {
      j = json;
      j["load"]["consumers"]["reader"][key] = value;
    });
  };
  const std::string at = "f.json: /load/consumers/reader/";
  EXPECT_EQ(with("batch", 0), at + "batch: must be an integer from 1 to 1024");
  EXPECT_EQ(with("broker", "x"), at + "broker: there is no broker 'x' in /topology/brokers");
  EXPECT_EQ(with("group", "g"),
            at + "group: not supported; known here: host, broker, topic, batch");
}

TEST(Loader, LinksAreBetweenHostsByNameOrByLabel) {
  Json json = valid();
  json["topology"]["hosts"]["c"]["labels"] = {{"zone", "a"}};
  json["topology"]["hosts"]["d"]["labels"] = {{"zone", "a"}};
  json["topology"]["links"] = Json::parse(
      R"([{"from": "label:zone=a", "to": "h", "latency": "2 ms", "bandwidth": "1 MB/s"},
          {"from": "h", "to": "c", "loss": "3%"}])");
  const Drill drill = parse_drill("f.json", json.dump());
  ASSERT_EQ(drill.links.size(), 2u);
  EXPECT_EQ(drill.links[0].from, (std::vector<std::string>{"c", "d"}));
  EXPECT_EQ(drill.links[0].latency, Duration::ms(2));
  EXPECT_EQ(drill.links[0].bandwidth_per_second, 1'000'000);
  EXPECT_FALSE(drill.links[0].loss_ppm);
  EXPECT_EQ(drill.links[1].loss_ppm, 30'000u);
  const auto with = [&](const char* key, const char* value) {
    return refusal([&](Json& j) {
      j = json;
      j["topology"]["links"][1][key] = value;
    });
  };
  const std::string at = "f.json: /topology/links/1/";
  EXPECT_EQ(with("loss", "51%"), at + "loss: must be at most 50%");
  EXPECT_EQ(with("loss", "0.5%"), at + "loss: must be a fraction: an integer from 0 to 100 and %");
  EXPECT_EQ(with("bandwidth", "10/s"),
            at + "bandwidth: must be a rate: a size and /s, as 125 MB/s");
  EXPECT_EQ(with("to", "label:zone=b"),
            at + "to: no host in /topology/hosts has the label label:zone=b");
  EXPECT_EQ(with("to", "label:zone"), at + "to: a label is written label:KEY=VALUE");
  EXPECT_EQ(with("to", "x"), at + "to: there is no host 'x' in /topology/hosts");
}

TEST(Loader, DirtyLimitsAreThoseOfTheKernel) {
  Json json = valid();
  json["topology"]["hosts"]["h"]["dirty"] = Json::parse(
      R"({"bytes": "1 MiB", "background_bytes": "64 KiB", "expire": "3 s", "writeback": "1 s"})");
  const Drill drill = parse_drill("f.json", json.dump());
  const HostSpec& host = drill.hosts.at(1);
  ASSERT_TRUE(host.dirty);
  EXPECT_EQ(host.dirty->bytes, 1 << 20);
  EXPECT_EQ(host.dirty->writeback, Duration::s(1));
  EXPECT_EQ(refusal([&](Json& j) {
              j = json;
              j["topology"]["hosts"]["h"]["dirty"]["background_bytes"] = "1 MiB";
            }),
            "f.json: /topology/hosts/h/dirty/background_bytes: must be less than bytes");
  EXPECT_EQ(refusal([&](Json& j) {
              j = json;
              j["topology"]["hosts"]["c"]["dirty"] = j["topology"]["hosts"]["h"]["dirty"];
            }),
            "f.json: /topology/hosts/c/dirty: its host has no disk, so no dirty pages");
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
            "f.json: /load/producers/p: must name its broker: the topology has no name_servers to "
            "ask");
  EXPECT_EQ(refusal([&](Json& j) {
              j = json;
              j["topology"]["name_servers"]["b"] = {{"host", "h"}};
            }),
            "f.json: /topology/name_servers/b: a broker has that name, too");
  EXPECT_EQ(refusal([&](Json& j) {
              j = json;
              j["topology"]["name_servers"]["ns-1"]["host"] = "n";
            }),
            "f.json: /topology/name_servers/ns-1: its host runs name server 'ns-2' already");
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
  EXPECT_EQ(refused("from", "h"),
            "f.json: /faults/kill/0/from: a host is never cut off from itself");
  EXPECT_EQ(refused("from", "x-host"),
            "f.json: /faults/kill/0/from: there is no host or process 'x-host'");
  EXPECT_EQ(refused("from", "other"),
            "f.json: /faults/kill/0/from: there is no host or process 'other'; did you mean "
            "'others'?");
  EXPECT_EQ(refused("from", "role:slave"),
            "f.json: /faults/kill/0/from: nothing in the topology has the role 'slave'");
  EXPECT_EQ(refused("direction", "in"),
            "f.json: /faults/kill/0/direction: must be both, incoming or outgoing");
  EXPECT_EQ(refused("do", "process.kill"),
            "f.json: /faults/kill/0/from: process.kill has no such member");
  json["faults"]["kill"][0]["from"] = "others";
  json["faults"]["kill"][0].erase("direction");
  EXPECT_EQ(separation(json), faults::Separation());
}

TEST(Loader, RefusesFaultsThatCanNeverFireAndAJudgeWithoutTime) {
  EXPECT_EQ(
      refusal([](Json& j) { j["faults"]["kill"][0]["when"] = {{"at", "400 s"}}; }),
      "f.json: /faults/kill/0/when: is later than the phases inject and hold, which last 62 s "
      "at most");
  EXPECT_EQ(refusal([](Json& j) { j["phases"]["judge"] = "1 s"; }),
            "f.json: /phases/judge: must be at least 2 s: it begins with a second for what is on "
            "its way");
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

TEST(Loader, RefusesWhatIsMissingOrNoJson) {
  EXPECT_EQ(refusal([](Json& j) { j.erase("phases"); }), "f.json: /: 'phases' is missing");
  EXPECT_EQ(refusal([](Json& j) { j["load"]["producers"]["p"].erase("timeout"); }),
            "f.json: /load/producers/p: 'timeout' is missing");
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
