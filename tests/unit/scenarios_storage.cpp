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
  EXPECT_EQ(refusal([](Json& j) { writer(j)["file"] = "/.."; }),
            "/load/writers/w/file: must be an absolute path of one name, such as \"/log\"");
  EXPECT_EQ(refusal([](Json& j) { writer(j)["file"] = "/" + std::string(256, 'a'); }),
            "/load/writers/w/file: its name must have at most 255 bytes");
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
            "/expectations/0/of: there is no broker, writer, reader or standby 'x'");
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
            "/faults/f/0/part: must be one of all, reads, writes, data-writes, journal, flushes; "
            "did you mean 'writes'?");
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

TEST(DiskFaults, MayBeLimitedToARange) {
  const auto range = [](Json json) { return [json](Json& j) { fault(j)["range"] = json; }; };
  const auto read_range = [&](const Json& json) {
    return *read(range(json)).fault_sets.at("f").at(0).trouble.range;
  };
  EXPECT_EQ(read_range({{"from", "1 GiB"}, {"size", "64 MiB"}}),
            (faults::DiskRange{.from_bytes = 1 << 30, .size_bytes = 64 << 20}));
  EXPECT_EQ(read_range({{"file", "/log"}}), (faults::DiskRange{.file = "/log"}));
  EXPECT_EQ(refusal(range({{"from", "8 GiB"}, {"size", "4 KiB"}})),
            "/faults/f/0/range: ends behind the end of the disk");
  EXPECT_EQ(refusal(range({{"from", "0 B"}, {"size", "0 B"}})),
            "/faults/f/0/range/size: must be more than 0");
  EXPECT_EQ(refusal(range({{"file", "log"}})), "/faults/f/0/range/file: must be an absolute path");
  EXPECT_EQ(refusal(range({{"size", "4 KiB"}})), "/faults/f/0/range: 'from' is missing");
  EXPECT_EQ(refusal([&](Json& j) {
              fault(j)["part"] = "flushes";
              range({{"file", "/log"}})(j);
            }),
            "/faults/f/0/range: flushes have no place on the disk");
  EXPECT_EQ(refusal([&](Json& j) {
              fault(j)["part"] = "journal";
              range({{"file", "/log"}})(j);
            }),
            "/faults/f/0/range/file: the journal is in no file");
}

TEST(DiskFaults, FailWithWhatADeviceSays) {
  const auto error = [](const char* part, const char* status) {
    return [=](Json& j) {
      fault(j)["do"] = "disk.error";
      fault(j)["part"] = part;
      fault(j)["status"] = status;
    };
  };
  EXPECT_EQ(read(error("all", "reservation-conflict")).fault_sets.at("f").at(0).trouble.status,
            faults::DiskStatus::reservation_conflict);
  EXPECT_EQ(refusal(error("reads", "no-space")),
            "/faults/f/0/status: only writes need space: part must be writes, data-writes or "
            "journal");
  EXPECT_EQ(refusal(error("writes", "no-spac")),
            "/faults/f/0/status: must be one of io-error, reservation-conflict, no-space; did you "
            "mean 'no-space'?");
}

TEST(DiskFaults, SayHowAHungDeviceAnswersAnImpatientHost) {
  const FaultSpec hang =
      read([](Json& j) { fault(j)["reset"] = "lands-later"; }).fault_sets.at("f").at(0);
  EXPECT_EQ(hang.trouble.reset, faults::ResetAnswer::lands_later);
  EXPECT_EQ(refusal([](Json& j) {
              fault(j)["abort"] = "obeyed";
              fault(j)["reset"] = "drops";
            }),
            "/faults/f/0/reset: a device that obeys aborts is never reset");
}

TEST(DiskFaults, ALieNeedsALossOfPowerToComeToLight) {
  const auto lie = [](Json& j) {
    fault(j) = {{"do", "disk.flush-lie"}, {"on", "h"}, {"when", {{"at", "0 s"}}}};
  };
  EXPECT_EQ(refusal(lie),
            "/faults/f/0/do: nothing in this set takes the power, so nothing would show the lie");
  const Drill drill = read([&](Json& j) {
    lie(j);
    j["faults"]["f"].push_back({{"do", "host.power-loss"}, {"on", "h"}, {"when", {{"at", "1 s"}}}});
  });
  EXPECT_EQ(drill.fault_sets.at("f").at(0).kind, faults::FaultKind::disk_flush_lie);
}

