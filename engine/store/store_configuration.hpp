// engine/store keeps messages in RocketMQ's files, byte for byte.
//
//   store_configuration   what a user can set about it, with RocketMQ's defaults
//   mapped_file_queue     files of equal size named by the position of their first byte
//   record_reader         reads records of a log file one after the other
//   transient_store_pool  memory between a put and the page cache (transientStorePoolEnable)
//   file_allocator        makes the next file, and the one after it in advance
//   commit_log            appends under one lock; knows what is written and what is flushed
//   batch_encoder         makes records of the messages of a batch (pure)
//   flush_schedule        when the asynchronous flush acts, and the commit of the pool (pure)
//   flush_service         group commit for SYNC_FLUSH, the periodic flush for ASYNC_FLUSH
//   commit_service        brings what is in the pool to the page cache
//   consume_queue_unit    one entry of a consume queue as bytes, and where it goes (pure)
//   consume_queue(s)      the entries of one queue in its files; all queues by topic and id
//   dispatch_step         what dispatch does with a record (pure)
//   dispatcher            puts a record where readers find it
//   dispatch_service      follows the log and dispatches what may be seen
//   queue_flush_service   makes the consume queues durable
//   disk_space            what is done about a disk that fills up (pure)
//   running_flags         whether a disk is too full to be written to
//   retention_service     deletes files that are old, or in the way
//   checkpoint, abort_file  the two small files that tell recovery where to look
//   recovery              where log and queues end after a stop or a crash
//   index_file            one file of the index by message keys, as bytes (pure)
//   message_index         files messages by their keys, and finds them again
//   queue_offsets         the next index of every queue
//   cpu_prices            what work costs, where computing takes time
//   pull_batch            which messages one pull returns (pure)
//   delay_levels          how long messages of each delay level wait (pure)
//   message_reader        looks messages up by their place in a queue
//   store_stats           counts puts and gets by RocketMQ's names (pure)
//   message_store         ties them together: load, recover, start, put, get, shut down
//
// Bytes follow the reference in docs; the section numbers in comments are those of the storage
// reference. What is safe and what is not is RocketMQ's own, unless a behaviour switch says
// otherwise.
//
// This file: the store's part of the configuration.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "engine/store/cpu_prices.hpp"
#include "engine/store/delay_levels.hpp"
#include "engine/store/disk_space.hpp"
#include "engine/store/index_file.hpp"
#include "engine/types/behaviour.hpp"
#include "engine/types/seeded_bugs.hpp"
#include "engine/types/time.hpp"
#include "engine/wire/message_record.hpp"

