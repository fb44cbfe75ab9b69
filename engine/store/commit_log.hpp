// The CommitLog: one sequence of records, appended under one lock, flushed file by file.
//
// States of a byte: written (in the page cache), then flushed (a flush has claimed that it is
// durable). Positions: min <= flushed <= max. With the transient pool there is a state in between:
// written means in memory of the process, and committed in the page cache; max is the end of what
// is committed. One flush call handles the single file that holds the flushed position, so after a
// roll two calls are needed, as in RocketMQ; a commit does the same with its own position.
#pragma once

#include "engine/store/file_allocator.hpp"
#include "engine/store/queue_offsets.hpp"
#include "engine/store/store_configuration.hpp"
#include "engine/store/store_stats.hpp"
#include "engine/wire/message_record.hpp"

namespace drydock {

enum class AppendStatus : std::uint8_t {
  ok,
  create_file_failed,  // No next file within 5 s, or the file system refused it.
  unknown_error,       // The store into the map failed; a prefix may be there.
  cancelled,
};

struct AppendResult {
  AppendStatus status = AppendStatus::unknown_error;
  PhysicalOffset start;
  std::int64_t bytes = 0;
  QueueOffset queue_offset;
  std::int64_t store_ms = 0;
  PhysicalOffset end() const { return start + bytes; }
};

class CommitLog {
 public:
  // `stats` is told how long the put lock was held, and outlives the log.
  CommitLog(Context& context, const StoreConfiguration& configuration, StoreStats& stats);

  Task<Result<void>> load(Worker& worker) { return files_.load(worker); }
  // Recovery has found where the log ends: everything in front of it counts as flushed.
  Task<Result<void>> truncate(Worker& worker, PhysicalOffset end);
  // Makes everything durable that files hold from the one that starts at `start` on. Before the
  // first append. Errors: what the sync gave.
  Task<Result<void>> sync_from(Worker& worker, PhysicalOffset start);
  // Removes the first file, which is not the last one; see MappedFileQueue::destroy_first. What was
  // in it counts as flushed from then on.
  Task<bool> destroy_first(Worker& worker, Duration forcibly_after);
  // What is appended next goes into a new file, behind a blank record. Before the first append.
  // Errors: what the store into the map gave.
  Task<Result<void>> close_last_file(Worker& worker);
  // Starts the task that makes files.
  void start(TaskScope& scope) { scope.spawn(allocator_.run()); }

  // Appends one record, or those of a batch, one behind the other (from encode_record or
  // encode_batch; nobody else may hold them), for `queue`, whose next indices they use up on
  // success. Never in parts: what doesn't fit goes to the next file behind a blank record. It and
  // the 8 bytes behind it must fit into an empty file.
  // After a crash of the process: what was appended is in the page cache; with the transient pool,
  // what was committed. After a power loss: what was flushed is there, the rest in any mixture of
  // old and new pages.
  Task<AppendResult> append(Worker& worker, SharedBytes record, NextQueueOffset& queue);

  // Appends bytes of another broker's log, which start at its offset `at`, at the end of this one.
  // An empty log begins with the file that holds `at`, and, as RocketMQ's, at its front whatever
  // `at` is. Errors: invalid_argument if they don't fit into the file; what `append` meets.
  Task<Result<void>> append_raw(Worker& worker, PhysicalOffset at, SharedBytes bytes);

  // Up to `max_bytes` of what was written from `from` on, of the file that holds it; none if
  // nothing was, or if that file is gone.
  Task<Result<ByteChain>> read(Worker& worker, PhysicalOffset from, std::int64_t max_bytes);

  // Set whenever the log grows. Whoever waits resets it, looks at the log, then waits.
  Event& grew() { return grew_; }

  // With the transient pool: brings written bytes to the page cache, of the file that holds the
  // committed position, if at least `least_pages` pages of it are not there (0: any byte). True:
  // the position has moved. Errors: those of the write, also told in the log; the position stays.
  Task<Result<bool>> commit(Worker& worker, std::int32_t least_pages);

