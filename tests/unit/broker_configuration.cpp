// broker.conf as users write it: the syntax of properties files, keys that count, keys that don't,
// and what the notes say about each line.
#include "engine/broker/configuration.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>
#include <iterator>
#include <set>

#include "engine/broker/configuration_keys.hpp"
#include "engine/broker/properties_file.hpp"

namespace drydock::test {
namespace {

using Severity = ConfigurationNote::Severity;

std::string entries(std::string_view text) {
  std::string all;
  for (const PropertyLine& line : read_properties(text)) {
    all += std::to_string(line.line) + "[" + line.key + "|" + line.value + "]";
  }
  return all;
}

std::string notes(const ConfigurationResult& result) {
  std::string all;
  for (const ConfigurationNote& note : result.notes) all += describe(note) + "\n";
  return all;
}

TEST(BrokerProperties, SeparatorsAndBlanks) {
  EXPECT_EQ(entries("a=b"), "1[a|b]");
  EXPECT_EQ(entries("a:b"), "1[a|b]");
  EXPECT_EQ(entries("a b"), "1[a|b]");
  EXPECT_EQ(entries(" \t a \t = \t b c"), "1[a|b c]");
  EXPECT_EQ(entries("a==b"), "1[a|=b]");
  EXPECT_EQ(entries("a"), "1[a|]");
  EXPECT_EQ(entries("a="), "1[a|]");
  EXPECT_EQ(entries("=b"), "1[|b]");
  EXPECT_EQ(entries("a=b \n"), "1[a|b ]");  // Java keeps the blank.
}

TEST(BrokerProperties, CommentsAndEmptyLines) {
  EXPECT_EQ(entries("# a=1\n  ! b=2\n\n   \nc=3 # no comment"), "5[c|3 # no comment]");
  EXPECT_EQ(entries("# a comment is not continued\\\na=1"), "2[a|1]");
}

TEST(BrokerProperties, LineEnds) {
  EXPECT_EQ(entries("a=1\r\nb=2\rc=3\n"), "1[a|1]2[b|2]3[c|3]");
  EXPECT_EQ(entries("\r\n\r\na=1"), "3[a|1]");
}

TEST(BrokerProperties, ContinuedLines) {
  EXPECT_EQ(entries("a=1,\\\n   2,\\\r\n3\nb=4"), "1[a|1,2,3]4[b|4]");
  EXPECT_EQ(entries("a=even\\\\\nb=1"), "1[a|even\\]2[b|1]");
  EXPECT_EQ(entries("a=at the end\\"), "1[a|at the end]");
  EXPECT_EQ(entries("a\\ b : c\\\n   d"), "1[a b|cd]");
}

TEST(BrokerProperties, Escapes) {
  EXPECT_EQ(entries("a=x\\ty\\u00e9\\u20AC\\q"), "1[a|x\ty\u00e9\u20acq]");
  EXPECT_EQ(entries("a\\=b\\:c=d"), "1[a=b:c|d]");
  EXPECT_EQ(entries("a=\\u12"), "1[a|u12]");  // Java refuses the file; we take it literally.
}

TEST(BrokerProperties, Utf8AndAByteOrderMark) {
  EXPECT_EQ(entries("\xef\xbb\xbf"
                    "a=\u4f60"),
            "1[a|\u4f60]");
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
      "storePathRootDir=/data/store/\n");
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
  EXPECT_EQ(notes(parse_broker_configuration("haListenPort=10912")),
            "line 1: haListenPort: warning: accepted, no effect in this version\n");
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

TEST(BrokerConfiguration, BlanksAtTheEndAreDroppedWithAWarning) {
  const ConfigurationResult result = parse_broker_configuration("flushDiskType=SYNC_FLUSH \n");
  EXPECT_EQ(result.configuration.store.flush_disk_type, FlushDiskType::sync_flush);
  ASSERT_EQ(result.notes.size(), 1u);
  EXPECT_EQ(result.notes[0].severity, Severity::warning);
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

// Every key once, in order: a table that people extend by hand.
TEST(BrokerConfiguration, TheTablesOfKeysAreSortedAndDisjoint) {
  std::vector<std::string_view> names;
  for (const HonouredKey& key : honoured_keys()) names.push_back(key.name);
  EXPECT_TRUE(std::ranges::is_sorted(names));
  EXPECT_TRUE(std::ranges::is_sorted(keys_without_effect()));
  std::set<std::string_view> all(names.begin(), names.end());
  for (const std::string_view key : keys_without_effect())
    EXPECT_TRUE(all.insert(key).second) << key;
  for (const OldSpelling& old : old_spellings()) {
    EXPECT_TRUE(all.contains(old.name)) << old.name;
    EXPECT_FALSE(all.contains(old.old_name)) << old.old_name;
  }
}

}  // namespace
}  // namespace drydock::test
