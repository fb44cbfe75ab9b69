// Writers and readers without a broker, faults of disks, and axes that vary places of a scenario:
// what the loader takes, and what it refuses.
#include <gtest/gtest.h>

#include <functional>
#include <nlohmann/json.hpp>
#include <regex>

#include "scenarios/drill/cells.hpp"
#include "scenarios/loader/loader.hpp"

namespace drydock::scenarios {
namespace {

using Json = nlohmann::ordered_json;

Json valid() {
  return Json::parse(R"({
    "drill": "d", "title": "t",
    "topology": {"hosts": {"h": {"disk": {"profile": "local-nvme", "size": "8 GiB"}}, "bare": {}}},
    "load": {
      "writers": {"w": {"host": "h", "file": "/log", "size": "1 GiB", "access": "mmap",
                        "record": "4 KiB", "rate": "10 MB/s"}},
      "readers": {"r": {"host": "h", "file": "/cold", "size": "64 MiB", "block": "64 KiB",
                        "rate": "1 MB/s", "after": "2 s", "threads": 3}}
    },
    "phases": {"warm": "1 s", "inject": "1 s", "hold": "1 s", "heal": "1 s", "settle": "1 s",
               "judge": "2 s"},
    "faults": {"f": [{"do": "disk.hang", "on": "h", "part": "data-writes", "when": {"at": "0 s"},
                      "for": "1 s"}]}
  })");
}

using Change = std::function<void(Json&)>;

Drill read(const Change& change = {}) {
  Json json = valid();
  if (change) change(json);
  return parse_drill("f.json", json.dump());
}

// The refusal, without its line and column.
std::string refusal(const Change& change) {
  try {
    Experiment experiment = make_experiment(read(change), {}, {});
  } catch (const InputError& error) {
    return std::regex_replace(error.what(), std::regex("f\\.json:1:[0-9]+: "), "");
  }
  return "accepted";
}

Json& writer(Json& json) { return json["load"]["writers"]["w"]; }
Json& reader(Json& json) { return json["load"]["readers"]["r"]; }
Json& fault(Json& json) { return json["faults"]["f"][0]; }

TEST(BarePrograms, AreReadWithWhatIsMissingFilledIn) {
  const Drill drill = read();
  ASSERT_EQ(drill.writers.size(), 1u);
  const WriterSpec& w = drill.writers[0];
  EXPECT_EQ(w.file_bytes, std::int64_t{1} << 30);
  EXPECT_EQ(w.record_bytes, 4'096);
  EXPECT_EQ(w.bytes_per_second, 10'000'000);
  EXPECT_EQ(w.prepared, Prepared::sparse);
  EXPECT_EQ(w.sync, SyncCall::none);
  EXPECT_EQ(w.acked, AckedWhen::stored);
  EXPECT_EQ(w.after_error, AfterError::stop);
  ASSERT_EQ(drill.readers.size(), 1u);
  EXPECT_EQ(drill.readers[0].threads, 3);
  EXPECT_EQ(drill.readers[0].pattern, ReadPattern::random);
  EXPECT_EQ(drill.readers[0].after, Duration::s(2));
}

TEST(BarePrograms, MayBeOfJavaAndThenHaveAHeartbeat) {
  EXPECT_FALSE(read().writers[0].jvm);
  const Drill drill = read([](Json& j) {
    writer(j)["jvm"] = {{"young", "64 MiB"}, {"gc_log", "/gc.log"}};
    writer(j)["heartbeat"] = "100 ms";
  });
  ASSERT_TRUE(drill.writers[0].jvm);
  EXPECT_EQ(drill.writers[0].jvm->young_bytes, 64 << 20);
  EXPECT_EQ(drill.writers[0].heartbeat, Duration::ms(100));
  EXPECT_EQ(refusal([](Json& j) { writer(j)["heartbeat"] = "100 ms"; }),
            "/load/writers/w/heartbeat: without jvm nothing stops it");
  EXPECT_EQ(refusal([](Json& j) {
              writer(j)["jvm"] = Json::object();
              writer(j)["heartbeat"] = "0 s";
            }),
            "/load/writers/w/heartbeat: must be at least 1 ms");
  EXPECT_EQ(refusal([](Json& j) { writer(j)["jvm"] = {{"gc_log", "/log"}}; }),
            "/load/writers/w/jvm/gc_log: is the writer's own file");
}

TEST(BarePrograms, DifferInABehaviourByCell) {
  const Change by_cell = [](Json& j) {
    writer(j)["jvm"] = Json::object();
    j["behaviour"] = {{"set", {{"jvm.safepoint-coupling", "faithful"}}}};
    j["matrix"] = {{"behaviour/set/jvm.safepoint-coupling", {"faithful", "hardened"}}};
  };
  const Experiment experiment = make_experiment(read(by_cell), {}, {});
  ASSERT_EQ(experiment.cells.size(), 2u);
  const auto hardened = [&](std::size_t cell) {
    return behaviour_in(drill_of(experiment, experiment.cells[cell]))
        .hardened(BehaviourSwitch::jvm_safepoint_coupling);
  };
  EXPECT_FALSE(hardened(0));
  EXPECT_TRUE(hardened(1));
}

TEST(BarePrograms, AreRefusedWhereTheyMakeNoSense) {
  EXPECT_EQ(refusal([](Json& j) { j["load"].erase("writers"); }),
            "/load: must have writers: the topology has no broker");
  EXPECT_EQ(refusal([](Json& j) { j["load"]["producers"] = Json::object(); }),
            "/load/producers: the topology has no broker");
  EXPECT_EQ(refusal([](Json& j) { writer(j)["host"] = "bare"; }),
            "/load/writers/w/host: has no disk");
  EXPECT_EQ(refusal([](Json& j) { writer(j)["access"] = "map"; }),
            "/load/writers/w/access: must be one of mmap, write, direct; did you mean 'mmap'?");
  EXPECT_EQ(refusal([](Json& j) { writer(j)["file"] = "log"; }),
            "/load/writers/w/file: must be an absolute path of one name, such as \"/log\"");
  EXPECT_EQ(refusal([](Json& j) { writer(j)["size"] = "9 GiB"; }),
            "/load/writers/w/size: does not fit the disk of h");
  EXPECT_EQ(refusal([](Json& j) { writer(j)["size"] = "16 MiB"; }),
            "/load/writers/w/size: the file is full after 1 s, and the load lasts up to 4 s");
  EXPECT_EQ(refusal([](Json& j) { writer(j)["record"] = "8 B"; }),
            "/load/writers/w/record: must be 16 B to 64 MiB");
  EXPECT_EQ(refusal([](Json& j) {
              writer(j)["access"] = "direct";
              writer(j)["record"] = "1 KiB";
            }),
            "/load/writers/w/record: must be a multiple of 4 KiB: direct I/O is aligned");
  EXPECT_EQ(refusal([](Json& j) { writer(j)["acked"] = "synced"; }),
            "/load/writers/w: must have sync: nothing is acknowledged without one");
  EXPECT_EQ(refusal([](Json& j) { writer(j)["sync"] = {{"call", "fsync"}}; }),
            "/load/writers/w/sync/call: msync goes with access mmap, fsync and fdatasync with the "
            "others");
  EXPECT_EQ(refusal([](Json& j) { reader(j)["file"] = "/log"; }),
            "/load/readers/r/file: is the file of writer 'w'");
  EXPECT_EQ(refusal([](Json& j) { reader(j)["rate"] = "0 MB/s"; }),
            "/load/readers/r/rate: must be a rate: a size and /s, as 125 MB/s");
}

TEST(BarePrograms, AReaderMayFollowAWriter) {
  const auto follow = [](Json& j, const char* whom) {
    reader(j) = {{"follows", whom}, {"block", "64 KiB"}, {"rate", "10 MB/s"}, {"after", "1 s"}};
  };
  const Drill drill = read([&](Json& j) { follow(j, "w"); });
  EXPECT_EQ(drill.readers[0].file, "/log");
  EXPECT_EQ(drill.readers[0].host, "h");
  EXPECT_EQ(drill.readers[0].pattern, ReadPattern::sequential);
  EXPECT_EQ(refusal([&](Json& j) { follow(j, "x"); }),
            "/load/readers/r/follows: there is no writer 'x'");
}

TEST(Expectations, OfWaitsMaySpeakOfOneProcess) {
  const auto with = [](const char* condition, const char* of) {
    return [=](Json& j) { j["expectations"] = {{{"every_run", condition}, {"of", of}}}; };
  };
  const Drill drill = read(with("wait.journal.longest < 1 s", "w"));
  EXPECT_EQ(drill.expectations[0].process, "w");
  EXPECT_EQ(drill.expectations[0].place, WaitPlace::journal);
  EXPECT_EQ(refusal(with("wait.journal.longest < 1 s", "x")),
            "/expectations/0/of: there is no broker, writer or reader 'x'");
  EXPECT_EQ(refusal(with("acked_loss = 0", "w")), "/expectations/0/of: only waits are somebody's");
}

TEST(DiskFaults, SayWhichPartOfTheDisksWorkTheyConcern) {
  const FaultSpec hang = read().fault_sets.at("f").at(0);
  EXPECT_EQ(hang.kind, faults::FaultKind::disk_hang);
  EXPECT_EQ(hang.trouble.part, faults::DiskPart::data_writes);
  const Drill slow = read([](Json& j) {
    fault(j)["do"] = "disk.slow";
    fault(j).erase("part");
    fault(j)["factor"] = 100;
  });
  EXPECT_EQ(slow.fault_sets.at("f").at(0).trouble.factor, 100);
  EXPECT_EQ(refusal([](Json& j) { fault(j)["part"] = "write"; }),
            "/faults/f/0/part: must be all, reads, writes, data-writes or flushes; did you mean "
            "'writes'?");
  EXPECT_EQ(refusal([](Json& j) { fault(j)["on"] = "bare"; }), "/faults/f/0/on: has no disk");
  EXPECT_EQ(refusal([](Json& j) { fault(j)["factor"] = 2; }),
            "/faults/f/0/factor: disk.hang has no such member");
  const Drill error = read([](Json& j) {
    fault(j)["do"] = "disk.error";
    fault(j)["part"] = "all";
    fault(j)["times"] = 3;
  });
  EXPECT_EQ(error.fault_sets.at("f").at(0).trouble,
            (faults::DiskTrouble{.part = faults::DiskPart::all, .times = 3}));
}

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
  Json json = valid();
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
            "/matrix/drill/x: only places in topology/hosts, behaviour/set, load, phases and "
            "faults can be varied");
  EXPECT_EQ(
      refusal([](Json& j) { j["matrix"] = {{"load/writers/w/rate", {"10 MB/s", "fast"}}}; }),
      "/matrix: with load/writers/w/rate=fast: load/writers/w/rate: must be a rate: a size and "
      "/s, as 125 MB/s");
  EXPECT_EQ(refusal([](Json& j) { j["matrix"] = {{"flushDiskType", {"SYNC_FLUSH"}}}; }),
            "/matrix: flushDiskType: the topology has no broker that could have it");
}

}  // namespace
}  // namespace drydock::scenarios