TEST(Disks, SayWhatTheHostsDriverDoes) {
  const auto disk = [](Json& j) -> Json& { return j["topology"]["hosts"]["h"]["disk"]; };
  const Drill drill = read([&](Json& j) {
    disk(j)["io_timeout"] = "5 s";
    disk(j)["links"] = 2;
    disk(j)["link_loss_timeout"] = "10 min";
  });
  const DiskSpec& spec = *std::ranges::find(drill.hosts, "h", &HostSpec::name)->disk;
  EXPECT_EQ(spec.io_timeout, Duration::s(5));
  EXPECT_EQ(spec.links, 2);
  EXPECT_EQ(spec.link_loss_timeout, Duration::s(600));
  EXPECT_EQ(refusal([&](Json& j) { disk(j)["io_timeout"] = "0 s"; }),
            "/topology/hosts/h/disk/io_timeout: must be at least 1 ms, or never");
  EXPECT_EQ(refusal([&](Json& j) { disk(j)["links"] = 0; }),
            "/topology/hosts/h/disk/links: must be an integer from 1 to 8");
}

Json& host(Json& json) { return json["topology"]["hosts"]["h"]; }
const HostSpec& host_of(const Drill& drill) {
  return *std::ranges::find(drill.hosts, "h", &HostSpec::name);
}

TEST(Mounts, TakeTheOptionsOfTheirFileSystem) {
  EXPECT_EQ(host_of(read()).disk->mount, MountSpec());
  const Drill ext4 = read([](Json& j) {
    host(j)["disk"]["mount"] = {
        {"type", "ext4"},   {"data", "writeback"}, {"barrier", false}, {"errors", "remount-ro"},
        {"commit", "30 s"}, {"dioread", "lock"},   {"lazytime", true}, {"journal", "64 MiB"}};
  });
  EXPECT_EQ(host_of(ext4).disk->mount, (MountSpec{.journal_bytes = 64 << 20,
                                                  .barrier = false,
                                                  .lazytime = true,
                                                  .data = DataOption::writeback,
                                                  .dioread_nolock = false,
                                                  .errors = ErrorsOption::remount_ro,
                                                  .commit = Duration::s(30)}));
  const Drill xfs = read([](Json& j) { host(j)["disk"]["mount"] = {{"type", "xfs"}}; });
  EXPECT_EQ(host_of(xfs).disk->mount.type, FileSystemType::xfs);
}

TEST(Mounts, AreRefusedWithWhatContradicts) {
  const auto mount = [](const Json& json, const char* kernel = "6.x") {
    return refusal([&](Json& j) {
      host(j)["disk"]["mount"] = json;
      host(j)["kernel"] = kernel;
    });
  };
  const std::string at = "/topology/hosts/h/disk/mount";
  EXPECT_EQ(mount({{"type", "btrfs"}}), at + "/type: must be one of ext4, xfs");
  EXPECT_EQ(mount({{"data", "ordered"}}), at + ": 'type' is missing");
  EXPECT_EQ(mount({{"type", "xfs"}, {"data", "ordered"}}),
            at + "/data: is an option of ext4, not of xfs");
  EXPECT_EQ(mount({{"type", "xfs"}, {"errors", "panic"}}),
            at + "/errors: is an option of ext4, not of xfs");
  EXPECT_EQ(mount({{"type", "xfs"}, {"barrier", false}}),
            at + "/barrier: xfs has barriers always since Linux 4.19; kernel el7 and el8 can do "
                 "without");
  EXPECT_EQ(mount({{"type", "xfs"}, {"barrier", false}}, "el7"), "accepted");
  EXPECT_EQ(mount({{"type", "ext4"}, {"data", "journal"}}),
            at + "/data: data=journal is not simulated; known here: ordered, writeback");
  EXPECT_EQ(mount({{"type", "ext4"}, {"data", "writeback"}, {"data_err", "abort"}}),
            at + "/data_err: concerns the data of data=ordered alone");
  EXPECT_EQ(mount({{"type", "ext4"}, {"commit", "0 s"}}), at + "/commit: must be at least 1 s");
  EXPECT_EQ(mount({{"type", "ext4"}, {"journal", "1 MiB"}}),
            at + "/journal: must be at least 4 MiB and a multiple of 4 KiB");
  EXPECT_EQ(mount({{"type", "ext4"}, {"journal", "5 GiB"}}),
            at + "/journal: is more than half of the disk");
  EXPECT_EQ(mount({{"type", "xfs"}, {"journal", "2 GiB"}}),
            at + "/journal: is more than mkfs makes");
  EXPECT_EQ(mount({{"type", "ext4"}, {"noatime", true}}),
            at + "/noatime: not supported; known here: type, journal, barrier, lazytime, data, "
                 "dioread, data_err, errors, commit");
}

