// broker.conf as users write it: keys that count, keys that don't, and what the notes say about
// each line.
#include "engine/broker/configuration.hpp"

#include <gtest/gtest.h>

#include <fstream>
#include <iterator>

namespace drydock::test {
namespace {

std::string notes(const ConfigurationResult& result) {
  std::string all;
  for (const ConfigurationNote& note : result.notes) all += describe(note) + "\n";
  return all;
}

TEST(BrokerConfiguration, DefaultsAreRocketMqs) {
  const BrokerConfiguration configuration = parse_broker_configuration("").configuration;
  EXPECT_EQ(configuration.listen_port, 10'911);
  EXPECT_EQ(configuration.broker_cluster_name, "DefaultCluster");
  EXPECT_EQ(configuration.store.flush_disk_type, FlushDiskType::async_flush);
  EXPECT_EQ(configuration.store.mapped_file_size_commit_log, 1'073'741'824);
  EXPECT_EQ(configuration.store.flush_interval_commit_log, Duration::ms(500));
  EXPECT_EQ(configuration.store.flush_commit_log_least_pages, 4);
  EXPECT_EQ(configuration.store.flush_commit_log_thorough_interval, Duration::s(10));
  EXPECT_EQ(configuration.store.sync_flush_timeout, Duration::s(5));
  EXPECT_EQ(configuration.store.max_message_size, 4'194'304);
}

TEST(BrokerConfiguration, HonouredKeysTakeEffect) {
  const ConfigurationResult result = parse_broker_configuration(
      "brokerName = broker-a\nbrokerClusterName:Trade\nlistenPort 12345\n"
      "flushDiskType=SYNC_FLUSH\nmappedFileSizeCommitLog=1048576\nflushCommitLogTimed=false\n"
      "flushIntervalCommitLog=200\nsyncFlushTimeout=7000\nbrokerIP1=10.20.16.31\n"
      "storePathRootDir=/data/store/\nmappedFileSizeConsumeQueue=2000\n"
      "flushIntervalConsumeQueue=700\nflushConsumeQueueLeastPages=0\n"
      "flushConsumeQueueThoroughInterval=9000\nreadUnCommitted=true\n");
  EXPECT_EQ(notes(result), "");
  EXPECT_FALSE(result.has_errors());
  const BrokerConfiguration& configuration = result.configuration;
  EXPECT_EQ(configuration.broker_name, "broker-a");
  EXPECT_EQ(configuration.broker_cluster_name, "Trade");
  EXPECT_EQ(configuration.listen_port, 12'345);
  EXPECT_EQ(configuration.store.flush_disk_type, FlushDiskType::sync_flush);
  EXPECT_EQ(configuration.store.mapped_file_size_commit_log, 1'048'576);
  EXPECT_FALSE(configuration.store.flush_commit_log_timed);
  EXPECT_EQ(configuration.store.flush_interval_commit_log, Duration::ms(200));
  EXPECT_EQ(configuration.store.sync_flush_timeout, Duration::s(7));
  EXPECT_EQ(configuration.broker_ip1, 0x0a14101fu);
  EXPECT_EQ(configuration.store.commit_log_path(), "/data/store/commitlog");
  EXPECT_EQ(configuration.store.mapped_file_size_consume_queue, 2000);
  EXPECT_EQ(configuration.store.flush_interval_consume_queue, Duration::ms(700));
  EXPECT_EQ(configuration.store.flush_consume_queue_least_pages, 0);
  EXPECT_EQ(configuration.store.flush_consume_queue_thorough_interval, Duration::s(9));
  EXPECT_TRUE(configuration.store.read_uncommitted);
}

TEST(BrokerConfiguration, TheOldSpellingIsIgnoredAsRocketMqIgnoresIt) {
  const ConfigurationResult result =
      parse_broker_configuration("\nmapedFileSizeCommitLog=1048576\n");
  EXPECT_EQ(result.configuration.store.mapped_file_size_commit_log, 1'073'741'824);
  EXPECT_FALSE(result.has_errors());
  EXPECT_EQ(notes(result),
            "line 2: mapedFileSizeCommitLog: warning: RocketMQ 5.3.3 ignores this old spelling, so "
            "the default 1073741824 is used; write mappedFileSizeCommitLog\n");
}

TEST(BrokerConfiguration, KeysOfRocketMqWithoutEffectAreSaidToHaveNone) {
  EXPECT_EQ(notes(parse_broker_configuration("haMaxGapNotInSync=10912")),
            "line 1: haMaxGapNotInSync: warning: accepted, no effect in this version\n");
}

TEST(BrokerConfiguration, UnknownKeysNameTheNearestOne) {
  EXPECT_EQ(notes(parse_broker_configuration("flushDiscType=SYNC_FLUSH")),
            "line 1: flushDiscType: warning: not a key of RocketMQ 5.3.3, which ignores it in "
            "silence; did you mean flushDiskType?\n");
  EXPECT_EQ(notes(parse_broker_configuration("somethingElseEntirely=1")),
            "line 1: somethingElseEntirely: warning: not a key of RocketMQ 5.3.3, which ignores it "
            "in silence\n");
}

TEST(BrokerConfiguration, BadValuesAreErrorsThatNameWhatIsAllowed) {
  EXPECT_EQ(notes(parse_broker_configuration("\n\nflushDiskType=FOO")),
            "line 3: flushDiskType: error: \"FOO\" is not allowed; allowed: ASYNC_FLUSH or "
            "SYNC_FLUSH\n");
  for (const std::string_view size : {"", "0", "-1", "1G", "1e9", "2147483648", "0x100"}) {
    const ConfigurationResult result =
        parse_broker_configuration("mappedFileSizeCommitLog=" + std::string(size));
    ASSERT_EQ(result.notes.size(), 1u) << size;
    EXPECT_TRUE(result.has_errors());
    EXPECT_EQ(result.notes[0].line, 1);
    EXPECT_NE(result.notes[0].text.find("bytes, a whole number"), std::string::npos);
  }
  for (const std::string_view line :
       {"listenPort=0", "listenPort=65536", "flushCommitLogTimed=yes",
        "brokerName=", "brokerIP1=10.20.16", "brokerIP1=10.20.16.256", "brokerIP1=10.20.16.31.1",
        "storePathRootDir=store", "storePathCommitLog=/a,/b", "syncFlushTimeout=0"}) {
    EXPECT_TRUE(parse_broker_configuration(line).has_errors()) << line;
  }
}

TEST(BrokerConfiguration, TheLastOfTwoLinesCounts) {
  const ConfigurationResult result =
      parse_broker_configuration("listenPort=1\nbrokerName=x\nlistenPort=2\n");
  EXPECT_EQ(result.configuration.listen_port, 2);
  EXPECT_EQ(notes(result), "line 1: listenPort: warning: set again on line 3, which counts\n");
}

// Java trims texts; its parsers of numbers and booleans take no blanks.
TEST(BrokerConfiguration, BlanksAtTheEndCountAsTheyDoForRocketMq) {
  const ConfigurationResult text =
      parse_broker_configuration("flushDiskType=SYNC_FLUSH \nbrokerName=x\t\n");
  EXPECT_EQ(notes(text), "");
  EXPECT_EQ(text.configuration.store.flush_disk_type, FlushDiskType::sync_flush);
  EXPECT_EQ(text.configuration.broker_name, "x");
  EXPECT_EQ(notes(parse_broker_configuration("listenPort=1 ")),
            "line 1: listenPort: error: blanks around \"1\": RocketMQ would keep its default in "
            "silence; remove them\n");
  EXPECT_EQ(notes(parse_broker_configuration("flushCommitLogTimed=true ")),
            "line 1: flushCommitLogTimed: error: blanks around \"true\": RocketMQ would read it as "
            "false; remove them\n");
}

TEST(BrokerConfiguration, ValuesApplyOnTopOfTheCallersDefaults) {
  BrokerConfiguration defaults;
  defaults.listen_port = 7;
  defaults.broker_name = "given";
  const ConfigurationResult result = parse_broker_configuration("listenPort=8", defaults);
  EXPECT_EQ(result.configuration.listen_port, 8);
  EXPECT_EQ(result.configuration.broker_name, "given");
  std::vector<ConfigurationNote> more;
  BrokerConfiguration configuration = result.configuration;
  set_broker_property(configuration, "listenPort", "x", 0, more);
  ASSERT_EQ(more.size(), 1u);
  EXPECT_EQ(describe(more[0]),
            "listenPort: error: \"x\" is not allowed; allowed: a port number from 1 to 65535");
}

// docs/examples/broker.conf: the keys and values of a production sample.
TEST(BrokerConfiguration, TheExampleStartsABrokerWithSyncFlushAndFilesOfTheDefaultSize) {
  std::ifstream file(DRYDOCK_EXAMPLES "/broker.conf");
  const std::string text((std::istreambuf_iterator<char>(file)), std::istreambuf_iterator<char>());
  const ConfigurationResult result = parse_broker_configuration(text);
  EXPECT_FALSE(result.has_errors());
  EXPECT_EQ(result.configuration.broker_name, "broker-a");
  EXPECT_EQ(result.configuration.store.flush_disk_type, FlushDiskType::sync_flush);
  EXPECT_EQ(result.configuration.store.mapped_file_size_commit_log, 1'073'741'824);
  EXPECT_EQ(result.configuration.send_message_thread_pool_nums, 64);
  const std::string said = notes(result);
  EXPECT_NE(said.find("line 6: mapedFileSizeCommitLog: warning: RocketMQ 5.3.3 ignores"),
            std::string::npos);
  EXPECT_EQ(said.find("not a key of RocketMQ"), std::string::npos) << said;
}

// The table's types hold for keys that nothing reads here as well.
TEST(BrokerConfiguration, BadValuesOfKeysWithoutEffectAreErrorsToo) {
  EXPECT_EQ(notes(parse_broker_configuration("\nbrokerRole=MASTER")),
            "line 2: brokerRole: error: \"MASTER\" is not allowed; allowed: ASYNC_MASTER, "
            "SYNC_MASTER or SLAVE\n");
  EXPECT_EQ(notes(parse_broker_configuration("ackMessageThreadPoolNums=5s")),
            "line 1: ackMessageThreadPoolNums: error: \"5s\" is not allowed; allowed: a "
            "whole number "
            "from -2147483648 to 2147483647\n");
  EXPECT_EQ(
      notes(parse_broker_configuration("enablePropertyFilter=yes")),
      "line 1: enablePropertyFilter: error: \"yes\" is not allowed; allowed: true or false\n");
  EXPECT_TRUE(parse_broker_configuration("logicalDiskSpaceCleanForciblyThreshold=x").has_errors());
  EXPECT_FALSE(parse_broker_configuration("enablePropertyFilter=TRUE").has_errors());
}

TEST(BrokerConfiguration, KeysOfOtherProcessesSayWhoseTheyAre) {
  EXPECT_EQ(notes(parse_broker_configuration("supportActingMaster=true")),
            "line 1: supportActingMaster: warning: a key of the name server's own file; a broker "
            "ignores it in silence\n");
  EXPECT_EQ(
      notes(parse_broker_configuration("enableElectUncleanMaster=true")),
      "line 1: enableElectUncleanMaster: warning: a key of the controller's own file; a broker "
      "ignores it in silence\n");
}

// What would change the meaning of an answer is not passed over in silence.
TEST(BrokerConfiguration, WhatCannotRunIsRefusedUnlessItIsTheDefault) {
  EXPECT_EQ(notes(parse_broker_configuration("enableControllerMode=false\nstoreType=default")), "");
  const ConfigurationResult result = parse_broker_configuration("enableControllerMode=true");
  EXPECT_TRUE(result.has_errors());
  EXPECT_EQ(
      notes(result),
      "line 1: enableControllerMode: refused: \"true\" does not run in this version, which has "
      "false only: it means another replication mode than the one that runs\n");
}

// Whoever asks for them does not want a broker that serves everybody, or a store that he can't
// read.
TEST(BrokerConfiguration, ChecksOfClientsAndOtherStoresAreRefused) {
  for (const char* line : {"aclEnable=true", "authenticationEnabled=true",
                           "authorizationEnabled=true", "storeType=defaultRocksDB"}) {
    EXPECT_TRUE(parse_broker_configuration(line).has_errors()) << line;
  }
  EXPECT_EQ(
      notes(parse_broker_configuration("authenticationEnabled=true")),
      "line 1: authenticationEnabled: refused: \"true\" does not run in this version, which "
      "has false only: it means checks of who may do what, and here every client is served\n");
  EXPECT_EQ(notes(parse_broker_configuration("aclEnable=false\nauthenticationEnabled=false")), "");
}

TEST(BrokerConfiguration, FilesThatRocketMqReadsOtherwise) {
  const ConfigurationResult escape = parse_broker_configuration("\nbrokerName=\\u12");
  EXPECT_TRUE(escape.has_errors());
  EXPECT_NE(notes(escape).find("line 2: brokerName: error: a \\u without four"), std::string::npos);

  const ConfigurationResult mark = parse_broker_configuration(
      "\xef\xbb\xbf"
      "flushDiskType=SYNC_FLUSH\nlistenPort=1");
  EXPECT_FALSE(mark.has_errors());
  EXPECT_EQ(mark.configuration.store.flush_disk_type, FlushDiskType::async_flush);
  EXPECT_EQ(mark.configuration.listen_port, 1);
  EXPECT_NE(notes(mark).find("byte order mark"), std::string::npos);

  const ConfigurationResult letters = parse_broker_configuration("brokerName=\u4f60");
  EXPECT_EQ(letters.configuration.broker_name, "\u4f60");
  EXPECT_NE(notes(letters).find("ISO 8859-1"), std::string::npos);
}

}  // namespace
}  // namespace drydock::test
