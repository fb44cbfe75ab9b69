#include "tools/cli/configuration_texts.hpp"

#include <algorithm>
#include <array>
#include <span>

#include "engine/types/ensure.hpp"

namespace drydock::cli {
namespace {

struct Meaning {
  std::string_view name;
  std::string_view text;
};

constexpr Meaning kMeanings[] = {
    {"accessMessageInMemoryHotRatio", "share of the memory behind which messages count as cold"},
    {"accessMessageInMemoryMaxRatio", "share of the memory in which messages count as cached"},
    {"autoCreateSubscriptionGroup", "unknown groups get the defaults when they first consume"},
    {"autoCreateTopicEnable", "a send makes a topic that is missing"},
    {"brokerClusterName", "the cluster that the broker registers in"},
    {"brokerFastFailureEnable", "requests that have waited too long are answered SYSTEM_BUSY"},
    {"brokerIP1", "the address that clients are told"},
    {"brokerIP2", "the address that slaves are told"},
    {"brokerId", "0 is the master of its name; others are slaves"},
    {"brokerName", "the name that master and slaves share"},
    {"brokerRole", "whether it has slaves that it waits for, or follows a master"},
    {"cgColdReadThreshold", "cold bytes that a group may read in 5 s"},
    {"checkCRCOnRecover", "recovery compares the checksums of bodies, or those of whole records"},
    {"cleanFileForciblyEnable", "on a nearly full disk files of the log go whatever their age"},
    {"cleanResourceInterval",
     "how often is looked for files to delete; first 60 s after the start"},
    {"coldCtrStrategyEnable", "thresholds for cold data follow what is read"},
    {"coldDataFlowControlEnable", "groups that read too much cold data are slowed down"},
    {"coldDataScanEnable", "what is in the page cache is not cold"},
    {"commitCommitLogLeastPages", "a commit of the transient pool waits for so many pages"},
    {"commitCommitLogThoroughInterval", "longest time without a commit, however few pages"},
    {"commitIntervalCommitLog", "pause between commits of the transient pool"},
    {"compressedRegister", "registrations are compressed"},
    {"defaultQueryMaxNum", "most messages that a query by key finds"},
    {"defaultTopicQueueNums", "queues of a topic that a send makes, at most"},
    {"deleteCommitLogFilesInterval", "pause between two files of the log that go"},
    {"deleteConsumeQueueFilesInterval", "pause after each queue that loses files"},
    {"deleteFileBatchMax", "files of the log that go in one round at most"},
    {"deleteWhen", "hours, in UTC, in which files of the log that are old enough go"},
    {"destroyMapedFileIntervalForcibly", "how long a file stays that is in use when it is to go"},
    {"diskMaxUsedSpaceRatio",
     "use of the disk above which files that are old enough go at any hour; 10 to 95 %"},
    {"diskSpaceCleanForciblyRatio",
     "use of the disk above which files go whatever their age; 30 to 85 %"},
    {"diskSpaceWarningLevelRatio", "use of the disk above which sends are refused; 35 to 90 %"},
    {"enabledAppendPropCRC", "each record has a checksum of all of it, as its last property"},
    {"fastFailIfNoBufferInStorePool",
     "without a free buffer no file of the log is made in advance"},
    {"fileReservedTime",
     "hours after its last write at which a file of the log is old enough to go"},
    {"flushCommitLogLeastPages", "a flush of the log waits for so many dirty pages"},
    {"flushCommitLogThoroughInterval", "longest time without a flush of the log, however few"},
    {"flushCommitLogTimed", "flushes of the log come on a fixed grid"},
    {"flushConsumeQueueLeastPages", "a flush of the queues waits for so many dirty pages"},
    {"flushConsumeQueueThoroughInterval", "longest time without a flush of the queues"},
    {"flushConsumerOffsetInterval", "how often consumers' offsets are written"},
    {"flushDelayOffsetInterval", "how often the offsets of delay levels are written"},
    {"flushDiskType", "whether a send waits for its flush"},
    {"flushIntervalCommitLog", "pause between flushes of the log"},
    {"flushIntervalConsumeQueue", "pause between flushes of the queues"},
    {"flushLeastPagesWhenWarmMapedFile",
     "with SYNC_FLUSH a file that is warmed up is forced every so many pages"},
    {"forceVerifyPropCRC",
     "recovery compares that checksum, not the body's, and ends the log at a record without it"},
    {"globalColdReadThreshold", "cold bytes that all groups together may read in 5 s"},
    {"haHousekeepingInterval", "silence after which a link between master and slave ends"},
    {"haListenPort", "where a master listens for slaves"},
    {"haMasterAddress", "the master of a slave; otherwise name servers tell it"},
    {"haSendHeartbeatInterval", "a link without news has a heartbeat so often"},
    {"haTransferBatchSize", "most bytes of the log in one frame to a slave"},
    {"inSyncReplicas", "copies, the master's among them, that a send of SYNC_MASTER waits for"},
    {"listenPort", "where clients connect"},
    {"longPollingEnable", "pulls without news are held"},
    {"mappedFileSizeCommitLog", "length of a file of the log"},
    {"mappedFileSizeConsumeQueue", "length of a file of a queue"},
    {"maxFilterMessageSize", "most of a queue that one pull looks through"},
    {"maxHashSlotNum", "slots of an index file"},
    {"maxIndexNum", "entries of an index file"},
    {"maxMessageSize", "longest body"},
    {"maxMsgsNumBatch", "most messages that one query by key looks at"},
    {"maxTransferBytesOnMessageInDisk", "most bytes of one pull that reads the disk"},
    {"maxTransferBytesOnMessageInMemory", "most bytes of one pull of cached messages"},
    {"maxTransferCountOnMessageInDisk", "most messages of one pull that reads the disk"},
    {"maxTransferCountOnMessageInMemory", "most messages of one pull of cached ones"},
    {"messageDelayLevel", "the delays of the levels 1, 2, …"},
    {"messageIndexEnable", "an index by keys is kept"},
    {"messageIndexSafe", "recovery begins in front of what the index may lack"},
    {"namesrvAddr", "the name servers"},
    {"offsetCheckInSlave", "a slave corrects offsets that it does not have"},
    {"osPageCacheBusyTimeOutMills", "an append that takes longer makes sends PCBUSY"},
    {"pullMessageThreadPoolNums", "workers for pulls"},
    {"pullThreadPoolQueueCapacity", "pulls that may wait for a worker"},
    {"readUnCommitted", "consumers may read what has not reached the slaves"},
    {"redeleteHangedFileInterval", "how often a first file is tried again that was in use"},
    {"registerBrokerTimeoutMills", "how long a registration may take"},
    {"registerNameServerPeriod", "how often the broker registers"},
    {"sendMessageThreadPoolNums", "workers for sends"},
    {"sendThreadPoolQueueCapacity", "sends that may wait for a worker"},
    {"shortPollingTimeMills", "how long a pull is held if long polling is off"},
    {"slaveReadEnable", "consumers that are far behind are sent to a slave"},
    {"slaveTimeout", "how long a send waits for its copies"},
    {"storePathCommitLog", "the directory of the log"},
    {"storePathRootDir", "the directory of the store"},
    {"syncFlushTimeout", "how long a send waits for its flush"},
    {"transactionCheckInterval", "how often half messages are looked through"},
    {"transactionCheckMax", "how often a producer is asked about one"},
    {"transactionTimeOut", "age at which a half message is asked about first"},
    {"transientStorePoolEnable", "sends go to memory first, and to the page cache with a commit"},
    {"transientStorePoolSize", "buffers of the transient pool, each as long as a file of the log"},
    {"usePIDColdCtrStrategy", "thresholds for cold data are moved by a controller"},
    {"waitTimeMillsInPullQueue", "longest wait of a pull for a worker"},
    {"waitTimeMillsInSendQueue", "longest wait of a send for a worker"},
    {"wakeCommitWhenPutMessage", "a send wakes the commit of the transient pool"},
    {"wakeFlushWhenPutMessage", "an append wakes the flush"},
    {"warmMapedFileEnable", "files of the log get blocks and pages, locked, before they are used"},
};

struct Reason {
  std::string_view text;
  std::string_view parts;  // Names that begin or end so, or are so, between blanks.
};

// The first one that fits counts.
constexpr Reason kReasons[] = {
    {"controllers and their set of replicas do not run",
     "allAckInSyncStateSet asyncLearner enableAutoInSyncReplicas minInSyncReplicas totalReplicas "
     "haMaxTimeSlaveNotCatchup controller* brokerElectionPriority "
     "brokerHeartbeatInterval brokerNotActiveTimeoutMillis checkSyncStateSetPeriod "
     "fetchControllerAddr* syncControllerMetadataPeriod storePathEpochFile storePathBrokerIdentity "
     "syncFromLastFile syncMasterFlushOffsetWhenStartup sendHeartbeatTimeoutMillis"},
    {"DLedger does not run", "dLeger* preferredLeaderId enableBatchPush storePathDLedgerCommitLog"},
    {"one broker has the disk", "replicasPerDiskPartition logicalDiskSpace*"},
    {"queues' minimums are corrected with each deletion",
     "maxBatchDeleteFilesNum correctLogicMinOffset* enableCleanExpiredOffset"},
    {"the log is in one directory", "readOnlyCommitLogStorePaths"},
    {"the timer wheel does not run",
     "timer* mappedFileSizeTimerLog recallMessageEnable "
     "allowRecall*"},
    {"queues and offsets are in files, not in RocksDB",
     "*RocksDB* rocksdb* memTable* bottomMost* configManagerVersion"},
    {"topics are not compacted", "compaction* enableCompaction maxOffsetMapSize"},
    {"files are read ahead as the host does it", "dataReadAheadEnable"},
    {"files are not swapped", "*Swap*"},
    {"light queues and dispatch to several queues do not run", "*Lmq* enableMultiDispatch"},
    {"filters are tags only",
     "*BloomFilter* *BitMap* *bitMap* expectConsumerNumUseFilter "
     "filter* enablePropertyFilter"},
    {"queue extensions and queues of batches do not run",
     "mappedFileSizeConsumeQueueExt mapperFileSizeBatchConsumeQueue searchBcq*"},
    {"links to slaves have no limit of their own",
     "haFlowControlEnable maxHaTransfer* "
     "haMaxGapNotInSync maxSlaveResendLength"},
    {"pop does not run",
     "*Pop* pop* revive* ack* appendAckAsync appendCkAsync skipWhenCK* enableSkipLongAwaitingAck "
     "defaultMessageRequestMode waitTimeMillsInAckQueue serverLoadBalancerEnable loadBalance*"},
    {"no statistics, traces or metrics are kept for RocketMQ's tools",
     "metric* commercial* accountStats* *Stats* enableDetailStat trace* msgTrace* print* "
     "isolateLogEnable "
     "transactionMetric* estimateAccumulation sample* regionId"},
    {"how name servers are found and told is fixed",
     "compatibleWithOldNameSrv fetchName* fetchNamesrv* updateNameServer* forceRegister "
     "enableSingleTopicRegister *plitRegistration* rmqAddress*"},
    {"slaves do not copy their master's topics and offsets", "syncBrokerMetadataPeriod"},
    {"brokers do not act for each other",
     "enableRemoteEscape inBrokerContainer skipPreOnline "
     "syncBrokerMember*"},
    {"broadcast offsets are not kept by the broker", "broadcast* enableBroadcastOffsetStore"},
    {"replies between clients are not served", "*Reply* *reply*"},
    {"these requests do not wait for a pool of this size",
     "*ThreadPoolNums *ThreadPoolNums* *QueueCapacity waitTimeMills* *ThreadNum "
     "recoverConcurrently"},
};

constexpr std::string_view kAuthentication = "there is no authentication: every client is served";
constexpr std::string_view kSockets = "connections are Drydock's own, not Netty's";
constexpr std::string_view kNothing = "nothing here reads it";

bool fits(std::string_view name, std::string_view part) {
  const bool open_front = part.starts_with('*');
  const bool open_back = part.ends_with('*');
  if (open_front) part.remove_prefix(1);
  if (open_back) part.remove_suffix(1);
  if (open_front && open_back) return name.contains(part);
  if (open_front) return name.ends_with(part);
  if (open_back) return name.starts_with(part);
  return name == part;
}

bool fits_one_of(std::string_view name, std::string_view parts) {
  while (!parts.empty()) {
    const std::size_t blank = parts.find(' ');
    if (fits(name, parts.substr(0, blank))) return true;
    parts = blank == std::string_view::npos ? std::string_view() : parts.substr(blank + 1);
  }
  return false;
}

}  // namespace

std::string_view meaning_of(std::string_view honoured) {
  const auto found = std::ranges::find(kMeanings, honoured, &Meaning::name);
  ENSURE(found != std::ranges::end(kMeanings));
  return found->text;
}

std::string_view why_without_effect(const ConfigurationProperty& property) {
  using enum PropertyOwner;
  if (property.owner == auth) return kAuthentication;
  if (property.owner == netty_server || property.owner == netty_client) return kSockets;
  for (const Reason& reason : kReasons) {
    if (fits_one_of(property.name, reason.parts)) return reason.text;
  }
  return kNothing;
}

}  // namespace drydock::cli