  // Makes readable bytes durable: of the file that holds the flushed position, if at least
  // `least_pages` pages of it are dirty (0: any byte). Ok also if there was nothing to do.
  // An error was reported as an event; whether the position has advanced is the behaviour switch
  // flush.error-advances-position. With `hardened` the log takes no append afterwards.
  Task<Result<void>> flush(Worker& worker, std::int32_t least_pages);

  // Makes [from, end) durable, without a step of the flushed position. Errors: what a sync gave;
  // io_error if any flush of this log has ever failed, for a later one proves nothing.
  Task<Result<void>> sync(Worker& worker, PhysicalOffset from, PhysicalOffset end);

  PhysicalOffset min_offset() const { return files_.min_offset(); }
  PhysicalOffset max_offset() const { return files_.max_offset(); }
  PhysicalOffset flushed_to() const { return flushed_to_; }
  // How far commits have come; of use with the transient pool only.
  PhysicalOffset committed_to() const { return committed_to_; }
  // Whether the byte there can be read, if it lies before max_offset: with the transient pool the
  // end of a file that is full may not be committed when the next one has begun.
  bool readable_at(PhysicalOffset at) const;
  // Set when max_offset, flushed_to or what is readable has moved.
  Event& advanced() { return advanced_; }
  // Where the file behind the one that holds `offset`, or would hold it, begins.
  PhysicalOffset next_file_start(PhysicalOffset offset) const {
    return offset + (files_.file_bytes() - offset.value() % files_.file_bytes());
  }
  // Whether a flush could make progress.
  bool has_unflushed() const { return !stopped_ && flushed_to_ < max_offset(); }
  // The same of a commit.
  bool has_uncommitted() const { return !stopped_ && committed_to_ < files_.wrote_to(); }
  std::int64_t uncommitted_bytes() const { return files_.wrote_to() - committed_to_; }
  // Buffers of the transient pool that no file has; without it more than anybody needs.
  std::int32_t free_buffers() const;
  // Store timestamp of the last append that a flush with 0 least pages saw; 0 before the first.
  std::int64_t flushed_store_ms() const { return flushed_store_ms_; }
  // A flush failed and the hardened behaviour stopped the log.
  bool stopped() const { return stopped_; }

  // How long the present holder has had the put lock; zero if nobody has it.
  Duration lock_held_for() const;

  LogFiles& files() { return files_; }
  const LogFiles& files() const { return files_; }
  bool has_files() const { return !files_.files().empty(); }

 private:
  // Decides where the records go and puts them there. The put lock is held.
  Task<AppendResult> append_locked(Worker& worker, SharedBytes record, NextQueueOffset& queue);
  // The file that takes `bytes` more bytes, closing the last one if it can't.
  Task<Result<LogFile*>> file_with_room(Worker& worker, std::int64_t bytes);
  Task<Result<void>> close_with_blank(Worker& worker, LogFile& file);
  // Puts bytes behind those of the file if that can't block: into its buffer, or its map.
  static bool try_write(Worker& worker, LogFile& file, const SharedBytes& bytes);
  // The file has records from `start` to its end that it had not before.
  void tell_appended(const LogFile& file, PhysicalOffset start);
  // Readers can go further than before.
  void tell_readers();
  void commit_failed(Error error);
  Result<void> flush_failed(PhysicalOffset at, Error error);
  void unlocked(const AppendResult& result);

  Context& context_;
  StoreStats& stats_;
  Behaviour behaviour_;
  PropertyCrc property_crc_;  // Of the records that are appended.
  LogFiles files_;
  std::optional<TransientStorePool> pool_;
  FileAllocator allocator_;
  Mutex put_lock_;
  Event grew_;
  Event advanced_;
  std::optional<MonotonicTime> locked_since_;
  PhysicalOffset flushed_to_;
  PhysicalOffset committed_to_;
  bool commit_failing_ = false;  // The last commit failed; the log has said so.
  std::int64_t flushed_store_ms_ = 0;
  bool stopped_ = false;
  bool flush_has_failed_ = false;
};

}  // namespace drydock
