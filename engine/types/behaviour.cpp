#include "engine/types/behaviour.hpp"

#include <array>

namespace drydock {

namespace {

constexpr std::array<std::string_view, 2> kPresets = {"rocketmq-5.3.3", "hardened"};

constexpr auto kSwitches = static_cast<std::size_t>(BehaviourSwitch::count_);

constexpr std::array<BehaviourText, kSwitches> kTexts = {{
    {"flush.error-advances-position",
     "an fsync that fails is logged, the flushed position moves on and waiting sends are answered "
     "with success",
     "the position stays, waiting sends get FLUSH_DISK_TIMEOUT (outcome unknown), and the store "
     "takes no further message",
     "StoreOnDisk.AFlushThatTheDeviceRefusesLosesAnAcknowledgedMessageOfTheFaithfulStore",
     "S 0, S 13.25"},
    {"queue.write-error-advances-position",
     "a unit that could not be written into its consume queue counts as written and leaves a hole",
     "it is tried again, 30 times a second apart, then the store takes no further message",
     "StoreConsumeQueue.AFailedWriteLeavesAHoleInTheFaithfulQueueAndIsTriedAgainByTheHardened",
     "S 0, S 3.1"},
    {"queue.keeps-unit-of-zeros",
     "a cut of the queues counts the first unit of a file whatever it holds, so a file that was "
     "made "
     "and never flushed keeps one of zeros: its queue's first message gets index 1",
     "a file that begins with zeros is removed",
     "StoreBehaviour.AFileOfAQueueThatWasNeverFlushedKeepsAUnitOrNot",
     "S 5.5, recovery.py --seed 918"},
    {"queue.dropped-on-full-disk",
     "while the disk of the queues is more than diskSpaceWarningLevelRatio full, the next message "
     "that is dispatched gets no unit, and the store takes no further message until a restart, "
     "however much space is freed",
     "units are written as long as the disk takes them, and sends come back with the space",
     "StoreRetention.AQueueOnAFullDiskIsGivenUpOrNot", "S 3.1, S 5.2, B023"},
    {"queue.counts-filler",
     "after a restart the filler in front of a queue that begins in the middle counts as messages, "
     "of a record that ends at 2^31 - 1: consumers that begin there miss what follows it in the "
     "first "
     "file of the log, and where a crash leaves nothing else of the queue, no record in front of "
     "that gets a unit",
     "it counts as nothing",
     "StoreBehaviour.FillerCountsAsMessagesOrNot, "
     "StoreBehaviour.FillerThatIsAllThatACrashLeftCountsAsDispatchedOrNot",
     "S 3.1, S 13.15"},
    {"queue.gap-shifts-numbers",
     "a record behind what a crash has left of its queue gets the next unit there, whatever its "
     "number: "
     "where files of the log were deleted that no flush of the queue had covered, every later "
     "message "
     "has another index than its number says",
     "a queue of which nothing is left in the log begins anew at the number of the record",
     "StoreBehaviour.AQueueThatIsShorterThanWhatIsDeletedShiftsItsNumbersOrNot", "S 3.1, B005"},
    {"abort.not-synced",
     "the abort file is not synced: a power loss soon after the start takes it, and the next start "
     "takes the stop for an orderly one: recovery trusts the index, and what the queues know",
     "it is durable before the first message is taken",
     "StoreOnDisk.APowerLossSoonAfterTheStartTakesTheAbortFileOrNot", "S 5.2"},
    {"files.names-not-synced",
     "nothing syncs the directory of a new file: where a sync of the file makes its bytes durable "
     "and not its name, a power loss takes a whole file of the log, though every message in it was "
     "synced and acknowledged, or of a queue that the checkpoint takes for flushed",
     "the directory is synced before a file of the log is used, and before what is in a file of a "
     "queue or of the index counts as flushed; a start makes all names durable that it finds",
     "StoreOnDisk.AFileOfTheLogThatWasSyncedIsLostWithItsNameOrNot, "
     "StoreOnDisk.AFileOfAQueueThatWasFlushedIsLostWithItsNameOrNot, "
     "StoreOnDisk.AFileOfTheIndexThatWasFlushedIsLostWithItsNameOrNot, "
     "BrokerLaws.EverySwitchBreaksThem, "
     "scenarios/incidents/b014-unsynced-name.json",
     "fsync(2), B014"},
    {"recovery.skips-record-at-queue-end",
     "after an orderly stop recovery dispatches only records that start behind the largest end "
     "that a consume queue knows, so one that starts exactly there gets no unit",
     "that one too", "StoreQueueRecovery.AfterAnOrderlyStopOneRecordOfAQueueBehindTheLogIsSkipped",
     "S 5.5"},
    {"recovery.counts-tail-as-flushed",
     "what recovery accepts counts as flushed, though it may be in the page cache alone, after a "
     "crash, and after an orderly stop with SYNC_FLUSH, whose last flush covers one file: "
     "consumers "
     "see it, and later records are acknowledged behind it",
     "after a crash recovery syncs it first; an orderly stop syncs every file",
     "StoreBehaviour.WhatRecoveryAcceptsIsDurableOrNot, "
     "StoreBehaviour.AnOrderlyStopSyncsOneFileOfTheLogOrAll, BrokerLaws.EverySwitchBreaksThem",
     "S 5.5, B029"},
    {"recovery.leaves-old-records",
     "recovery moves positions only: old records stay behind the end of the log, and a later "
     "recovery takes them for the log's own once it ends where one of them begins; old units stay "
     "behind the end of a queue, and the next start takes them for the queue's own: readers find "
     "another queue's message there, or none",
     "after a crash the log goes on in a new file, behind a blank record, and what lies behind the "
     "end of a queue is overwritten with zeros",
     "StoreBehaviour.OldRecordsBehindTheEndComeBackOrNot", "S 13.9, B088"},
    {"checkpoint.ahead-of-queues",
     "the checkpoint takes a message for dispatched when its unit is in the page cache, up to 60 s "
     "before a flush covers it: after a power loss recovery may start behind units that are gone",
     "when a flush has covered it",
     "StoreBehaviour.UnitsThatNoFlushCoveredAreMadeAgainOrNot, BrokerLaws.EverySwitchBreaksThem",
     "S 5.1, S 13.14, B002, B004"},
    {"index.forgets-unfinished-file",
     "after a crash every index file that is not full and flushed is removed, and only what "
     "recovery dispatches again comes back",
     "recovery starts in front of what such a file had, and no file counts "
     "as having what lies behind the end of the log",
     "StoreBehaviour.KeysOfTheUnfinishedIndexFileAreForgottenOrNot, "
     "BrokerLaws.EverySwitchBreaksThem",
     "S 5.5, S 13.20, B007"},
    {"config.rewritten-in-place",
     "config/*.json is cut to nothing and written again, without a sync; its former content is in "
     "X.bak, written in the same way just before; a write that fails is only logged: whoever asked "
     "for a topic is answered with success",
     "a new file is synced and renamed over the old one, so that one of the two contents is always "
     "there; who asks for a topic that can't be saved gets SYSTEM_ERROR",
     "BrokerConfigFile.HardenedNothingThatWasSavedIsLost, "
     "BrokerTopicAdmin.WhoAsksForATopicThatCannotBeSavedIsToldOrNot, "
     "BrokerConfigFile.FaithfulAPowerLossMayTakeWhatWasSaved, BrokerLaws.EverySwitchBreaksThem",
     "S 1.2, S 13.29"},
    {"offsets.may-exceed-queue",
     "a consumer offset behind the end of its queue, as a power loss leaves it, stays: messages "
     "that are stored up to there later are never consumed",
     "at the start it is lowered to the end of the queue; without having saved that no broker "
     "starts",
     "BrokerBehaviour.AnOffsetBehindTheEndOfItsQueueStaysOrNot, BrokerLaws.EverySwitchBreaksThem",
     "S 1.2, B155"},
    {"internal.writes-not-awaited",
     "a message that was sent back, and one whose delay is over, is stored without waiting for "
     "flush or copies, whatever flushDiskType and brokerRole say",
     "both are waited for, as for a send; what a send-back comes to is answered as of a send "
     "(FLUSH_DISK_TIMEOUT and so on)",
     "BrokerBehaviour.ASendBackIsAnsweredBeforeItsFlushOrAfterIt, BrokerLaws.EverySwitchBreaksThem",
     "S 13.31"},
    {"registration.waits-for-files",
     "one thread registers the broker, saves consumer offsets and, on a slave, asks the master for "
     "its tables: while a call of one of these hangs, the others are not done, and name servers "
     "forget the broker after 120 s",
     "each is done by itself",
     "scenarios/incidents/b055-hung-file-call.json, "
     "BrokerRegistration.AFileCallThatHangsStopsRegistrationsOrNot",
     "H 43, B055"},
    {"topic.numbers-start-again",
     "the queues of a topic that was deleted and is made again begin with 0, while old records "
     "with "
     "the same numbers are still in the log: a recovery that dispatches those, and a slave, give "
     "them the places of the new ones, of which all but the first are then in no queue",
     "its queues go on behind the numbers that they had, as config/deletedTopics.json remembers",
     "BrokerTopicDeletion.NumbersOfATopicThatIsMadeAgainStartAgainOrGoOn, "
     "BrokerTopicDeletion.NewMessagesOfATopicThatWasMadeAgainAreLostInARecoveryOrNot",
     "S 3.1, S 5.5"},
    {"ha.sync-waits-for-nobody",
     "a SYNC_MASTER with the default inSyncReplicas = 1 waits for no slave", "for one at least",
     "HaBehaviour.ASyncMasterWaitsForNobodyByDefaultOrForOneSlave", "S 13.1, H 1.6"},
    {"ha.slave-acks-before-flush", "a slave acknowledges what it has in memory",
     "what it has flushed; with ASYNC_FLUSH, whose flushes come every 500 ms, it flushes before it "
     "reports",
     "HaBehaviour.ASlaveAcknowledgesBeforeItsFlushOrAfterIt, "
     "scenarios/incidents/b035-failing-slave-disk.json",
     "S 13.3, H 1.4, B035"},
    {"ha.report-beyond-end-counts",
     "a report of a slave beyond the end of its master's log counts, and releases every send up to "
     "there",
     "the master ends the connection, and takes none from that address in the rest of its life: "
     "such a slave follows another history",
     "scenarios/incidents/b046-slave-ahead.json", "H 1.5, B046"},
    {"ha.ships-nothing-deleted",
     "a slave whose log ends where its master's has been deleted gets heartbeats for ever, and "
     "nobody is told",
     "the master says so and ends the connection, whenever the slave comes again",
     "HaBehaviour.ASlaveBehindWhatIsDeletedIsToldOfOrNot", "H 1.5, B047"},
    {"jvm.safepoint-coupling",
     "a safepoint of the broker's Java virtual machine waits for a thread that is stuck in a store "
     "into, or a load from, a mapped file, and every other thread stands still until it comes back",
     "it does not wait, as if such accesses were native calls", "scenarios/storage/safepoint.json",
     "apache/rocketmq#2387"},
}};

}  // namespace

const BehaviourText& describe(BehaviourSwitch which) {
  return kTexts.at(static_cast<std::size_t>(which));
}

std::string_view name_of(BehaviourSwitch which) { return describe(which).name; }

std::optional<BehaviourSwitch> behaviour_switch_named(std::string_view name) {
  for (std::uint16_t i = 0; i < static_cast<std::uint16_t>(BehaviourSwitch::count_); ++i) {
    const auto which = static_cast<BehaviourSwitch>(i);
    if (name_of(which) == name) return which;
  }
  return std::nullopt;
}

std::optional<Behaviour> Behaviour::preset(std::string_view name) {
  Behaviour behaviour;
  if (name == kPresets[0]) return behaviour;
  if (name != kPresets[1]) return std::nullopt;
  behaviour.hardened_.set();
  return behaviour;
}

std::span<const std::string_view> Behaviour::preset_names() { return kPresets; }

}  // namespace drydock
