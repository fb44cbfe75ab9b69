#include "engine/store/commit_log.hpp"

#include <limits>

#include "engine/wire/big_endian.hpp"

namespace drydock {

namespace {

// RocketMQ writes a line about a put that held the lock for longer.
constexpr Duration kLockNotable = Duration::ms(500);

AppendStatus status_of(Error error, AppendStatus otherwise) {
  return error.code() == ErrorCode::cancelled ? AppendStatus::cancelled : otherwise;
}

// Fills in the places of records that lie one behind the other; gives their number.
std::int64_t place_records(std::span<std::byte> records, RecordPlace place, PropertyCrc crc) {
  std::int64_t count = 0;
  while (!records.empty()) {
    const auto bytes = read_big_endian<std::int32_t>(records.data());
    place_record(records.first(static_cast<std::size_t>(bytes)), place, crc);
    records = records.subspan(static_cast<std::size_t>(bytes));
    place.queue_offset = place.queue_offset + 1;
    place.physical_offset = place.physical_offset + bytes;
    ++count;
  }
  return count;
}

std::optional<TransientStorePool> pool_of(const StoreConfiguration& configuration) {
  if (!configuration.has_transient_pool()) return std::nullopt;
  return TransientStorePool(configuration.transient_store_pool_size);
}

}  // namespace

CommitLog::CommitLog(Context& context, const StoreConfiguration& configuration, StoreStats& stats)
    : context_(context),
      stats_(stats),
      behaviour_(configuration.behaviour),
      property_crc_(configuration.property_crc()),
      files_(context, configuration.commit_log_path(), configuration.mapped_file_size_commit_log),
      pool_(pool_of(configuration)),
      allocator_(context, configuration, pool_ ? &*pool_ : nullptr) {}

Task<Result<void>> CommitLog::truncate(Worker& worker, PhysicalOffset end) {
  flushed_to_ = end;
  committed_to_ = end;
  Result<void> cut = co_await files_.truncate(worker, end);
  co_return cut;
}

// Difference: in RocketMQ a flush or commit that has not come to a file before it is gone never
// goes on.
Task<bool> CommitLog::destroy_first(Worker& worker, Duration forcibly_after) {
  const PhysicalOffset start = files_.files().front()->start;
  const bool gone = co_await files_.destroy_first(worker, forcibly_after);
  if (!gone) co_return false;
  flushed_to_ = std::max(flushed_to_, files_.min_offset());
  committed_to_ = std::max(committed_to_, files_.min_offset());
  advanced_.set();
  context_.observer.event(EventName::store_file_deleted, start.value(),
                          files_.min_offset().value());
  co_return true;
}

Task<Result<void>> CommitLog::sync_from(Worker& worker, PhysicalOffset start) {
  const std::vector<LogFilePointer> files = files_.files();
  for (const LogFilePointer& file : files) {
    if (file->start < start) continue;
    Result<void> synced = co_await file->map->sync(worker, 0, file->size);
    if (!synced) co_return synced;
  }
  co_return Result<void>();
}

Task<Result<void>> CommitLog::close_last_file(Worker& worker) {
  LogFile* const last = files_.last();
  if (last == nullptr || last->full()) co_return Result<void>();
  Result<void> closed = co_await close_with_blank(worker, *last);
  co_return closed;
}

Duration CommitLog::lock_held_for() const {
  return locked_since_ ? context_.clock.now() - *locked_since_ : Duration();
}

Task<AppendResult> CommitLog::append(Worker& worker, SharedBytes record, NextQueueOffset& queue) {
  Result<Mutex::Permit> lock = co_await put_lock_.lock();
  if (!lock) {
    const AppendResult refused{.status = AppendStatus::cancelled};
    co_return refused;
  }
  locked_since_ = context_.clock.now();
  const AppendResult result = co_await append_locked(worker, std::move(record), queue);
  unlocked(result);
  co_return result;
}

// The line is one that operators look for in RocketMQ's store.log.
void CommitLog::unlocked(const AppendResult& result) {
  const Duration held = lock_held_for();
  locked_since_.reset();
  stats_.lock_released(held);
  if (held <= kLockNotable) return;
  context_.observer.log(LogLevel::warning, "[NOTIFYME]putMessage in lock cost time(ms)=" +
                                               std::to_string(held.count_ms()) +
                                               ", record bytes=" + std::to_string(result.bytes));
}

Task<AppendResult> CommitLog::append_locked(Worker& worker, SharedBytes record,
                                            NextQueueOffset& queue) {
  AppendResult result;
  result.store_ms = context_.clock.wall_now().count_ms();
  result.bytes = static_cast<std::int64_t>(record.size());
  co_await context_.chaos.reach(CrashPoint::store_before_append);
  Result<LogFile*> room = co_await file_with_room(worker, result.bytes);
  if (!room) {
    result.status = status_of(room.error(), AppendStatus::create_file_failed);
    co_return result;
  }
  LogFile& file = **room;
  result.start = file.start + file.wrote;
  result.queue_offset = queue.get();
  const RecordPlace place{result.queue_offset, result.start, result.store_ms};
  const std::int64_t records = place_records(record.writable(), place, property_crc_);

  // The common case costs no coroutine: the pages are there and nobody is throttled.
  if (!try_write(worker, file, record)) {
    Result<void> stored = co_await file.map->store(worker, file.wrote, std::move(record));
    if (!stored) {
      result.status = status_of(stored.error(), AppendStatus::unknown_error);
      co_return result;
    }
  }
  file.wrote += result.bytes;
  file.last_store_ms = result.store_ms;
  queue.advance(records);
  tell_appended(file, result.start);
  co_await context_.chaos.reach(CrashPoint::store_after_append);
  result.status = AppendStatus::ok;
  co_return result;
}

bool CommitLog::try_write(Worker& worker, LogFile& file, const SharedBytes& bytes) {
  if (!file.buffered()) return file.map->try_store(worker, file.wrote, bytes.span());
  file.pooled->append(bytes);
  return true;
}

void CommitLog::tell_appended(const LogFile& file, PhysicalOffset start) {
  const PhysicalOffset end = file.start + file.wrote;
  if (file.pooled == nullptr) tell_readers();
  context_.observer.event(EventName::store_appended, start.value(), end - start);
  // What is not buffered is in the page cache at once.
  if (pool_ && !file.buffered() && committed_to_ >= file.start) {
    context_.observer.event(EventName::store_committed, end.value());
  }
}

void CommitLog::tell_readers() {
  grew_.set();
  advanced_.set();
}

bool CommitLog::readable_at(PhysicalOffset at) const {
  const LogFilePointer file = files_.find(at);
  return file == nullptr || at - file->start < file->readable();
}

std::int32_t CommitLog::free_buffers() const {
  return pool_ ? pool_->free() : std::numeric_limits<std::int32_t>::max();
}

Task<Result<void>> CommitLog::append_raw(Worker& worker, PhysicalOffset at, SharedBytes bytes) {
  Result<Mutex::Permit> lock = co_await put_lock_.lock();
  if (!lock) co_return lock.error();
  LogFile* file = files_.last();
  if (file == nullptr || file->full()) {
    const std::int64_t inside = at.value() % files_.file_bytes();
    const PhysicalOffset start = file == nullptr ? at - inside : files_.next_start();
    Result<LogFilePointer> made = co_await allocator_.take(start);
    if (!made) co_return made.error();
    files_.add(*made);
    file = files_.last();
  }
  const auto length = static_cast<std::int64_t>(bytes.size());
  if (length > file->size - file->wrote) co_return ErrorCode::invalid_argument;
  if (!file->map->try_store(worker, file->wrote, bytes.span())) {
    Result<void> stored = co_await file->map->store(worker, file->wrote, std::move(bytes));
    if (!stored) co_return stored;
  }
  const PhysicalOffset start = file->start + file->wrote;
  file->wrote += length;
  tell_appended(*file, start);
  co_return Result<void>();
}

Task<Result<ByteChain>> CommitLog::read(Worker& worker, PhysicalOffset from,
                                        std::int64_t max_bytes) {
  const LogFilePointer file = files_.find(from);
  if (file == nullptr) co_return ByteChain();
  const std::int64_t at = from - file->start;
  const std::int64_t length = std::min(max_bytes, file->readable() - at);
  if (length <= 0) co_return ByteChain();
  ByteChain resident = file->map->try_load(at, length);
  if (!resident.empty()) co_return resident;
  Result<ByteChain> loaded = co_await file->map->load(worker, at, length);
  co_return loaded;
}

Task<Result<LogFile*>> CommitLog::file_with_room(Worker& worker, std::int64_t bytes) {
  LogFile* const last = files_.last();
  if (last != nullptr && !last->full()) {
    if (bytes + kBlankBytes <= last->size - last->wrote) co_return last;
    Result<void> closed = co_await close_with_blank(worker, *last);
    if (!closed) co_return closed.error();
    co_await context_.chaos.reach(CrashPoint::store_between_blank_and_roll);
  }
  Result<LogFilePointer> made = co_await allocator_.take(files_.next_start());
  if (!made) co_return made.error();
  if (last != nullptr) allocator_.full(files_.files().back());
  ENSURE(bytes + kBlankBytes <= (*made)->size);
  files_.add(*made);
  co_return files_.last();
}

Task<Result<void>> CommitLog::close_with_blank(Worker& worker, LogFile& file) {
  const std::int64_t rest = file.size - file.wrote;
  const std::array<std::byte, kBlankBytes> blank = encode_blank(static_cast<std::int32_t>(rest));
  // A commit writes the whole of a buffer, what lies behind the blank record included.
  const std::int64_t length = file.buffered() ? rest : kBlankBytes;
  SharedBytes bytes = SharedBytes::zeros(static_cast<std::size_t>(length));
  std::ranges::copy(blank, bytes.writable().begin());
  if (!try_write(worker, file, bytes)) {
    Result<void> stored = co_await file.map->store(worker, file.wrote, std::move(bytes));
    if (!stored) co_return stored;
  }
  file.wrote = file.size;
  co_return Result<void>();
}

Task<Result<bool>> CommitLog::commit(Worker& worker, std::int32_t least_pages) {
  const LogFilePointer file = files_.to_flush(committed_to_);
  if (file == nullptr || stopped_) co_return false;
  const PhysicalOffset before = committed_to_;
  if (!file->buffered()) {
    committed_to_ = file->start + file->wrote;
    co_return committed_to_ != before;
  }
  if (!file->needs_commit(least_pages)) co_return false;
  co_await context_.chaos.reach(CrashPoint::store_before_commit);
  Result<void> written = co_await file->pooled->commit(worker);
  if (!written) {
    commit_failed(written.error());
    co_return written.error();
  }
  commit_failing_ = false;
  const std::int64_t committed = file->pooled->committed();
  if (committed == file->size) {
    file->pooled->drop_buffer();
    pool_->give_back();
  }
  committed_to_ = std::max(file->start + committed, files_.min_offset());
  context_.observer.event(EventName::store_committed, committed_to_.value());
  tell_readers();
  co_await context_.chaos.reach(CrashPoint::store_after_commit);
  co_return committed_to_ != before;
}

// RocketMQ goes on, too: the next round writes the same bytes, and then those that have come since.
void CommitLog::commit_failed(Error error) {
  if (error.code() == ErrorCode::cancelled || std::exchange(commit_failing_, true)) return;
  std::string line = "a commit of the transient pool to the commit log failed (";
  line += name_of(error.code());
  line += "); it is tried again";
  context_.observer.log(LogLevel::error, std::move(line));
}

Task<Result<void>> CommitLog::flush(Worker& worker, std::int32_t least_pages) {
  const LogFilePointer file = files_.to_flush(flushed_to_);
  if (file == nullptr || stopped_) co_return Result<void>();
  const std::int64_t store_ms = file->last_store_ms;
  const std::int64_t readable = file->readable();  // What comes while we sync is the next flush's.
  Result<void> outcome;
  if (file->needs_flush(least_pages)) {
    co_await context_.chaos.reach(CrashPoint::store_before_flush);
    Result<void> synced = co_await file->force(worker);
    if (!synced) outcome = flush_failed(file->start + readable, synced.error());
    if (stopped_ || (!outcome && outcome.error().code() == ErrorCode::cancelled)) co_return outcome;
    file->flushed = readable;
    flushed_to_ = std::max(file->start + readable, files_.min_offset());
    advanced_.set();
    if (outcome) context_.observer.event(EventName::store_flushed, flushed_to_.value());
    co_await context_.chaos.reach(CrashPoint::store_after_flush);
  }
  if (least_pages == 0) flushed_store_ms_ = store_ms;
  co_return outcome;
}

Task<Result<void>> CommitLog::sync(Worker& worker, PhysicalOffset from, PhysicalOffset end) {
  while (from < end) {
    const LogFilePointer file = files_.find(from);
    if (file == nullptr) co_return ErrorCode::not_found;
    Result<void> synced = co_await file->map->sync(worker, 0, file->size);
    if (!synced) co_return flush_failed(from, synced.error());
    from = file->end();
  }
  if (flush_has_failed_) co_return ErrorCode::io_error;
  co_return Result<void>();
}

Result<void> CommitLog::flush_failed(PhysicalOffset at, Error error) {
  if (error.code() == ErrorCode::cancelled) return error;
  flush_has_failed_ = true;
  const bool advances = behaviour_.faithful(BehaviourSwitch::flush_error_advances_position);
  context_.observer.event(EventName::store_flush_failed, at.value(), error.status());
  std::string line = "flush of the commit log failed (";
  line += name_of(error.code());
  line += advances ? "); the flushed position advances all the same"
                   : "); the store takes no further message";
  context_.observer.log(LogLevel::error, std::move(line));
  stopped_ = !advances;
  return error;
}

}  // namespace drydock
