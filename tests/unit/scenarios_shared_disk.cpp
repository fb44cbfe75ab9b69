// Disks that several hosts attach, and the standbys that take them over: what the loader takes, and
// what it refuses.
#include <gtest/gtest.h>

#include "scenarios/drill/disk_profile.hpp"
#include "tests/support/scenario_text.hpp"

namespace drydock::scenarios {
namespace {

using test::Change;
using test::Json;

constexpr test::ScenarioText kScenario(R"({
  "drill": "d", "title": "t",
  "topology": {
    "hosts": {"a": {"memory": "4 GiB"}, "b": {}, "c": {}, "own": {"disk": {"profile": "local-nvme", "size": "8 GiB"}}},
    "disks": {"d1": {"profile": "cloud-essd-pl1", "size": "1 GiB", "attached_to": ["a", "b"],
                     "mounted_by": "a"}}
  },
  "load": {
    "writers": {"w": {"host": "a", "file": "/log", "size": "64 MiB", "access": "write",
                      "record": "4 KiB", "rate": "1 MB/s"}},
    "standbys": {"s": {"host": "b", "after": "1 s",
                       "reads": {"from": "4 KiB", "size": "1 MiB", "block": "128 KiB", "rate": "10 MB/s"},
                       "dirties": {"from": "20 MiB", "size": "1 MiB"},
                       "takeover": {"after": "2 s", "purge": "before-claim", "pause": "100 ms"}}}
  },
  "phases": {"warm": "1 s", "inject": "1 s", "hold": "1 s", "heal": "1 s", "settle": "1 s",
             "judge": "2 s"}
})");

Drill read(const Change& change = {}) { return kScenario.read(change); }
std::string refusal(const Change& change) { return kScenario.refusal(change); }

Json& disk(Json& json) { return json["topology"]["disks"]["d1"]; }
Json& standby(Json& json) { return json["load"]["standbys"]["s"]; }

TEST(SharedDisks, AreReadWithTheirStandbys) {
  const Drill drill = read();
  ASSERT_EQ(drill.shared_disks.size(), 1u);
  const SharedDiskSpec& d = drill.shared_disks[0];
  EXPECT_EQ(d.name, "d1");
  EXPECT_EQ(d.disk.bytes, 1 << 30);
  EXPECT_EQ(d.attached_to, (std::vector<std::string>{"a", "b"}));
  EXPECT_EQ(d.mounted_by, "a");
  ASSERT_EQ(drill.standbys.size(), 1u);
  const StandbySpec& s = drill.standbys[0];
  EXPECT_EQ(s.disk, "d1");
  EXPECT_EQ(s.after, Duration::s(1));
  ASSERT_TRUE(s.reads);
  EXPECT_EQ(s.reads->from, 4'096);
  EXPECT_EQ(s.reads->bytes, 1 << 20);
  EXPECT_EQ(s.read_bytes, 128 << 10);
  EXPECT_EQ(s.bytes_per_second, 10'000'000);
  ASSERT_TRUE(s.dirties);
  EXPECT_EQ(s.dirties->from, 20 << 20);
  EXPECT_EQ(s.takeover_after, Duration::s(2));
  EXPECT_EQ(s.purges, Purges::before_claim);
  EXPECT_EQ(s.pause, Duration::ms(100));
  EXPECT_EQ(refusal([](Json&) {}), "accepted");
}

TEST(SharedDisks, AreRefusedWhereTheyMakeNoSense) {
  const std::string at = "/topology/disks/d1/";
  EXPECT_EQ(refusal([](Json& j) { disk(j)["attached_to"] = {"a", "x"}; }),
            at + "attached_to/1: there is no host 'x' in /topology/hosts");
  EXPECT_EQ(refusal([](Json& j) { disk(j)["attached_to"] = {"a", "a"}; }),
            at + "attached_to/1: occurs twice");
  EXPECT_EQ(refusal([](Json& j) { disk(j)["attached_to"] = {"a"}; }),
            at + "attached_to: must be two hosts or more; the disk of one host stands there");
  EXPECT_EQ(refusal([](Json& j) { disk(j)["attached_to"] = {"a", "own"}; }),
            at + "attached_to/1: has a disk of its own; this version gives a host one disk");
  EXPECT_EQ(refusal([](Json& j) {
              j["topology"]["disks"]["d2"] = disk(j);
              j["topology"]["disks"]["d2"]["attached_to"] = {"c", "b"};
            }),
            "/topology/disks/d2/attached_to/1: attaches 'd1' already; this version gives a host "
            "one disk");
  EXPECT_EQ(refusal([](Json& j) { disk(j)["mounted_by"] = "c"; }),
            at + "mounted_by: does not attach it: see attached_to");
  EXPECT_EQ(refusal([](Json& j) { disk(j)["mounted_by"] = "x"; }),
            at + "mounted_by: there is no host 'x' in /topology/hosts");
  EXPECT_EQ(refusal([](Json& j) { j["topology"]["hosts"]["own"]["disk"]["shared_by"] = {"a"}; }),
            "/topology/hosts/own/disk/shared_by: a disk that several hosts attach stands in "
            "/topology/disks");
}

TEST(SharedDisks, AreForHostsWithoutABroker) {
  const Change with_broker = [](Json& j) {
    j["topology"]["brokers"]["broker"] = {{"host", "b"}};
    j["load"] = Json::object();
  };
  EXPECT_EQ(refusal(with_broker),
            "/topology/brokers/broker: its host shares a disk, and brokers on such a disk are not "
            "simulated yet");
  EXPECT_EQ(refusal([](Json& j) { j["topology"]["brokers"]["broker"] = {{"host", "own"}}; }),
            "/topology/disks: a topology with a broker has none yet");
}

TEST(SharedDisks, AreWrittenByTheHostThatMountsThem) {
  const auto writer = [](Json& j) -> Json& { return j["load"]["writers"]["w"]; };
  EXPECT_EQ(refusal([&](Json& j) { writer(j)["host"] = "b"; }),
            "/load/writers/w/host: mounts no disk: 'd1' is mounted by a");
  EXPECT_EQ(refusal([&](Json& j) { writer(j)["host"] = "c"; }),
            "/load/writers/w/host: has no disk");
  EXPECT_EQ(refusal([&](Json& j) { writer(j)["record"] = "1 KiB"; }),
            "/load/writers/w/record: must be a multiple of 4 KiB: a shared disk is judged by "
            "direct I/O");
  EXPECT_EQ(refusal([](Json& j) { j["topology"]["hosts"]["c"]["memory"] = "4 GiB"; }),
            "/topology/hosts/c/memory: its host has no disk, so nothing that fills it");
}

TEST(Standbys, AreRefusedWhereTheyMakeNoSense) {
  const std::string at = "/load/standbys/s/";
  EXPECT_EQ(refusal([](Json& j) { standby(j)["host"] = "x"; }),
            at + "host: there is no host 'x' in /topology/hosts");
  EXPECT_EQ(refusal([](Json& j) { standby(j)["host"] = "c"; }),
            at + "host: attaches no disk of /topology/disks");
  EXPECT_EQ(refusal([](Json& j) { standby(j)["host"] = "a"; }),
            at + "host: mounts 'd1' from the start; a standby takes it over");
  EXPECT_EQ(refusal([](Json& j) { j["load"]["standbys"]["w"] = standby(j); }),
            "/load/standbys/w: something else has that name, too");
  EXPECT_EQ(refusal([](Json& j) { j["load"]["standbys"]["t"] = standby(j); }),
            "/load/standbys/t: 'd1' has the standby 's' already");
  EXPECT_EQ(refusal([](Json& j) { standby(j).erase("takeover"); }),
            "/load/standbys/s: 'takeover' is missing");
  EXPECT_EQ(refusal([](Json& j) { standby(j)["takeover"]["purge"] = "thrice"; }),
            at + "takeover/purge: must be one of none, before-claim, after-confirm, two");
  EXPECT_EQ(refusal([](Json& j) { standby(j)["takeover"]["after"] = "1 s"; }),
            at + "takeover/after: must be later than the standby's own after");
  EXPECT_EQ(refusal([](Json& j) { standby(j)["takeover"]["after"] = "4 s"; }),
            at + "takeover/after: must be before the end of the load, which lasts up to 4 s");
  EXPECT_EQ(refusal([](Json& j) { standby(j)["takeover"]["pause"] = "99 h"; }),
            at + "takeover/pause: taken twice, it is over after the load, which lasts up to 4 s");
}

TEST(Standbys, UseWholePagesInsideOfTheirDisk) {
  const std::string at = "/load/standbys/s/";
  EXPECT_EQ(refusal([](Json& j) { standby(j)["reads"]["from"] = "1 KiB"; }),
            at + "reads/from: must be a multiple of 4 KiB");
  EXPECT_EQ(refusal([](Json& j) { standby(j)["reads"]["size"] = "0 B"; }),
            at + "reads/size: must be a multiple of 4 KiB, and at least that");
  EXPECT_EQ(refusal([](Json& j) { standby(j)["reads"]["from"] = "1 GiB"; }),
            at + "reads: ends behind the end of the disk");
  EXPECT_EQ(refusal([](Json& j) { standby(j)["reads"]["block"] = "100 KiB"; }),
            at + "reads/block: must divide size");
  EXPECT_EQ(refusal([](Json& j) { standby(j)["reads"]["rate"] = "2000000 MB/s"; }),
            at + "reads/rate: must be at most 10,000,000 pieces/s");
  EXPECT_EQ(refusal([](Json& j) { standby(j)["dirties"]["size"] = "65 MiB"; }),
            at + "dirties/size: must be at most 64 MiB");
  EXPECT_EQ(refusal([](Json& j) { standby(j)["dirties"]["size"] = "5 KiB"; }),
            at + "dirties/size: must be a multiple of 4 KiB, and at least that");
}

TEST(SharedDisks, MayHaveAProfileOfTheUser) {
  Drill drill = read([](Json& j) { disk(j)["profile"] = "mine.json"; });
  std::string place;
  read_disk_profiles(drill, [&place](const std::string& at, const std::string& file) {
    EXPECT_EQ(file, "mine.json");
    place = at;
    return std::string(R"({"profile": "mine", "title": "t", "disk": {}})");
  });
  EXPECT_NE(place.find("/topology/disks/d1/profile"), std::string::npos);
  EXPECT_TRUE(is_profile_text(drill.shared_disks[0].disk.profile));
  EXPECT_EQ(Json::parse(drill.canonical)["topology"]["disks"]["d1"]["profile"]["profile"], "mine");
}

}  // namespace
}  // namespace drydock::scenarios
