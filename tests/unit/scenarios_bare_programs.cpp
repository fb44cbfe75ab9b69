// Writers and readers without a broker: what the loader takes, and what it refuses.
#include <gtest/gtest.h>

#include "tests/support/scenario_text.hpp"

namespace drydock::scenarios {
namespace {

using test::Change;
using test::Json;

Drill read(const Change& change = {}) { return test::kBareScenario.read(change); }
std::string refusal(const Change& change) { return test::kBareScenario.refusal(change); }

Json& writer(Json& json) { return json["load"]["writers"]["w"]; }
Json& reader(Json& json) { return json["load"]["readers"]["r"]; }

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

// The load of this scenario lasts 4 s.
TEST(BarePrograms, AreRefusedTimesThatNeverCome) {
  const std::string load = "must be less than the load, which lasts up to 4 s";
  EXPECT_EQ(refusal([](Json& j) { writer(j)["sync"] = {{"call", "msync"}, {"every", "4 s"}}; }),
            "/load/writers/w/sync/every: " + load);
  EXPECT_EQ(refusal([](Json& j) {
              writer(j)["jvm"] = Json::object();
              writer(j)["heartbeat"] = "99 h";
            }),
            "/load/writers/w/heartbeat: " + load);
  EXPECT_EQ(refusal([](Json& j) { writer(j)["jvm"] = {{"safepoint_interval", "4 s"}}; }),
            "/load/writers/w/jvm/safepoint_interval: is longer than the load, which lasts up to 4 "
            "s; 0 s: no such safepoints");
  EXPECT_EQ(refusal([](Json& j) { reader(j)["after"] = "4 s"; }), "/load/readers/r/after: " + load);
}

// Nothing of a network, and of the engine only what concerns virtual machines.
TEST(BarePrograms, HaveNoneOfWhatABrokerNeeds) {
  EXPECT_EQ(refusal([](Json& j) {
              j["topology"]["links"] = {{{"from", "h"}, {"to", "bare"}, {"latency", "1 ms"}}};
            }),
            "/topology/links: the topology has no broker, so nothing goes over the network");
  EXPECT_EQ(refusal([](Json& j) { j["topology"]["name_servers"] = {{"n", {{"host", "bare"}}}}; }),
            "/topology/name_servers: the topology has no broker, so nothing goes over the network");
  EXPECT_EQ(refusal([](Json& j) {
              j["behaviour"] = {{"set", {{"flush.error-advances-position", "hardened"}}}};
            }),
            "/behaviour/set/flush.error-advances-position: is a switch of brokers, and the "
            "topology has none");
  EXPECT_EQ(refusal([](Json& j) { j["behaviour"]["bugs"] = {"ack-before-flush"}; }),
            "/behaviour/bugs: is of brokers and their clients, and the topology has no broker");
  EXPECT_EQ(refusal([](Json& j) {
              j["phases"]["hold"] = {{"at_most", "1 s"}, {"until", "brokers-serving"}};
            }),
            "/phases/hold/until: the topology has no broker to wait for");
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
  EXPECT_EQ(refusal(with("acked_loss = 0", "w")),
            "/expectations/0/of: only waits, sends, pulls, registrations, deliveries and disks are "
            "somebody's");
}

TEST(Expectations, OfSendsMaySpeakOfOneProducer) {
  const auto with = [](const char* condition, const char* of) {
    return [=](Json& j) { j["expectations"] = {{{"every_run", condition}, {"of", of}}}; };
  };
  const Drill drill = read(with("send.longest < 1 s", "w"));
  EXPECT_EQ(drill.expectations[0].metric, reports::Metric::send_longest);
  EXPECT_EQ(drill.expectations[0].process, "w");
  EXPECT_EQ(refusal(with("send.busy = 0", "x")),
            "/expectations/0/of: there is no producer or writer 'x'");
  EXPECT_EQ(refusal(with("send.p99 <= 3", "w")),
            "/expectations/0/every_run: must end with a duration: an integer and one of ns us ms s "
            "min h");
}

TEST(Expectations, OfDisksSpeakOfOneHost) {
  const auto with = [](const char* condition, const char* of) {
    return [=](Json& j) { j["expectations"] = {{{"every_run", condition}, {"of", of}}}; };
  };
  const Drill drill = read(with("disk.read_await < 1 s", "h"));
  EXPECT_EQ(drill.expectations[0].process, "h");
  EXPECT_EQ(drill.expectations[0].metric, reports::Metric::disk_read_await);
  EXPECT_EQ(refusal(with("disk.reads_per_s > 1", "w")),
            "/expectations/0/of: there is no host 'w' with a disk of its own");
  EXPECT_EQ(refusal([](Json& j) { j["expectations"] = {{{"every_run", "disk.reads_per_s > 1"}}}; }),
            "/expectations/0: must say of which host's disk it speaks: \"of\": \"HOST\"");
}

}  // namespace
}  // namespace drydock::scenarios
