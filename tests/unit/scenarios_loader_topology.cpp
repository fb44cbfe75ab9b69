// Hosts, links and what runs on hosts: what the loader takes, and what it refuses.
#include <gtest/gtest.h>

#include <algorithm>

#include "tests/support/scenario_text.hpp"

namespace drydock::scenarios {
namespace {

using test::Change;
using test::Json;
using test::kBrokerScenario;

Json valid() { return kBrokerScenario.json(); }
std::string refusal(const Change& change) { return kBrokerScenario.refusal(change); }

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
            "/topology/hosts/c/memory: its host has no disk, so nothing that fills it");
  EXPECT_EQ(refusal([](Json& j) {
              j["topology"]["hosts"]["h"]["memory"] = {{"size", "8 GiB"}, {"group_limit", "9 GiB"}};
            }),
            "/topology/hosts/h/memory/group_limit: must be at most size");
  EXPECT_EQ(refusal([](Json& j) { j["topology"]["brokers"]["b"]["heap"] = "1 GiB"; }),
            "/topology/brokers/b/heap: its host has no size of memory, so it never runs "
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
  const std::string at = "/topology/brokers/b/jvm";
  const auto with = [](const char* key, Json value, bool memory = true) {
    return refusal([&](Json& j) {
      if (memory) j["topology"]["hosts"]["h"]["memory"] = "64 GiB";
      j["topology"]["brokers"]["b"]["jvm"][key] = value;
    });
  };
  EXPECT_EQ(with("heap", "0 B"), at + "/heap: must be at least 2 MiB");
  EXPECT_EQ(with("young", "9 GiB"), at + "/young: must be at most heap");
  EXPECT_EQ(with("young", "0 B"), at + "/young: must be at least 1 MiB");
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
            "/topology/brokers/b/heap: jvm has a heap, too");
  EXPECT_EQ(refusal([](Json& j) {
              j["topology"]["hosts"]["h"]["memory"] = "64 GiB";
              j["topology"]["brokers"]["b"]["heap"] = "0 B";
            }),
            "/topology/brokers/b/heap: must be at least 2 MiB");
}

TEST(Loader, RefusesAKernelWhereItDecidesNothing) {
  EXPECT_EQ(refusal([](Json& j) { j["topology"]["hosts"]["c"]["kernel"] = "el7"; }),
            "/topology/hosts/c/kernel: its host has no disk, and kernels differ in what they do "
            "with one");
  EXPECT_EQ(refusal([](Json& j) { j["topology"]["hosts"]["h"]["kernel"] = "el7"; }), "accepted");
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
  EXPECT_NE(refusal([](Json& j) { j["topology"]["hosts"]["h"]["open_files"] = 0; }), "accepted");
}

TEST(Loader, TakesCoresAndWhatWorkCostsOnThem) {
  Json json = valid();
  const auto cpu = [&json] {
    const Drill drill = parse_drill("f.json", json.dump());
    return std::ranges::find(drill.hosts, "h", &HostSpec::name)->cpu;
  };
  EXPECT_FALSE(cpu());
  json["topology"]["hosts"]["h"]["cpu"] = {{"cores", 2}, {"profile", "cpu-drydock"}};
  ASSERT_TRUE(cpu());
  EXPECT_EQ(cpu()->cores, 2);
  EXPECT_EQ(cpu()->profile, "cpu-drydock");
  json["topology"]["hosts"]["h"]["cpu"]["profile"] = {{"profile", "mine"}};
  EXPECT_EQ(cpu()->profile, R"({"profile":"mine"})");

  const auto refused = [](const Json& value, const char* host = "h") {
    return refusal([&](Json& j) { j["topology"]["hosts"][host]["cpu"] = value; });
  };
  const Json good = {{"cores", 2}, {"profile", "cpu-drydock"}};
  const auto with = [&good](const char* key, const Json& value) {
    Json changed = good;
    changed[key] = value;
    return changed;
  };
  EXPECT_EQ(refused(good), "accepted");
  EXPECT_EQ(refused(good, "c"),
            "/topology/hosts/c/cpu: no broker runs on its host, and nothing else has a price");
  for (const Json& cores : {Json(0), Json(-1), Json(1'025), Json("2"), Json(1.5)}) {
    EXPECT_NE(refused(with("cores", cores)).find("/topology/hosts/h/cpu/cores: must be"),
              std::string::npos)
        << refused(with("cores", cores));
  }
  EXPECT_NE(refused(with("profile", 7)), "accepted");
  EXPECT_EQ(refused(with("core", 1)),
            "/topology/hosts/h/cpu/core: not supported; did you mean 'cores'? known here: cores, "
            "profile");
  EXPECT_NE(refused({{"cores", 2}}).find("profile"), std::string::npos);
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
            "/topology/hosts/h/dirty/background_bytes: must be less than bytes");
  EXPECT_EQ(refusal([&](Json& j) {
              j = json;
              j["topology"]["hosts"]["c"]["dirty"] = j["topology"]["hosts"]["h"]["dirty"];
            }),
            "/topology/hosts/c/dirty: its host has no disk, so no dirty pages");
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
  const std::string at = "/topology/links/1/";
  EXPECT_EQ(with("loss", "51%"), at + "loss: must be at most 50%");
  EXPECT_EQ(with("loss", "0.5%"), at + "loss: must be a fraction: an integer from 0 to 100 and %");
  EXPECT_EQ(with("bandwidth", "10/s"),
            at + "bandwidth: must be a rate: a size and /s, as 125 MB/s");
  EXPECT_EQ(with("to", "label:zone=b"),
            at + "to: no host in /topology/hosts has the label label:zone=b");
  EXPECT_EQ(with("to", "label:zone"), at + "to: a label is written label:KEY=VALUE");
  EXPECT_EQ(with("to", "x"), at + "to: there is no host 'x' in /topology/hosts");
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
            "/topology/links/0/to: a host has no link to itself");
  EXPECT_EQ(links(R"([{"from": "h", "to": "c", "latency": "1 ms"},
                      {"from": "h", "to": "c", "latency": "2 ms"}])"),
            "/topology/links/1: /topology/links/0 is from and to the same hosts");
  EXPECT_EQ(links(R"([{"from": "h", "to": "c", "latency": "1 ms"},
                      {"from": "c", "to": "h", "latency": "2 ms"}])"),
            "accepted");
  EXPECT_EQ(links(R"([{"from": "label:zone=a", "to": "label:zone=a", "latency": "1 ms"},
                      {"from": "c", "to": "d", "latency": "2 ms"}])"),
            "accepted");
}

TEST(Loader, KeepsTheNameOfAllOtherHostsForPartitions) {
  const std::string why =
      ": 'others' is what a partition calls all other hosts; choose another "
      "name";
  EXPECT_EQ(refusal([](Json& j) { j["topology"]["hosts"]["others"] = Json::object(); }),
            "/topology/hosts/others" + why);
  EXPECT_EQ(refusal([](Json& j) { j["topology"]["brokers"]["others"] = {{"host", "h"}}; }),
            "/topology/brokers/others" + why);
  EXPECT_EQ(refusal([](Json& j) { j["topology"]["name_servers"] = {{"others", {{"host", "c"}}}}; }),
            "/topology/name_servers/others" + why);
}

}  // namespace
}  // namespace drydock::scenarios
