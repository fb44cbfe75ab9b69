#include "scenarios/drill/promises.hpp"

#include "scenarios/drill/units.hpp"

namespace drydock::scenarios {

namespace {

// Source: RocketMQ storage reference, sections 6.1, 7.2 and 7.3.
std::string promise_of_flush(const StoreConfiguration& store) {
  if (store.flush_disk_type == FlushDiskType::sync_flush) {
    return "flushDiskType=SYNC_FLUSH: SEND_OK is given once a flush has covered the message, so "
           "it should survive a process kill and a power loss";
  }
  return "flushDiskType=ASYNC_FLUSH: SEND_OK is given once the message is in the page cache, so "
         "it should survive a process kill; a flush follows every " +
         text_of(store.flush_interval_commit_log) + " if " +
         std::to_string(store.flush_commit_log_least_pages) +
         " pages are dirty, at the latest after " +
         text_of(store.flush_commit_log_thorough_interval) +
         ", and until then nothing is promised for a power loss";
}

// Source: RocketMQ replication reference, sections 1.4 and 1.6.
std::string promise_of_replicas(const HaConfiguration& ha) {
  if (ha.role != BrokerRole::sync_master) {
    return "brokerRole=ASYNC_MASTER: it waits for no slave, so nothing is promised for a host that "
           "is gone for good";
  }
  if (ha.in_sync_replicas <= 1) {
    return "brokerRole=SYNC_MASTER with inSyncReplicas=1: it waits for nobody, so nothing is "
           "promised for a host that is gone for good";
  }
  return "brokerRole=SYNC_MASTER with inSyncReplicas=" + std::to_string(ha.in_sync_replicas) +
         ": SEND_OK is given once so many brokers have the message, in their page caches at least, "
         "so it should survive a host that is gone for good";
}

}  // namespace

std::map<std::string, std::string> durability_settings(const BrokerConfiguration& configuration) {
  const StoreConfiguration& store = configuration.store;
  const bool sync = store.flush_disk_type == FlushDiskType::sync_flush;
  const bool waits = configuration.ha.role == BrokerRole::sync_master;
  return {{"brokerRole", waits ? "SYNC_MASTER" : "ASYNC_MASTER"},
          {"inSyncReplicas", std::to_string(configuration.ha.in_sync_replicas)},
          {"flushDiskType", sync ? "SYNC_FLUSH" : "ASYNC_FLUSH"},
          {"flushIntervalCommitLog", std::to_string(store.flush_interval_commit_log.count_ms())},
          {"flushCommitLogLeastPages", std::to_string(store.flush_commit_log_least_pages)},
          {"flushCommitLogThoroughInterval",
           std::to_string(store.flush_commit_log_thorough_interval.count_ms())},
          {"mappedFileSizeCommitLog", std::to_string(store.mapped_file_size_commit_log)},
          {"syncFlushTimeout", std::to_string(store.sync_flush_timeout.count_ms())}};
}

std::vector<std::string> promises_of(const BrokerConfiguration& configuration, bool has_slaves) {
  std::vector<std::string> promises = {promise_of_flush(configuration.store)};
  if (has_slaves) promises.push_back(promise_of_replicas(configuration.ha));
  return promises;
}

std::string promise_of(const WriterSpec& writer) {
  if (writer.acked == AckedWhen::synced) {
    std::string text = writer.name + " counts a record as written once a sync has said so, so it " +
                       "should survive a process kill and a power loss";
    if (writer.after_error == AfterError::go_on) text += "; a sync that fails it tries again";
    return text;
  }
  return writer.name +
         " counts a record as written once it is stored, so it should survive a process kill; for "
         "a power loss nothing is promised";
}

}  // namespace drydock::scenarios
