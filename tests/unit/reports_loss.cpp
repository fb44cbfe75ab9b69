// The loss checker finds each kind of damage, and only that one: one seeded bug per test, against a
// history and a store that are otherwise in order.
#include <gtest/gtest.h>

#include "reports/loss/explain.hpp"
#include "reports/loss/loss.hpp"

namespace drydock::reports {
namespace {

constexpr std::int64_t kRecord = 1'200;

SendRecord send_of(std::uint64_t key, SendOutcome outcome) {
  SendRecord send;
  send.key = key;
  send.body_bytes = 1'024;
  send.attempts = {{key, 0, outcome}};
  send.invoked_ns = static_cast<std::int64_t>(key) * 10;
  send.completed_ns = send.invoked_ns + 5;
  send.outcome = outcome;
  send.physical_offset = static_cast<std::int64_t>(key - 1) * kRecord;
  return send;
}

StoredCopy copy_of(std::uint64_t key) {
  StoredCopy copy;
  copy.key = key;
  copy.key_known = true;
  copy.intact = true;
  copy.physical_offset = static_cast<std::int64_t>(key - 1) * kRecord;
  copy.body_bytes = 1'024;
  copy.attempt = key;
  copy.queue = 0;
  copy.queue_offset = static_cast<std::int64_t>(key - 1);
  copy.in_queue = true;
  return copy;
}

// Five acknowledged sends, all stored and in their queue.
class LossChecker : public testing::Test {
 protected:
  LossChecker() {
    for (std::uint64_t key = 1; key <= 5; ++key) {
      history.sends.push_back(send_of(key, SendOutcome::acked));
      store.copies.push_back(copy_of(key));
    }
    store.queues.push_back({"drill", 3, 0, 5});
    store.read = true;
    facts.flushed_to = 3 * kRecord;
    facts.fault_ns = 60;
  }
  LossReport check() const {
    return check_loss(history, store, {{"broker-a", "master", facts, false}});
  }

