// engine/store keeps messages in RocketMQ's files, byte for byte.
//
//   store_configuration   what a user can set about it, with RocketMQ's defaults
//   message_record        one record of the CommitLog as bytes: encode, check, decode (pure)
//   mapped_file_queue     files of equal size named by the position of their first byte
//   file_allocator        makes the next file, and the one after it in advance
//   commit_log            appends under one lock; knows what is written and what is flushed
//   flush_schedule        when the asynchronous flush acts (pure)
//   flush_service         group commit for SYNC_FLUSH, the periodic flush for ASYNC_FLUSH
//   checkpoint, abort_file  the two small files that tell recovery where to look
//   recovery              where the log ends after a stop or a crash
//   queue_offsets         the next index of every queue
//   message_store         ties them together: load, recover, start, put, shut down
//
// What it does not do yet: ConsumeQueue, IndexFile, retention, the transient pool.
// Bytes follow the reference in docs; the section numbers in comments are those of the storage
// reference. What is safe and what is not is RocketMQ's own, unless a behaviour switch says
// otherwise.
//
// This file: the store's part of the configuration.
#pragma once

#include <cstdint>
#include <string>

#include "engine/types/behaviour.hpp"
#include "engine/types/seeded_bugs.hpp"
#include "engine/types/time.hpp"

namespace drydock {

enum class FlushDiskType : std::uint8_t { async_flush, sync_flush };

// Defaults are those of RocketMQ 5.3.3's MessageStoreConfig; the comment names the key.
struct StoreConfiguration {
  std::string store_path_root = "/store";  // storePathRootDir; RocketMQ: ~/store
  std::string store_path_commit_log;       // storePathCommitLog; empty: root/commitlog
  std::int64_t mapped_file_size_commit_log = 1'073'741'824;       // mappedFileSizeCommitLog, bytes
  FlushDiskType flush_disk_type = FlushDiskType::async_flush;     // flushDiskType
  Duration flush_interval_commit_log = Duration::ms(500);         // flushIntervalCommitLog
  bool flush_commit_log_timed = true;                             // flushCommitLogTimed
  std::int32_t flush_commit_log_least_pages = 4;                  // flushCommitLogLeastPages
  Duration flush_commit_log_thorough_interval = Duration::s(10);  // flushCommitLogThoroughInterval
  bool wake_flush_when_put_message = false;                       // wakeFlushWhenPutMessage
  Duration sync_flush_timeout = Duration::s(5);                   // syncFlushTimeout
  Duration os_page_cache_busy_timeout = Duration::s(1);           // osPageCacheBusyTimeOutMills
  std::int32_t max_message_size = 4'194'304;                      // maxMessageSize, bytes
  bool check_crc_on_recover = true;                               // checkCRCOnRecover
  Behaviour behaviour;
  SeededBugs bugs;

  std::string commit_log_path() const {
    return store_path_commit_log.empty() ? store_path_root + "/commitlog" : store_path_commit_log;
  }
};

}  // namespace drydock
