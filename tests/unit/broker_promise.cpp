// What combinations of settings promise, and the lines that each sentence comes from.
#include "engine/broker/promise.hpp"

#include <gtest/gtest.h>

#include <string>
#include <string_view>
#include <vector>

#include "engine/broker/configuration.hpp"

namespace drydock::test {
namespace {

std::vector<std::string> promises(std::string_view conf) {
  std::vector<std::string> lines;
  const ConfigurationResult result = parse_broker_configuration(conf);
  for (const Promise& promise : promises_of(Settings(result.settings))) {
    lines.push_back(describe(promise));
  }
  return lines;
}

// The one sentence with these words in it; a text that no test expects if there is another number.
std::string promise(std::string_view conf, std::string_view words) {
  std::string found;
  int count = 0;
  for (const std::string& line : promises(conf)) {
    if (line.find(words) == std::string::npos) continue;
    found = line;
    ++count;
  }
  return count == 1 ? found : std::to_string(count) + " sentences have: " + std::string(words);
}

bool says(std::string_view conf, std::string_view words) {
  for (const std::string& line : promises(conf)) {
    if (line.find(words) != std::string::npos) return true;
  }
  return false;
}

TEST(Settings, AnAbsentKeyHasRocketMqsDefaultAndNoLine) {
  const Settings settings({{"inSyncReplicas", "+2", 3}, {"slaveReadEnable", "TRUE", 4}});
  EXPECT_EQ(describe(settings.get("inSyncReplicas")), "inSyncReplicas=+2 (line 3)");
  EXPECT_EQ(describe(settings.get("brokerRole")), "brokerRole (absent: ASYNC_MASTER)");
  EXPECT_EQ(settings.number("inSyncReplicas"), 2);
  EXPECT_EQ(settings.number("slaveTimeout"), 3000);
  EXPECT_TRUE(settings.is("slaveReadEnable", "true"));
  EXPECT_TRUE(settings.is_given("slaveReadEnable"));
  EXPECT_FALSE(settings.is_given("brokerRole"));
}

TEST(Settings, TheLineIsTheOneThatCounts) {
  const ConfigurationResult result =
      parse_broker_configuration("listenPort=1\nunknown=2\n\nlistenPort=3 \\\n\n");
  EXPECT_TRUE(result.has_errors());  // The blank before the backslash.
  const ConfigurationResult good = parse_broker_configuration("deleteWhen=1\n\ndeleteWhen=3 ");
  ASSERT_EQ(good.settings.size(), 1u);
  EXPECT_EQ(describe(good.settings[0]), "deleteWhen=3 (line 3)");
}

TEST(Promise, WithoutARoleThereIsNoReplica) {
  EXPECT_EQ(promise("", "no replica promise"),
            "brokerRole (absent: ASYNC_MASTER): no replica promise: SEND_OK stands for one copy, "
            "and a master that is lost for good takes with it what it had not sent yet");
  EXPECT_TRUE(says("\nbrokerRole=ASYNC_MASTER", "brokerRole=ASYNC_MASTER (line 2): no replica"));
  EXPECT_FALSE(says("brokerRole=SYNC_MASTER", "no replica promise"));
}

TEST(Promise, AnAsyncMasterIgnoresItsNumberOfReplicas) {
  EXPECT_EQ(promise("inSyncReplicas=2", "waits for no slave"),
            "brokerRole (absent: ASYNC_MASTER), inSyncReplicas=2 (line 1): an ASYNC_MASTER waits "
            "for no slave all the same");
  EXPECT_FALSE(says("inSyncReplicas=1", "waits for no slave"));
}

TEST(Promise, ASyncMasterWaitsForNobodyByDefault) {
  EXPECT_EQ(promise("brokerRole=SYNC_MASTER", "waits for nobody"),
            "brokerRole=SYNC_MASTER (line 1), inSyncReplicas (absent: 1): waits for nobody: "
            "SEND_OK stands for one copy, and a master that is lost for good takes with it what it "
            "had not sent yet");
  EXPECT_TRUE(says("brokerRole=SYNC_MASTER\ninSyncReplicas=0", "waits for nobody"));
}

TEST(Promise, ASyncMasterWithTwoWaitsForOneSlavesMemory) {
  const std::string_view conf = "brokerRole=SYNC_MASTER\ninSyncReplicas=2\nslaveTimeout=1000";
  EXPECT_EQ(promise(conf, "SEND_OK once 2 brokers"),
            "brokerRole=SYNC_MASTER (line 1), inSyncReplicas=2 (line 2), slaveTimeout=1000 (line "
            "3): SEND_OK once 2 brokers, the master among them, have the message in memory, "
            "flushed or not; if they are late by 1000 ms the answer is FLUSH_SLAVE_TIMEOUT, whose "
            "outcome is unknown: the master has the message, and a retry stores it twice");
  EXPECT_TRUE(says(conf, "they wait for no copy"));
  EXPECT_FALSE(says(conf, "one copy, and"));
}

TEST(Promise, KeysOfOtherModesAreIgnoredInClassicMode) {
  EXPECT_TRUE(says("minInSyncReplicas=2", "minInSyncReplicas=2 (line 1): ignored"));
  EXPECT_TRUE(says("enableAutoInSyncReplicas=true", "(line 1): ignored without slave-acting"));
  EXPECT_TRUE(says("allAckInSyncStateSet=true", "(line 1): ignored without controller mode"));
  EXPECT_FALSE(says("enableControllerMode=true\nminInSyncReplicas=2", "ignored"));
  EXPECT_FALSE(says("", "ignored"));
}

TEST(Promise, ClassicModeHasNoFailover) {
  EXPECT_TRUE(says("", "no automatic failover"));
  EXPECT_FALSE(says("enableControllerMode=true", "no automatic failover"));
  EXPECT_FALSE(says("enableDLegerCommitLog=true", "no automatic failover"));
}

TEST(Promise, ASlaveAcknowledgesNothing) {
  const std::string_view conf = "brokerRole=SLAVE\nbrokerId=1";
  EXPECT_TRUE(says(conf, "refuses every send"));
  EXPECT_TRUE(says(conf, "counts as copied once it is in this broker's memory"));
  EXPECT_FALSE(says(conf, "SEND_OK"));
  EXPECT_FALSE(
      says("brokerRole=SLAVE\nbrokerId=1\nenableSlaveActingMaster=true", "refuses every send"));
}

TEST(Promise, SomeCombinationsDoNotStart) {
  EXPECT_EQ(promises("brokerRole=SLAVE"),
            std::vector<std::string>{"brokerRole=SLAVE (line 1), brokerId (absent: 0): the broker "
                                     "does not start: a slave's brokerId is larger than 0"});
  EXPECT_EQ(promises("enableControllerMode=true\nenableDLegerCommitLog=true"),
            std::vector<std::string>{
                "enableControllerMode=true (line 1), enableDLegerCommitLog=true (line 2): the "
                "broker does not start: one of the two"});
  EXPECT_TRUE(says("brokerId=3", "counts as brokerId 0"));
  EXPECT_FALSE(says("brokerId=3\nenableControllerMode=true", "counts as brokerId 0"));
}

TEST(Promise, ActingMasterModeRefusesOrLowersItsNumber) {
  const std::string mode = "enableSlaveActingMaster=true\nbrokerRole=SYNC_MASTER\n";
  EXPECT_TRUE(says(mode, "waits for nobody"));
  EXPECT_TRUE(says(mode + "inSyncReplicas=2", "sends are refused and nothing is stored"));
  const std::string lowered = mode + "inSyncReplicas=3\nenableAutoInSyncReplicas=true\n";
  EXPECT_TRUE(says(lowered,
                   "SEND_OK once 3 brokers, the master among them, have the message in "
                   "memory, or in as few as 1 while fewer are in sync"));
  EXPECT_TRUE(says(lowered, "may then stand for one copy"));
  EXPECT_TRUE(says(lowered + "minInSyncReplicas=2", "in as few as 2"));
  EXPECT_FALSE(says(lowered + "minInSyncReplicas=2", "may then stand for one copy"));
}

TEST(Promise, ControllerModeDependsOnWhoseAcknowledgementsCount) {
  const std::string mode = "enableControllerMode=true\n";
  EXPECT_TRUE(says(mode, "SEND_OK waits for no other broker; a failover cuts"));
  EXPECT_TRUE(says(mode + "inSyncReplicas=2", "have the message in memory, members of the"));
  const std::string all = mode + "allAckInSyncStateSet=true\n";
  EXPECT_TRUE(says(all, "SEND_OK once every member of the SyncStateSet"));
  EXPECT_FALSE(says(all, "a failover cuts"));
  EXPECT_TRUE(says(all, "may shrink to the master"));
  EXPECT_FALSE(says(all + "minInSyncReplicas=2", "may shrink to the master"));
  EXPECT_TRUE(says(all + "minInSyncReplicas=2", "fewer than 2 members: after each failover"));
}

TEST(Promise, DledgerWaitsForAMajorityAndForNoFlush) {
  const std::string_view conf = "enableDLegerCommitLog=true\nflushDiskType=SYNC_FLUSH";
  EXPECT_TRUE(says(conf, "SEND_OK once a majority of the group has the message in memory"));
  EXPECT_FALSE(says(conf, "SEND_OK once a flush"));
}

TEST(Promise, DuplicationSendsNothing) {
  EXPECT_TRUE(says("duplicationEnable=true\nbrokerRole=SYNC_MASTER\ninSyncReplicas=2",
                   "nothing is sent to a slave: SEND_OK stands for one copy"));
}

TEST(Promise, AsyncFlushLosesWhatNoFlushHasCovered) {
  EXPECT_EQ(promise("flushIntervalCommitLog=200", "SEND_OK does not wait for the disk"),
            "flushDiskType (absent: ASYNC_FLUSH), flushIntervalCommitLog=200 (line 1), "
            "flushCommitLogLeastPages (absent: 4), flushCommitLogThoroughInterval (absent: 10000): "
            "SEND_OK does not wait for the disk: a power loss takes what no flush has covered (the "
            "flush looks every 200 ms and acts on 4 dirty pages, or else after 10000 ms), and "
            "recovery cuts the log at the first record that is not whole");
  EXPECT_TRUE(says("flushCommitLogLeastPages=0", "every 500 ms and writes whatever there is"));
  EXPECT_TRUE(says("flushCommitLogLeastPages=1", "acts on 1 dirty page, or"));
  EXPECT_TRUE(says("", "a kill of the process loses nothing"));
  EXPECT_FALSE(says("flushDiskType=SYNC_FLUSH", "does not wait for the disk"));
}

TEST(Promise, AWarmUpMovesAFullDiskFromSendsToFiles) {
  const std::string conf = "warmMapedFileEnable=true\n";
  EXPECT_TRUE(says(conf, "a full disk shows when a file of the log is made"));
  EXPECT_TRUE(says("flushLeastPagesWhenWarmMapedFile=1", "no effect without the warm-up"));
  EXPECT_TRUE(says(conf + "flushLeastPagesWhenWarmMapedFile=1", "no effect without SYNC_FLUSH"));
  EXPECT_FALSE(says(conf + "flushLeastPagesWhenWarmMapedFile=1\nflushDiskType=SYNC_FLUSH",
                    "no effect without SYNC_FLUSH"));
}

TEST(Promise, AsyncFlushWithThePoolLosesByAKillToo) {
  const std::string_view conf = "transientStorePoolEnable=true\ncommitIntervalCommitLog=300";
  EXPECT_TRUE(says(conf, "up to 200 ms and one round of 300 ms"));
  EXPECT_FALSE(says(conf, "a kill of the process loses nothing"));
}

TEST(Promise, SyncFlushSurvivesAPowerLossButSomeMessagesDoNotWait) {
  const std::string_view conf = "flushDiskType=SYNC_FLUSH\nsyncFlushTimeout=7000";
  EXPECT_TRUE(says(conf, "flushDiskType=SYNC_FLUSH (line 1): SEND_OK once a flush has covered"));
  EXPECT_TRUE(says(conf, "they wait for no flush"));
  EXPECT_TRUE(says(conf,
                   "takes longer than 7000 ms is answered with FLUSH_DISK_TIMEOUT, whose "
                   "outcome is unknown"));
  EXPECT_FALSE(says("", "FLUSH_DISK_TIMEOUT"));
}

TEST(Promise, SyncFlushWithThePoolIsAsSafeAndSlower) {
  const std::string conf = "flushDiskType=SYNC_FLUSH\ntransientStorePoolEnable=true\n";
  EXPECT_TRUE(says(conf,
                   "as safe with the pool, but a send waits for the next commit to the page "
                   "cache, up to 200 ms"));
  EXPECT_FALSE(says(conf + "transientStorePoolEnable=false", "as safe with the pool"));
}

TEST(Promise, APoolOfTwoBuffersTakesOneMessage) {
  const std::string conf = "transientStorePoolEnable=true\ntransientStorePoolSize=";
  EXPECT_TRUE(says(conf + "2", "every send is refused with SYSTEM_BUSY"));
  EXPECT_FALSE(says(conf + "3", "SYSTEM_BUSY"));
  EXPECT_FALSE(says("transientStorePoolSize=2", "SYSTEM_BUSY"));
}

TEST(Promise, KeysOfThePoolThatDoNothing) {
  EXPECT_EQ(promise("commitIntervalCommitLog=50", "no effect without"),
            "commitIntervalCommitLog=50 (line 1), transientStorePoolEnable (absent: false): no "
            "effect without the transient pool");
  EXPECT_FALSE(says("commitIntervalCommitLog=200", "no effect without"));  // The default.
  const std::string pool = "transientStorePoolEnable=true\n";
  EXPECT_FALSE(says(pool + "commitIntervalCommitLog=50", "no effect"));
  EXPECT_TRUE(says(pool + "brokerRole=SLAVE\nbrokerId=1", "a slave has no transient pool"));
  EXPECT_TRUE(says(pool + "wakeFlushWhenPutMessage=true", "wakes the commit, not the flush"));
  EXPECT_TRUE(says(pool + "flushDiskType=SYNC_FLUSH\nwakeCommitWhenPutMessage=false",
                   "no send wakes the commit"));
}

TEST(Promise, WhatConsumersSee) {
  EXPECT_TRUE(says("flushDiskType=SYNC_FLUSH", "consumers see flushed messages only"));
  EXPECT_TRUE(says("", "consumers see messages before they are flushed"));
  EXPECT_TRUE(says("readUnCommitted=true", "neither flushed nor confirmed"));
  EXPECT_TRUE(says("transientStorePoolEnable=true", "only once it is committed"));
  EXPECT_FALSE(
      says("enableControllerMode=true\nflushDiskType=SYNC_FLUSH", "flushed messages only"));
}

TEST(Promise, WhatSlavesServe) {
  EXPECT_TRUE(says("", "slaveReadEnable (absent: false): a slave refuses every pull"));
  EXPECT_TRUE(says("slaveReadEnable=true", "may be sent to a slave"));
  EXPECT_TRUE(says("flushConsumerOffsetInterval=100", "written every 100 ms and never synced"));
}

TEST(Promise, WhatRecoveryTakesForGood) {
  EXPECT_TRUE(says("checkCRCOnRecover=false", "damaged body for good"));
  EXPECT_FALSE(says("", "damaged body"));
  EXPECT_TRUE(says("", "checksum of the body alone: a message whose topic, properties or header"));
  EXPECT_FALSE(says("checkCRCOnRecover=false", "of the body alone"));
  EXPECT_TRUE(says("forceVerifyPropCRC=true", "first record without a property CRC"));
  EXPECT_FALSE(says("", "property CRC"));
}

TEST(Promise, WhatThePropertyCrcIsGoodFor) {
  const std::string append = "enabledAppendPropCRC=true\n";
  const std::string verify = "forceVerifyPropCRC=true\n";
  EXPECT_TRUE(says(append, "all of it, and nobody compares it"));
  EXPECT_FALSE(says(append + verify, "nobody compares"));
  EXPECT_FALSE(says(append + verify, "of the body alone"));
  EXPECT_TRUE(says(append + verify, "such as all that were stored without"));
  EXPECT_FALSE(says(append + verify, "every restart loses"));
  EXPECT_TRUE(says(verify, "every restart loses acknowledged messages"));
  EXPECT_TRUE(says(append + verify + "checkCRCOnRecover=false", "compares no checksum at all"));
}

TEST(Promise, RetentionWithItsLimits) {
  EXPECT_TRUE(says("fileReservedTime=48\ndeleteWhen=02",
                   "last written 48 h ago is deleted, read or not, in the hour 02 or when its disk "
                   "is more than 75 % full"));
  EXPECT_TRUE(says("", "more than 85 % full the oldest files are deleted"));
  EXPECT_TRUE(says("cleanFileForciblyEnable=false", "no file is deleted before its time"));
  // RocketMQ keeps the ratios within limits.
  EXPECT_TRUE(says("diskMaxUsedSpaceRatio=99", "more than 95 % full"));
  EXPECT_TRUE(says("diskSpaceCleanForciblyRatio=99", "more than 85 % full the oldest"));
  EXPECT_TRUE(says("diskSpaceWarningLevelRatio=10", "more than 35 % full sends are refused"));
}

}  // namespace
}  // namespace drydock::test
