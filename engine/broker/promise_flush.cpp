#include <cstdint>

#include "engine/broker/promise_list.hpp"

namespace drydock {

namespace {

// S 1.1: a slave outside controller mode has no pool.
bool has_pool(const Settings& settings) {
  return settings.is("transientStorePoolEnable", "true") &&
         (settings.is("enableControllerMode", "true") || !settings.is("brokerRole", "SLAVE"));
}

std::string ms(const Settings& settings, std::string_view key) {
  return settings.get(key).value + " ms";
}

// S 7.2: when the asynchronous flush acts.
std::string flushes(const Settings& settings) {
  const std::int64_t pages = settings.number("flushCommitLogLeastPages");
  std::string text = "the flush looks every " + ms(settings, "flushIntervalCommitLog");
  if (pages <= 0) return text + " and writes whatever there is";
  return text + " and acts on " + std::to_string(pages) + " dirty page" + (pages == 1 ? "" : "s") +
         ", or else after " + ms(settings, "flushCommitLogThoroughInterval");
}

// S 7.2, 7.3.
void add_async_flush(const Settings& settings, PromiseList& list) {
  list.add({"flushDiskType", "flushIntervalCommitLog", "flushCommitLogLeastPages",
            "flushCommitLogThoroughInterval"},
           "SEND_OK does not wait for the disk: a power loss takes what no flush has covered (" +
               flushes(settings) +
               "), and recovery cuts the log at the first record that is not whole");
  if (!has_pool(settings)) {
    list.add(
        {"flushDiskType", "transientStorePoolEnable"},
        "an acknowledged message is in the page cache, so a kill of the process loses nothing");
    return;
  }
  list.add(
      {"flushDiskType", "transientStorePoolEnable", "commitIntervalCommitLog",
       "commitCommitLogThoroughInterval"},
      "an acknowledged message is in memory of the process at first: a kill loses what was not "
      "committed to the page cache, up to " +
          ms(settings, "commitCommitLogThoroughInterval") + " and one round of " +
          ms(settings, "commitIntervalCommitLog"));
}

// S 7.2, 7.3; errors of the flush: S 0.
void add_sync_flush(const Settings& settings, PromiseList& list) {
  list.add({"flushDiskType"},
           "SEND_OK once a flush has covered the message: it survives a kill of the process and a "
           "power loss, if the disk keeps what it confirms; RocketMQ only logs a flush that fails "
           "and acknowledges all the same");
  list.add({"flushDiskType"}, std::string(kNotWaiting) + "flush");
  list.add({"flushDiskType", "syncFlushTimeout"},
           "a flush that takes longer than " + ms(settings, "syncFlushTimeout") +
               " is answered with FLUSH_DISK_TIMEOUT, whose outcome is unknown: the message is in "
               "memory and may be kept, and a retry stores it twice");
  if (has_pool(settings)) {
    list.add(
        {"flushDiskType", "transientStorePoolEnable", "commitIntervalCommitLog"},
        "as safe with the pool, but a send waits for the next commit to the page cache, up to " +
            ms(settings, "commitIntervalCommitLog"));
  }
}

// S 6.1, 6.3, 6.5: the file in use and the one that is made in advance borrow a buffer each.
void add_pool_size(const Settings& settings, PromiseList& list) {
  const std::int64_t buffers = settings.number("transientStorePoolSize");
  if (buffers > 2) return;
  list.add({"transientStorePoolEnable", "transientStorePoolSize"},
           "once the broker has made a file of the log, every send is refused with SYSTEM_BUSY: "
           "that file and the one that is made in advance have all buffers, and none comes back "
           "before a file is full; 3 or more let sends go on");
}

bool is_changed(const Settings& settings, std::string_view key) {
  const Settings defaults({});
  return !settings.is(key, defaults.get(key).value);
}

// S 7.1, 7.2: keys that were changed and do nothing.
void add_pool_keys_without_effect(const Settings& settings, PromiseList& list) {
  const bool pool = has_pool(settings);
  const bool enabled = settings.is("transientStorePoolEnable", "true");
  if (enabled && !pool) {
    list.add({"transientStorePoolEnable", "brokerRole"},
             "no effect: a slave has no transient pool");
  }
  for (const std::string_view key :
       {"transientStorePoolSize", "fastFailIfNoBufferInStorePool", "commitIntervalCommitLog",
        "commitCommitLogLeastPages", "commitCommitLogThoroughInterval",
        "wakeCommitWhenPutMessage"}) {
    if (!pool && is_changed(settings, key)) {
      list.add({key, "transientStorePoolEnable"}, "no effect without the transient pool");
    }
  }
  const bool sync = settings.is("flushDiskType", "SYNC_FLUSH");
  if (pool && sync && is_changed(settings, "wakeCommitWhenPutMessage")) {
    list.add({"wakeCommitWhenPutMessage", "flushDiskType"},
             "no effect: with SYNC_FLUSH no send wakes the commit");
  }
  if (pool && !sync && settings.is("wakeFlushWhenPutMessage", "true")) {
    list.add({"wakeFlushWhenPutMessage", "transientStorePoolEnable"},
             "no effect with the transient pool: a send wakes the commit, not the flush");
  }
}

// S 6.5.
void add_warm_up(const Settings& settings, PromiseList& list) {
  constexpr std::string_view kForced = "flushLeastPagesWhenWarmMapedFile";
  const bool warm = settings.is("warmMapedFileEnable", "true");
  if (warm) {
    list.add({"warmMapedFileEnable"},
             "a full disk shows when a file of the log is made, not at a send; making one takes as "
             "long as writing its pages, and a roll that waits for more than 5 s refuses sends");
  }
  if (!is_changed(settings, kForced)) return;
  if (!warm) list.add({kForced, "warmMapedFileEnable"}, "no effect without the warm-up");
  if (warm && !settings.is("flushDiskType", "SYNC_FLUSH")) {
    list.add({kForced, "flushDiskType"}, "no effect without SYNC_FLUSH: nothing is forced");
  }
}

// S 8.
void add_visibility(const Settings& settings, PromiseList& list) {
  if (settings.is("readUnCommitted", "true")) {
    list.add({"readUnCommitted"},
             "consumers see what is neither flushed nor confirmed, and may have consumed what is "
             "lost later");
    return;
  }
  const bool sync = settings.is("flushDiskType", "SYNC_FLUSH");
  const ReplicationMode mode = replication_mode_of(settings);
  if (mode != ReplicationMode::classic && mode != ReplicationMode::acting_master) return;
  list.add({"flushDiskType", "readUnCommitted"},
           sync ? "consumers see flushed messages only"
                : "consumers see messages before they are flushed, and may have consumed what a "
                  "power loss takes");
  if (!has_pool(settings)) return;
  list.add({"transientStorePoolEnable", "commitIntervalCommitLog"},
           "consumers and slaves see a message only once it is committed to the page cache");
}

}  // namespace

void add_flush(const Settings& settings, PromiseList& list) {
  const ReplicationMode mode = replication_mode_of(settings);
  if (mode == ReplicationMode::dledger) return;  // Its acknowledgement does not wait for a flush.
  const bool slave = settings.is("brokerRole", "SLAVE") && mode != ReplicationMode::controller;
  if (!slave) {
    const bool sync = settings.is("flushDiskType", "SYNC_FLUSH");
    if (sync) {
      add_sync_flush(settings, list);
    } else {
      add_async_flush(settings, list);
    }
  }
  if (has_pool(settings)) add_pool_size(settings, list);
  add_pool_keys_without_effect(settings, list);
  add_warm_up(settings, list);
  add_visibility(settings, list);
}

}  // namespace drydock