  History history;
  FinalStore store;
  StoreFacts facts;
};

TEST_F(LossChecker, FindsNothingWhereNothingIsWrong) {
  LossReport expected;
  expected.acked = 5;
  expected.at_risk = 2;
  EXPECT_EQ(check(), expected);
}

TEST_F(LossChecker, OfAStoreThatNobodyReadTheAnswersOfTheClientsAreAllThatIsKnown) {
  store = FinalStore();
  history.sends[0].outcome = SendOutcome::failed;
  history.sends[1].outcome = SendOutcome::unknown;
  LossReport expected;
  expected.read = false;
  expected.acked = 3;
  expected.failed = 1;
  EXPECT_EQ(check(), expected);
}

TEST_F(LossChecker, NamesAnAcknowledgedMessageThatIsGone) {
  store.copies.erase(store.copies.begin() + 3);
  const LossReport report = check();
  ASSERT_EQ(report.lost.size(), 1u);
  EXPECT_EQ(report.lost[0].key, 4u);
  EXPECT_EQ(report.lost[0].physical_offset, 3 * kRecord);
  EXPECT_EQ(report.lost[0].acked_ns, 45);
  EXPECT_EQ(report.acked, 5);
}

TEST_F(LossChecker, WhatWentWithAnOldFileHasExpiredAndIsNotLost) {
  store.expired_to = kRecord;
  std::erase_if(store.copies, [](const StoredCopy& copy) { return copy.key <= 2; });
  const LossReport report = check();
  EXPECT_EQ(report.expired, 1) << "of two that are gone the one in front of the log's begin";
  EXPECT_EQ(report.lost.size(), 1u);
}

TEST_F(LossChecker, WhatTheLogThatWasReadNeverHadIsLostHoweverFarThatHasExpired) {
  store.expired_to = 5 * kRecord;
  std::erase_if(store.copies, [](const StoredCopy& copy) { return copy.key == 4; });
  facts.appended_to = 5 * kRecord;
  const auto check_read = [this] {
    ReplicaFacts replica{"broker-a", "master", facts, false};
    replica.read = true;
    return check_loss(history, store, {replica});
  };
  EXPECT_EQ(check_read().expired, 1);
  facts.appended_to = 3 * kRecord;  // A slave that had not got it.
  EXPECT_EQ(check_read().lost.size(), 1u);
  facts.appended_to = 5 * kRecord;
  facts.recovered_to = 3 * kRecord;  // A recovery that cut it off.
  EXPECT_EQ(check_read().lost.size(), 1u);
}

TEST_F(LossChecker, AnAnswerThatDidNotSayWhereDoesNotExpire) {
  store.expired_to = kRecord;
  history.sends[0].physical_offset = -1;
  std::erase_if(store.copies, [](const StoredCopy& copy) { return copy.key == 1; });
  EXPECT_EQ(check().lost.size(), 1u);
}

TEST_F(LossChecker, AMessageInTheLogIsLostIfItsQueueDoesNotLeadToIt) {
  store.copies[3].in_queue = false;
  const LossReport report = check();
  ASSERT_EQ(report.lost.size(), 1u);
  EXPECT_EQ(report.lost_in_log(), 1);
  EXPECT_EQ(text_of_unread(report.lost[0]), "message 4 is in the log at 3600, not in drill/3 at 3");
  EXPECT_EQ(report.corrupt, 0);
}

TEST_F(LossChecker, AnotherCopyInTheQueueIsEnough) {
  store.copies[3].in_queue = false;
  store.copies.push_back(copy_of(4));
  const LossReport report = check();
  EXPECT_TRUE(report.lost.empty());
  EXPECT_EQ(report.duplicates, 0);  // Only one of them can be read.
}

TEST_F(LossChecker, OnlyWhatAQueueLeadsToIsThere) {
  history.sends[0].outcome = SendOutcome::unknown;
  history.sends[1].outcome = SendOutcome::failed;
  store.copies[0].in_queue = false;
  store.copies[1].in_queue = false;
  const LossReport report = check();
  EXPECT_EQ(report.unknown_absent, 1);
  EXPECT_EQ(report.unknown_stored, 0);
  EXPECT_EQ(report.failed_stored, 0);
}

TEST_F(LossChecker, ABrokenCopyInTheLogAloneIsCorruptAndNotCalledThere) {
  store.copies[3].in_queue = false;
  store.copies[3].intact = false;
  const LossReport report = check();
  EXPECT_EQ(report.corrupt, 1);
  ASSERT_EQ(report.lost.size(), 1u);
  EXPECT_EQ(report.lost_in_log(), 0);
}

TEST_F(LossChecker, TellsLossesBehindTheLastFlushFromOthers) {
  store.copies.erase(store.copies.begin() + 2, store.copies.begin() + 4);  // Keys 3 and 4.
  const LossReport report = check();
  ASSERT_EQ(report.lost.size(), 2u);
  EXPECT_FALSE(report.lost[0].behind_last_flush);
  EXPECT_TRUE(report.lost[1].behind_last_flush);
}

TEST_F(LossChecker, DoesNotCountAnUnknownSendAsLost) {
  history.sends[1].outcome = SendOutcome::unknown;
  history.sends[2].outcome = SendOutcome::unknown;
  store.copies.erase(store.copies.begin() + 1);
  const LossReport report = check();
  EXPECT_TRUE(report.lost.empty());
  EXPECT_EQ(report.unknown_absent, 1);
  EXPECT_EQ(report.unknown_stored, 1);
}

TEST_F(LossChecker, CountsARefusedSendThatIsStored) {
  history.sends[0].outcome = SendOutcome::failed;
  history.sends[1].outcome = SendOutcome::failed;
  store.copies.erase(store.copies.begin());
  const LossReport report = check();
  EXPECT_EQ(report.failed, 2);
  EXPECT_EQ(report.failed_stored, 1);
}

TEST_F(LossChecker, CountsASecondCopyAsADuplicateAndNoPhantom) {
  store.copies.push_back(copy_of(2));
  const LossReport report = check();
  EXPECT_EQ(report.duplicates, 1);
  EXPECT_EQ(report.phantoms, 0);
}

// The first attempt met silence, its retry was acknowledged; both are there.
TEST_F(LossChecker, AnUnansweredAttemptBesideItsRetryIsADuplicateAndNoPhantom) {
  history.sends[1].attempts = {{100, 0, SendOutcome::unknown}, {2, 0, SendOutcome::acked}};
  store.copies.push_back(copy_of(2));
  store.copies.back().attempt = 100;
  LossReport expected;
  expected.acked = 5;
  expected.at_risk = 2;
  expected.duplicates = 1;
  EXPECT_EQ(check(), expected);
}

TEST_F(LossChecker, AnAttemptThatNobodyMadeIsAPhantom) {
  store.copies.push_back(copy_of(2));
  store.copies.back().attempt = 77;
  const LossReport report = check();
  EXPECT_EQ(report.phantoms, 1);
  EXPECT_EQ(report.duplicates, 0);
}

TEST_F(LossChecker, AnAttemptOfASendThatNeverEndedIsNoPhantom) {
  history.sends.push_back(send_of(6, SendOutcome::unknown));
  history.sends.back().completed_ns = -1;
  history.sends.back().attempts.clear();
  store.copies.push_back(copy_of(6));
  store.copies.back().attempt = 77;
  const LossReport report = check();
  EXPECT_EQ(report.phantoms, 0);
  EXPECT_EQ(report.unknown_stored, 1);
}

TEST_F(LossChecker, TakesAMessageWithOtherBytesAsCorruptAndAsLost) {
  store.copies[2].intact = false;
  const LossReport report = check();
  EXPECT_EQ(report.corrupt, 1);
  ASSERT_EQ(report.lost.size(), 1u);
  EXPECT_EQ(report.lost[0].key, 3u);
}

TEST_F(LossChecker, CountsADamagedRangeAsCorrupt) {
  store.damaged.push_back({5 * kRecord, 64, "no record begins here"});
  const LossReport report = check();
  EXPECT_EQ(report.corrupt, 1);
  EXPECT_EQ(report.damage,
            std::vector<std::string>{"the log at 6000, 64 bytes: no record begins here"});
}

TEST_F(LossChecker, CountsDamagedEntriesAsCorruptAndNamesTheFirstFindings) {
  store.copies[2].intact = false;
  store.damaged_entries.push_back({0, 4, 1, "is missing"});
  store.damaged_entries.push_back({0, 7, 20, "leads to 5, where no record begins"});
  LossReport report = check();
  EXPECT_EQ(report.corrupt, 3);
  EXPECT_EQ(
      report.damage,
      (std::vector<std::string>{
          "the log at 2400: message 3 has other bytes than were sent", "drill/3 at 4 is missing",
          "drill/3 at 7 leads to 5, where no record begins, and so on for 20 entries"}));
  store.damaged_entries.resize(30, {0, 9, 1, "is missing"});
  report = check();
  EXPECT_EQ(report.corrupt, 31);
  EXPECT_EQ(report.damage.size(), kDamageNamed);
}

TEST_F(LossChecker, CountsWhatNobodySentAsPhantom) {
  store.copies.push_back(copy_of(99));
  StoredCopy nameless = copy_of(1);
  nameless.key_known = false;
  store.copies.push_back(nameless);
  EXPECT_EQ(check().phantoms, 2);
}

TEST_F(LossChecker, ARecordWithTornPropertiesIsDamageAndNoPhantom) {
  StoredCopy torn = copy_of(1);
  torn.key_known = false;
  torn.torn_properties = true;
  torn.physical_offset = 4'096;
  store.copies.push_back(torn);
  const LossReport report = check();
  EXPECT_EQ(report.phantoms, 0);
  EXPECT_EQ(report.corrupt, 1);
  EXPECT_EQ(report.damage.at(0),
            "the log at 4096: a record whose properties are torn, which its body's checksum does "
            "not cover");
}

TEST_F(LossChecker, SendsThatNeverCompletedAreUnknown) {
  history.sends.push_back(send_of(6, SendOutcome::unknown));
  history.sends.back().completed_ns = -1;
  EXPECT_EQ(check().unknown_absent, 1);
}

TEST_F(LossChecker, AnOffsetThatIsGivenOutAgainAfterTheFaultIsNotAtRisk) {
  history.sends.push_back(send_of(6, SendOutcome::acked));
  history.sends.back().invoked_ns = 70;
  history.sends.back().completed_ns = 75;
  history.sends.back().physical_offset = 4 * kRecord;
  const LossReport report = check();
  EXPECT_EQ(report.at_risk, 2);
  ASSERT_EQ(report.lost.size(), 1u);
  EXPECT_FALSE(report.lost[0].behind_last_flush);
}

TEST_F(LossChecker, TellsWhatBecameOfEachCopyOfALostMessage) {
  store.copies.erase(store.copies.begin() + 1, store.copies.end());  // Keys 2 to 5.
  StoreFacts behind = facts;
  behind.appended_to = 2 * kRecord;
  behind.flushed_to = kRecord;
  facts.appended_to = 5 * kRecord;
  const LossReport report =
      check_loss(history, store, {{"a", "master", facts, false}, {"s", "slave", behind, false}});
  ASSERT_EQ(report.lost.size(), 4u);
  using enum CopyFate;
  EXPECT_EQ(report.lost[0].copies, (std::vector<CopyFate>{flushed, behind_last_flush}));
  EXPECT_EQ(report.lost[1].copies, (std::vector<CopyFate>{flushed, not_received}));
  EXPECT_EQ(report.lost[3].copies, (std::vector<CopyFate>{behind_last_flush, not_received}));
  const LossReport without =
      check_loss(history, store, {{"a", "master", facts, true}, {"s", "slave", behind, false}});
  EXPECT_EQ(without.lost[3].copies, (std::vector<CopyFate>{CopyFate::destroyed, not_received}));
}

TEST_F(LossChecker, TellsWhatWasInTheTransientPoolOnly) {
  store.copies.erase(store.copies.begin() + 2, store.copies.end());  // Keys 3 to 5.
  facts.appended_to = 5 * kRecord;
  facts.committed_to = 4 * kRecord;
  const LossReport report = check();
  ASSERT_EQ(report.lost.size(), 3u);
  using enum CopyFate;
  EXPECT_EQ(report.lost[0].copies, std::vector<CopyFate>{flushed});
  EXPECT_EQ(report.lost[1].copies, std::vector<CopyFate>{behind_last_flush});
  EXPECT_EQ(report.lost[2].copies, std::vector<CopyFate>{in_pool});
}

RunResult run_with_loss(std::int64_t flush_age_ns, std::size_t lost, bool behind) {
  RunResult run;
  run.faults.push_back({"host.power-loss", "broker-host", 1'000'000'000, -1});
  run.replicas = {{"broker-a", "master", {}, false, "broker-host"}};
  run.loss.acked = 1'000;
  run.replicas[0].store.last_flush_ns = 1'000'000'000 - flush_age_ns;
  run.loss.at_risk = behind ? static_cast<std::int64_t>(lost) : 0;
  for (std::size_t i = 0; i < lost; ++i) {
    const CopyFate fate = behind ? CopyFate::behind_last_flush : CopyFate::flushed;
    run.loss.lost.push_back({i + 1, 0, 0, behind, {fate}});
  }
  return run;
}

TEST(LossExplanation, GivesTheMechanismAndTheAgeOfTheLastFlush) {
  const std::string text = explain(
      mechanism_of({run_with_loss(2'000'000, 1, true), run_with_loss(250'000'000, 2, true),
                    run_with_loss(490'000'000, 3, true), run_with_loss(9'000'000, 0, true)}));
  EXPECT_NE(text.find("discards the dirty pages"), std::string::npos) << text;
  EXPECT_NE(text.find("with them 6 of 6 messages that were acknowledged before a flush"),
            std::string::npos)
      << text;
  EXPECT_NE(text.find("2.00 ms to 490 ms old (median 250 ms)"), std::string::npos) << text;
}

TEST(LossExplanation, SaysWhyNothingWasLost) {
  RunResult kill;
  kill.faults.push_back({"process.kill", "broker-a", 1, 2});
  kill.replicas = {{"broker-a", "master", {}, false, "h"}};
  kill.loss.acked = 10;
  EXPECT_TRUE(
      explain(mechanism_of({kill})).ends_with("a flush had covered every acknowledged message"));
  kill.loss.at_risk = 7;
  EXPECT_EQ(
      explain(mechanism_of({kill})),
      "process.kill leaves the page cache to the kernel: 7 acknowledged messages that no flush "
      "had covered outlived it");
}

// Linux I/O model, section 4: an error of data cleans its pages, one of the journal ends the file
// system.
TEST(LossExplanation, AnErrorDoesWhatItsPartOfTheDiskIsFor) {
  const auto text = [](const char* detail, const char* file_system) {
    RunResult run;
    run.faults.push_back({"disk.error", "h", 1, 2});
    run.faults[0].detail = detail;
    run.faults[0].file_system = file_system;
    run.replicas = {{"w", "writer", {}, false, "h"}};
    run.loss.acked = 10;
    const std::string all = explain(mechanism_of({run}));
    const std::string end = ", and a flush had covered every acknowledged message";
    EXPECT_TRUE(all.ends_with(end)) << all;
    return all.substr(0, all.size() - end.size());
  };
  EXPECT_EQ(text("data-writes, 1 time", "ext4"),
            "disk.error (data-writes, 1 time) leaves pages clean in memory that the disk has not "
            "got");
  EXPECT_EQ(text("journal", "ext4"),
            "disk.error (journal) fails the writes of the journal: nothing that needs a commit "
            "becomes durable");
  EXPECT_EQ(text("journal", "xfs"),
            "disk.error (journal) fails the writes of the log of xfs: nothing that needs a commit "
            "becomes durable");
  EXPECT_EQ(text("journal", "ext4, data=journal"),
            "disk.error (journal) fails the writes of the journal, and so those of the data in "
            "it: nothing that needs a commit becomes durable");
  EXPECT_EQ(text("data-writes", "ext4, data=journal"),
            "disk.error (data-writes) fails the writes that bring what the journal holds to its "
            "place");
  EXPECT_EQ(text("writes", "xfs"),
            "disk.error (writes) leaves pages clean in memory that the disk has not got, and "
            "fails the writes of the log of xfs");
  EXPECT_EQ(text("reads of /log", "ext4"),
            "disk.error (reads of /log) changes nothing in memory or on the disk");
  EXPECT_EQ(text("flushes", "ext4"),
            "disk.error (flushes) leaves in the cache of the disk what was to be flushed");
}

TEST(LossExplanation, NamesTheFileSystemThatStoppedAndWhatNobodyCouldRead) {
  RunResult run;
  run.seed = 3;
  run.faults.push_back({"disk.error", "h", 1'000'000'000, 2'000'000'000});
  run.faults[0].detail = "data-writes";
  run.replicas = {{"w", "writer", {}, false, "h"}};
  run.stopped_file_systems = {{"h", FileSystemEnd::host_panicked, 3'000'000'000}};
  run.loss.read = false;
  run.loss.acked = 1'199;
  const std::string effect =
      "disk.error (data-writes) leaves pages clean in memory that the disk has not got; in 1 run "
      "the ext4 of h stopped 2.00 s after the fault (seed 3): the kernel panicked (errors=panic)";
  EXPECT_EQ(explain(mechanism_of({run})),
            effect +
                "; nobody could read the store, so that what was lost of 1,199 acknowledged "
                "messages is not known");
  RunResult read;
  read.faults = run.faults;
  read.replicas = run.replicas;
  read.loss.acked = 10;
  EXPECT_EQ(explain(mechanism_of({run, read})),
            effect +
                ", and a flush had covered every acknowledged message; of 1 run nobody could "
                "read the store: what they lost of 1,199 acknowledged messages is not known");
}

TEST(LossExplanation, NamesTheCachesThatATakeoverLeftFull) {
  RunResult run;
  run.loss.acked = 10;
  run.takeovers = {{.standby = "s", .disk = "d1", .completed = true}};
  EXPECT_EQ(explain(mechanism_of({run})),
            "the disk was taken over, and no acknowledged message was lost");
  run.ownership.stale_reads = 3;
  run.loss.lost.push_back({1, 0, 0, true, {}});
  EXPECT_EQ(explain(mechanism_of({run, run})),
            "stale pages: the new owner was given 6 blocks by a cache of the device that is older "
            "than its ownership, and with them 2 acknowledged messages were lost");
  run.ownership = {.stale_reads = 0, .foreign_writes = 1};
  run.loss.lost.clear();
  EXPECT_EQ(explain(mechanism_of({run})),
            "dirty pages: 1 block that is older than the ownership landed on the media under it, "
            "and no acknowledged message was lost");
  run.faults.push_back({"process.kill", "w", 1, 2});
  EXPECT_TRUE(explain(mechanism_of({run})).starts_with("process.kill "));
  EXPECT_TRUE(explain(mechanism_of({run})).ends_with("landed on the media under it"));
}

// A new owner that was dark at the end: the disk tells of its caches, nobody tells of losses.
TEST(LossExplanation, DeniesNoLossOfAStoreThatNobodyReadWhateverCachesDid) {
  RunResult unread;
  unread.takeovers = {{.standby = "s", .disk = "d1", .completed = true}};
  unread.ownership.stale_reads = 3;
  unread.loss.read = false;
  unread.loss.acked = 10;
  const std::string caches =
      "stale pages: the new owner was given 3 blocks by a cache of the device that is older than "
      "its ownership";
  EXPECT_EQ(explain(mechanism_of({unread})),
            "the disk was taken over; " + caches +
                "; nobody could read the store, so that what was lost of 10 acknowledged messages "
                "is not known");
  RunResult read;
  read.loss.acked = 7;
  EXPECT_EQ(explain(mechanism_of({unread, read})),
            caches +
                ", and no acknowledged message was lost; of 1 run nobody could read the store: "
                "what they lost of 10 acknowledged messages is not known");
  unread.faults.push_back({"process.kill", "w", 1, 2});
  EXPECT_EQ(explain(mechanism_of({unread})),
            "process.kill on w touches no broker's log; " + caches +
                "; nobody could read the store, so that what was lost of 10 acknowledged messages "
                "is not known");
}

TEST(LossExplanation, LeavesOutRunsInWhichTheSimulatorFailed) {
  RunResult unread;
  unread.loss.read = false;
  unread.loss.acked = 10;
  RunResult crashed;
  crashed.verdict = Verdict::harness;
  crashed.stopped_file_systems = {{"h", FileSystemEnd::shut_down, 1}};
  const LossMechanism mechanism = mechanism_of({unread, crashed});
  EXPECT_EQ(mechanism.unread_runs, 1);
  EXPECT_EQ(mechanism.read_runs, 0);
  EXPECT_EQ(explain(mechanism),
            "there was no fault; nobody could read the store, so that what was lost of 10 "
            "acknowledged messages is not known");
}

TEST(LossExplanation, TheTransientPoolGoesWithAKill) {
  RunResult run;
  run.faults.push_back({"process.kill", "a", 1, 5});
  run.replicas = {{"a", "master", {}, false, "h"}};
  run.loss.acked = 10;
  run.loss.at_risk = 3;
  run.loss.lost.push_back({1, 0, 0, true, {CopyFate::in_pool}});
  run.loss.lost.push_back({2, 0, 0, true, {CopyFate::in_pool}});
  EXPECT_EQ(explain(mechanism_of({run})),
            "process.kill leaves the page cache to the kernel; the transient pool went with its "
            "process, and with it 2 acknowledged messages that no commit had brought to the page "
            "cache (transientStorePoolEnable)");
}

TEST(LossExplanation, CountsTheCopiesOfWhatWasLost) {
  RunResult run;
  run.faults.push_back({"host.destroy", "h", 1, -1});
  run.replicas = {{"a", "master", {}, true, "h"}, {"s", "slave", {}, false, "h2"}};
  run.loss.acked = 10;
  EXPECT_EQ(explain(mechanism_of({run})),
            "host.destroy takes the master's disk with it, and every acknowledged message was on "
            "another broker");
  run.loss.lost.push_back({1, 0, 0, true, {CopyFate::destroyed, CopyFate::not_received}});
  EXPECT_EQ(explain(mechanism_of({run, run})),
            "host.destroy takes the master's disk with it: 2 messages were nowhere else; when it "
            "came, their copies were: a 2 gone with its disk; s 2 not received yet");
}

// One message that no flush had covered, and one that is in the log, but not in its queue.
RunResult run_with_unread_message() {
  RunResult run = run_with_loss(1, 2, true);
  run.loss.lost[1].in_log_at = 3'600;
  run.loss.lost[1].queue = "drill/3";
  run.loss.lost[1].queue_offset = 3;
  return run;
}

TEST(LossExplanation, TellsWhatIsInTheLogButInNoQueue) {
  const std::string unread =
      "; 2 lost messages are in the log, but a reader of the queue never gets them "
      "(message 2 is in the log at 3600, not in drill/3 at 3)";
  const RunResult run = run_with_unread_message();
  const std::string text = explain(mechanism_of({run, run}));
  EXPECT_NE(text.find("with them 2 of 4 messages that were acknowledged before a flush"),
            std::string::npos)
      << text;
  EXPECT_EQ(text.find("had been covered"), std::string::npos) << text;
  EXPECT_TRUE(text.ends_with(unread)) << text;

  RunResult destroyed = run;
  destroyed.faults = {{"host.destroy", "broker-host", 1, -1}};
  EXPECT_EQ(explain(mechanism_of({destroyed, destroyed})),
            "host.destroy takes the master's disk with it: 2 messages were nowhere else" + unread);
}

TEST(LossExplanation, DoesNotBlameTheFlushForWhatAFlushHadCovered) {
  const std::string text = explain(mechanism_of({run_with_loss(1, 2, false)}));
  EXPECT_EQ(text.find("before a flush"), std::string::npos) << text;
  EXPECT_NE(text.find("2 lost messages had been covered by a flush"), std::string::npos) << text;
}

TEST(LossExplanation, NamesEachOtherLossForWhatItIs) {
  RunResult run = run_with_loss(1, 5, false);
  run.loss.lost[1].copies = {CopyFate::not_received};
  run.loss.lost[2].copies = {};
  run.loss.lost[3].copies = {};
  EXPECT_TRUE(explain(mechanism_of({run}))
                  .ends_with("; 2 lost messages had been covered by a flush; 1 lost message had "
                             "not come to the master's "
                             "log; 2 lost messages had been sent after it"))
      << explain(mechanism_of({run}));
  run.faults.clear();
  EXPECT_TRUE(explain(mechanism_of({run})).ends_with("; of 2 lost messages nothing tells why"))
      << explain(mechanism_of({run}));
}

// Two power losses; of six lost messages, in this order: the first one took the last copy of one,
// the slave keeps two, the broker that readers have keeps one, none ever had one, one has no trace.
RunResult run_with_kept_copies() {
  RunResult run;
  run.faults = {{"host.power-loss", "h1", 10, 20}, {"host.power-loss", "h2", 30, 40}};
  run.replicas = {{"a", "master", {}, false, "h1", true}, {"s", "slave", {}, false, "h2", false}};
  run.loss.acked = 10;
  for (std::uint64_t key = 1; key <= 6; ++key) run.loss.lost.push_back({key, 0, 0, true, {}});
  const CopyHistory kept{CopyEnd::kept, 1, -1, -1, -1};
  const CopyHistory gone{CopyEnd::page_cache_lost, 1, -1, 10, 0};
  run.loss.lost[0].histories = {gone, {}};
  run.loss.lost[0].last_copy_fault = 0;
  run.loss.lost[1].histories = {gone, kept};
  run.loss.lost[2].histories = {gone, kept};
  run.loss.lost[3].histories = {kept, kept};
  run.loss.lost[4].histories = {{}, {}};
  return run;
}

TEST(LossExplanation, ACopyThatABrokerKeepsIsNotGone) {
  const std::string kept =
      "2 lost messages are still on s, which is not the broker that readers have; 1 lost message "
      "is still in the log of a, but not whole";
  RunResult run = run_with_kept_copies();
  const std::string text = explain(mechanism_of({run}));
  EXPECT_TRUE(
      text.starts_with("3 messages were lost: 1 gone with host.power-loss on h1, 1 never "
                       "in a broker's log, 1 not traced (of a run the first 100 are); " +
                       kept))
      << text;
  run.faults.pop_back();
  const std::string of_one = explain(mechanism_of({run}));
  EXPECT_NE(of_one.find("; " + kept), std::string::npos) << of_one;
  EXPECT_NE(of_one.find("with them 3 of"), std::string::npos) << of_one;
}

TEST(LossExplanation, SaysWhoseDiskOrMemoryItWas) {
  RunResult run;
  run.replicas = {{"a", "master", {}, false, "h1"}, {"s", "slave", {}, false, "h2"}};
  run.loss.acked = 10;
  run.loss.at_risk = 7;
  const auto text = [&run](const char* kind, const char* target) {
    run.faults = {{kind, target, 1, -1}};
    return explain(mechanism_of({run}));
  };
  const std::string nothing = ", and no acknowledged message was lost";
  EXPECT_EQ(text("host.destroy", "h2"),
            "host.destroy takes the disk of s, not of the master" + nothing);
  EXPECT_EQ(text("host.power-loss", "h2"),
            "host.power-loss discards the dirty pages of the page cache of s, not of the master" +
                nothing);
  EXPECT_EQ(text("host.destroy", "client"),
            "host.destroy on client touches no broker's log" + nothing);
  EXPECT_EQ(text("host.power-loss", "client"),
            "host.power-loss on client touches no broker's log" + nothing);
  EXPECT_EQ(text("process.kill", "producer"),
            "process.kill on producer touches no broker's log" + nothing);
  run.loss.lost.push_back({1, 0, 0, true, {CopyFate::behind_last_flush, CopyFate::destroyed}});
  EXPECT_TRUE(text("host.destroy", "h2")
                  .starts_with("host.destroy takes the disk of s, not of the master; no flush of "
                               "the master had covered 1 lost message"))
      << text("host.destroy", "h2");
}

TEST(LossExplanation, AFaultThatNeverFiredDidNothing) {
  RunResult run;
  run.loss.acked = 10;
  EXPECT_EQ(explain(mechanism_of({run})),
            "there was no fault, and no acknowledged message was lost");
  run.faults = {{"host.power-loss", "h", -1, -1}, {"host.panic", "h", -1, -1}};
  EXPECT_EQ(explain(mechanism_of({run})),
            "no fault took effect, and no acknowledged message was lost");
  run.loss.acked = 0;
  EXPECT_EQ(explain(mechanism_of({run})),
            "no fault took effect, and nothing had been acknowledged");
}

}  // namespace
}  // namespace drydock::reports