namespace drydock {

enum class FlushDiskType : std::uint8_t { async_flush, sync_flush };

// When files of the log go.
struct Retention {
  Duration clean_interval = Duration::s(10);             // cleanResourceInterval
  std::vector<std::int32_t> delete_when = {4};           // deleteWhen: hours of the day in UTC
  Duration file_reserved_time = Duration::s(72 * 3600);  // fileReservedTime
  bool clean_file_forcibly_enable = true;                // cleanFileForciblyEnable
  DiskLevels levels;
  std::int32_t delete_file_batch_max = 10;  // deleteFileBatchMax, of one round
  Duration delete_commit_log_files_interval = Duration::ms(100);     // between two of them
  Duration delete_consume_queue_files_interval = Duration::ms(100);  // between two queues
  Duration destroy_maped_file_interval_forcibly = Duration::s(120);  // of a file that is in use
  Duration redelete_hanged_file_interval = Duration::s(120);
};

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
  bool transient_store_pool_enable = false;    // transientStorePoolEnable; see has_transient_pool
  std::int32_t transient_store_pool_size = 5;  // transientStorePoolSize, buffers
  bool fast_fail_if_no_buffer_in_store_pool = false;  // fastFailIfNoBufferInStorePool
  // A new file of the log is written, a byte per page, and locked in memory before it is used; with
  // SYNC_FLUSH it is forced every so many pages meanwhile (at each page, if not above 0).
  bool warm_maped_file_enable = false;                         // warmMapedFileEnable
  std::int32_t flush_least_pages_when_warm_maped_file = 4096;  // flushLeastPagesWhenWarmMapedFile
  Duration commit_interval_commit_log = Duration::ms(200);     // commitIntervalCommitLog
  std::int32_t commit_commit_log_least_pages = 4;              // commitCommitLogLeastPages
  Duration commit_commit_log_thorough_interval =
      Duration::ms(200);                                       // commitCommitLogThoroughInterval
  bool wake_commit_when_put_message = true;                    // wakeCommitWhenPutMessage
  std::int64_t mapped_file_size_consume_queue = 6'000'000;     // mappedFileSizeConsumeQueue, bytes
  Duration flush_interval_consume_queue = Duration::ms(1000);  // flushIntervalConsumeQueue
  std::int32_t flush_consume_queue_least_pages = 2;            // flushConsumeQueueLeastPages
  // flushConsumeQueueThoroughInterval
  Duration flush_consume_queue_thorough_interval = Duration::s(60);
  // The log is a copy of another broker's, which comes in pieces that end anywhere.
  bool replica = false;
  // A replica moves readers whose offset is out of range; without it they are told to try again.
  bool offset_check_in_slave = false;                    // offsetCheckInSlave
  bool read_uncommitted = false;                         // readUnCommitted
  Duration sync_flush_timeout = Duration::s(5);          // syncFlushTimeout
  Duration os_page_cache_busy_timeout = Duration::s(1);  // osPageCacheBusyTimeOutMills
  std::int32_t max_message_size = 4'194'304;             // maxMessageSize, bytes
  bool check_crc_on_recover = true;                      // checkCRCOnRecover
  bool enabled_append_prop_crc = false;                  // enabledAppendPropCRC
  // Recovery looks at that CRC instead of the body's, if it looks at all.
  bool force_verify_prop_crc = false;  // forceVerifyPropCRC
  DelayLevels delay_levels;            // messageDelayLevel
  bool message_index_enable = true;    // messageIndexEnable
  // Recovery starts in front of what the index may lack.
  bool message_index_safe = false;          // messageIndexSafe
  IndexSizes index;                         // maxHashSlotNum, maxIndexNum
  std::int32_t max_msgs_num_batch = 64;     // maxMsgsNumBatch: of one query by key
  std::int32_t default_query_max_num = 32;  // defaultQueryMaxNum: of one by unique key
  // What one pull may return, and how far it looks.
  std::int32_t max_filter_message_size = 16'000;  // maxFilterMessageSize, bytes of units
  std::int32_t max_transfer_bytes_on_message_in_memory = 262'144;
  std::int32_t max_transfer_count_on_message_in_memory = 32;
  std::int32_t max_transfer_bytes_on_message_in_disk = 65'536;
  std::int32_t max_transfer_count_on_message_in_disk = 8;
  // Messages within this share of the host's memory from the end of the log are taken for cached.
  std::int32_t access_message_in_memory_max_ratio = 40;  // accessMessageInMemoryMaxRatio, percent
  // Messages further back than this share are cold.
  std::int32_t access_message_in_memory_hot_ratio = 26;  // accessMessageInMemoryHotRatio, percent
  bool cold_data_flow_control_enable = false;            // coldDataFlowControlEnable
  bool cold_data_scan_enable = false;  // coldDataScanEnable: those in the page cache are not
  Retention retention;
  std::int64_t total_memory_bytes = std::int64_t{24} << 30;  // RocketMQ's guess if it can't ask.
  CpuPrices cpu;  // Of no effect where computing takes no time.
  Behaviour behaviour;
  SeededBugs bugs;

  // A slave's log takes its master's bytes through the map, so it has no use for a pool.
  bool has_transient_pool() const { return transient_store_pool_enable && !replica; }
  PropertyCrc property_crc() const {
    return enabled_append_prop_crc ? PropertyCrc::appended : PropertyCrc::none;
  }
  ContentCheck recovery_check() const {
    if (!check_crc_on_recover) return ContentCheck::lengths_only;
    return force_verify_prop_crc ? ContentCheck::property_crc : ContentCheck::body_crc;
  }
  std::string index_path() const { return store_path_root + "/index"; }
  std::string consume_queue_path() const { return store_path_root + "/consumequeue"; }
  std::string commit_log_path() const {
    return store_path_commit_log.empty() ? store_path_root + "/commitlog" : store_path_commit_log;
  }
};

}  // namespace drydock
