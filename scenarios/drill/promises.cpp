#include "scenarios/drill/promises.hpp"

#include "scenarios/drill/units.hpp"

namespace drydock::scenarios {

std::map<std::string, std::string> durability_settings(const BrokerConfiguration& configuration) {
  const StoreConfiguration& store = configuration.store;
  const bool sync = store.flush_disk_type == FlushDiskType::sync_flush;
  return {{"flushDiskType", sync ? "SYNC_FLUSH" : "ASYNC_FLUSH"},
          {"flushIntervalCommitLog", std::to_string(store.flush_interval_commit_log.count_ms())},
          {"flushCommitLogLeastPages", std::to_string(store.flush_commit_log_least_pages)},
          {"flushCommitLogThoroughInterval",
           std::to_string(store.flush_commit_log_thorough_interval.count_ms())},
          {"mappedFileSizeCommitLog", std::to_string(store.mapped_file_size_commit_log)},
          {"syncFlushTimeout", std::to_string(store.sync_flush_timeout.count_ms())}};
}

// Source: RocketMQ storage reference, sections 6.1, 7.2 and 7.3.
std::vector<std::string> promises_of(const BrokerConfiguration& configuration) {
  const StoreConfiguration& store = configuration.store;
  if (store.flush_disk_type == FlushDiskType::sync_flush) {
    return {
        "flushDiskType=SYNC_FLUSH: SEND_OK is given once a flush has covered the message, so "
        "it should survive a process kill and a power loss"};
  }
  return {
      "flushDiskType=ASYNC_FLUSH: SEND_OK is given once the message is in the page cache, so "
      "it should survive a process kill; a flush follows every " +
      text_of(store.flush_interval_commit_log) + " if " +
      std::to_string(store.flush_commit_log_least_pages) +
      " pages are dirty, at the latest after " + text_of(store.flush_commit_log_thorough_interval) +
      ", and until then nothing is promised for a power loss"};
}

}  // namespace drydock::scenarios