// sysctl vm.dirty_bytes: setting one form sets the other to 0.
TEST(DirtyLimits, AreBytesOrRatiosOfTheMemory) {
  const auto dirty = [](const Json& json, bool memory = true) {
    return [=](Json& j) {
      host(j)["dirty"] = json;
      host(j)["dirty"]["expire"] = "30 s";
      host(j)["dirty"]["writeback"] = "5 s";
      if (memory) host(j)["memory"] = "4 GiB";
    };
  };
  const Drill drill = read(dirty({{"ratio", "20%"}, {"background_bytes", "64 MiB"}}));
  EXPECT_EQ(host_of(drill).dirty->bytes, 0);
  EXPECT_EQ(host_of(drill).dirty->percent, 20);
  EXPECT_EQ(host_of(drill).dirty->background_bytes, 64 << 20);
  const std::string at = "/topology/hosts/h/dirty";
  EXPECT_EQ(refusal(dirty({{"ratio", "20%"}, {"bytes", "1 GiB"}, {"background_ratio", "10%"}})),
            at + ": must have one of bytes and ratio");
  EXPECT_EQ(refusal(dirty({{"ratio", "20%"}})),
            at + ": must have one of background_bytes and background_ratio");
  EXPECT_EQ(refusal(dirty({{"ratio", "0%"}, {"background_ratio", "10%"}})),
            at + "/ratio: must be at least 1%");
  EXPECT_EQ(refusal(dirty({{"ratio", "10%"}, {"background_ratio", "10%"}})),
            at + "/background_ratio: must be less than ratio");
  EXPECT_EQ(refusal(dirty({{"ratio", "20%"}, {"background_ratio", "10%"}}, false)),
            at + ": a ratio is of the host's memory: give the host a memory, or bytes");
}

TEST(MemoryGroups, LimitDirtyPagesWithCgroup2) {
  const auto limits = [](const Json& memory, const char* kernel) {
    const Drill drill = read([&](Json& j) {
      host(j)["memory"] = memory;
      host(j)["kernel"] = kernel;
    });
    return host_of(drill).memory->group_limits_dirty;
  };
  const Json group = {{"size", "4 GiB"}, {"group_limit", "1 GiB"}};
  EXPECT_TRUE(limits(group, "6.x"));
  EXPECT_FALSE(limits(group, "el7"));
  EXPECT_FALSE(limits({{"size", "4 GiB"}, {"group_limit", "1 GiB"}, {"cgroup", "v1"}}, "6.x"));
  const std::string at = "/topology/hosts/h/memory";
  EXPECT_EQ(refusal([&](Json& j) { host(j)["memory"] = {{"size", "4 GiB"}, {"cgroup", "v2"}}; }),
            at + "/cgroup: says something of a group: give a group_limit");
  EXPECT_EQ(
      refusal([&](Json& j) { host(j)["memory"] = {{"size", "4 GiB"}, {"group_limit", "0 B"}}; }),
      at + "/group_limit: must be more than 0");
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
            "/matrix/drill/x: only places in topology/hosts, topology/disks, behaviour/set, load, "
            "phases and faults can be varied");
  EXPECT_EQ(
      refusal([](Json& j) { j["matrix"] = {{"load/writers/w/rate", {"10 MB/s", "fast"}}}; }),
      "/matrix: with load/writers/w/rate=fast: load/writers/w/rate: must be a rate: a size and "
      "/s, as 125 MB/s");
  EXPECT_EQ(refusal([](Json& j) { j["matrix"] = {{"flushDiskType", {"SYNC_FLUSH"}}}; }),
            "/matrix: flushDiskType: the topology has no broker that could have it");
}

}  // namespace
}  // namespace drydock::scenarios
