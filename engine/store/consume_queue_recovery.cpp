// Where a consume queue ends and begins, read from its files (storage reference, 3.4, 5.3, 5.5).
#include <algorithm>
#include <cstring>

#include "engine/store/consume_queue.hpp"

namespace drydock {

namespace {

constexpr std::size_t kFilesRead = 3;                    // From the end: earlier ones are trusted.
constexpr Duration kForciblyAfter = Duration::s(60);     // A file that somebody reads.
constexpr std::int64_t kStepBytes = 6'500 * kUnitBytes;  // About the kernel's read-ahead.

// How many there are up to the last one that is not zero. `bytes`: at least one.
std::size_t bytes_in_front_of_zeros(std::span<const std::byte> bytes) {
  // Mostly all are zeros: each byte is the one before it.
  const bool equal = std::memcmp(bytes.data(), bytes.data() + 1, bytes.size() - 1) == 0;
  if (equal && bytes.front() == std::byte()) return 0;
  while (bytes.back() == std::byte()) bytes = bytes.first(bytes.size() - 1);
  return bytes.size();
}

// Overwrites whatever lies behind what is used of a file with zeros, and makes that durable.
Task<Result<void>> erase_unused(Worker& worker, UnitFilePointer file) {
  std::int64_t erased_to = file->wrote;
  for (std::int64_t at = file->wrote; at < file->size; at += kStepBytes) {
    const std::int64_t length = std::min(kStepBytes, file->size - at);
    Result<ByteChain> bytes = co_await file->map->load(worker, at, length);
    if (!bytes) co_return bytes.error();
    const SharedBytes flat = bytes->flatten();
    const std::size_t stale = bytes_in_front_of_zeros(flat.span());
    if (stale == 0) continue;
    SharedBytes zeros = SharedBytes::zeros(stale);
    Result<void> stored = co_await file->map->store(worker, at, std::move(zeros));
    if (!stored) co_return stored;
    erased_to = at + static_cast<std::int64_t>(stale);
  }
  if (erased_to == file->wrote) co_return Result<void>();
  Result<void> synced = co_await file->map->sync(worker, file->wrote, erased_to - file->wrote);
  co_return synced;
}

}  // namespace

bool ConsumeQueue::is_nothing(const ConsumeQueueUnit& unit) const {
  return unit.pre_blank() && options_.behaviour.hardened(BehaviourSwitch::queue_counts_filler);
}

std::int64_t ConsumeQueue::known_by(const ConsumeQueueUnit& last) const {
  return is_nothing(last) ? kNoPhysical : last.end().value();
}

Task<Result<void>> ConsumeQueue::recover(Worker& worker) {
  const std::vector<UnitFilePointer> files = files_.files();
  if (files.empty()) co_return Result<void>();
  UnitPosition end;
  for (std::size_t i = files.size() - std::min(kFilesRead, files.size()); i < files.size(); ++i) {
    Result<UnitRun> run = co_await run_in(worker, files[i], 0, kNoEnd);
    if (!run) co_return run.error();
    end = files[i]->start + run->count * kUnitBytes;
    if (run->last) known_to_ = known_by(*run->last);
    if (end < files[i]->end()) break;
  }
  // RocketMQ takes for flushed what it finds, though after a kill it may be in the page cache
  // alone.
  const bool exact = options_.behaviour.hardened(BehaviourSwitch::checkpoint_ahead_of_queues);
  flushed_to_ = exact ? files.front()->start : end;
  Result<void> cut = co_await files_.truncate(worker, end);
  if (!cut) co_return cut;
  if (options_.behaviour.hardened(BehaviourSwitch::recovery_leaves_old_records)) {
    Result<void> erased = co_await erase_unused(worker, files_.files().back());
    if (!erased) co_return erased;
  }
  if (!exact) co_return cut;
  for (const UnitFilePointer& file : files_.files()) file->flushed = 0;
  co_return cut;
}

// In RocketMQ the first unit of a file counts whatever it holds: a file that was made and never
// flushed keeps one unit of zeros.
Task<Result<void>> ConsumeQueue::truncate(Worker& worker, PhysicalOffset end) {
  const bool keeps_zeros = options_.behaviour.faithful(BehaviourSwitch::queue_keeps_unit_of_zeros);
  known_to_ = end.value();
  while (has_files()) {
    const UnitFilePointer file = files_.files().back();
    Result<ConsumeQueueUnit> first = co_await unit_at(worker, file, 0);
    if (!first) co_return first.error();
    const bool counts = keeps_zeros || first->valid();
    if (!counts || first->physical >= end) {
      Result<void> removed = co_await files_.remove_last(worker);
      if (!removed) co_return removed;
      continue;
    }
    Result<UnitRun> run = co_await run_in(worker, file, kUnitBytes, end);
    if (!run) co_return run.error();
    known_to_ = known_by(run->last ? *run->last : *first);
    file->wrote = (1 + run->count) * kUnitBytes;
    file->flushed = std::min(file->flushed, file->wrote);
    if (options_.behaviour.hardened(BehaviourSwitch::recovery_leaves_old_records)) {
      Result<void> erased = co_await erase_unused(worker, file);
      if (!erased) co_return erased;
    }
    break;
  }
  flushed_to_ = std::min(flushed_to_, files_.max_offset());
  co_return Result<void>();
}

// The positions first: whoever looks while a file is being removed sees a queue without files.
Task<Result<void>> ConsumeQueue::destroy(Worker& worker) {
  ++destroyed_;
  min_ = UnitPosition();
  flushed_to_ = UnitPosition();
  known_to_ = kNoPhysical;
  destroying_ = true;
  Result<void> removed = co_await files_.destroy(worker);
  // Somebody may have made it again meanwhile: a directory that is not empty stays.
  [[maybe_unused]] Result<void> directory =
      co_await context_.files.remove(worker, files_.directory());
  destroying_ = false;
  destroyed_now_.set();
  co_return removed;
}

Task<Result<void>> ConsumeQueue::correct_min(Worker& worker, PhysicalOffset log_start) {
  const UnitPosition end = files_.max_offset();
  if (min_ >= end) co_return Result<void>();
  const UnitFilePointer last = files_.find(end - kUnitBytes);
  if (last == nullptr) co_return Result<void>();
  Result<ConsumeQueueUnit> newest = co_await unit_at(worker, last, end - kUnitBytes - last->start);
  if (!newest) co_return newest.error();
  if (!last->available()) co_return Result<void>();  // The queue was destroyed meanwhile.
  if (newest->physical < log_start || is_nothing(*newest)) {
    min_ = end;
    co_return Result<void>();
  }
  // The first unit of the first file, from the old minimum on, whose record is still there.
  const UnitFilePointer first = files_.files().front();
  std::int64_t low = std::max<std::int64_t>(0, min_ - first->start) / kUnitBytes;
  std::int64_t high = first->wrote / kUnitBytes;
  const std::int64_t units = high;
  while (low < high) {
    const std::int64_t middle = low + (high - low) / 2;
    Result<ConsumeQueueUnit> unit = co_await unit_at(worker, first, middle * kUnitBytes);
    if (!unit) co_return unit.error();
    if (!first->available()) co_return Result<void>();
    if (unit->physical < log_start || is_nothing(*unit)) {
      low = middle + 1;
    } else {
      high = middle;
    }
  }
  if (low < units) min_ = first->start + low * kUnitBytes;
  co_return Result<void>();
}

Task<Result<ConsumeQueue::Expired>> ConsumeQueue::delete_expired(Worker& worker,
                                                                 PhysicalOffset log_start) {
  Expired expired;
  while (files_.files().size() > 1) {
    const UnitPosition start = files_.files().front()->start;
    Result<ConsumeQueueUnit> newest =
        co_await unit_at(worker, files_.files().front(), files_.file_bytes() - kUnitBytes);
    if (!newest) co_return newest.error();
    if (newest->physical >= log_start) break;
    const bool destroyed = files_.files().size() < 2 || files_.files().front()->start != start;
    if (destroyed) break;
    const bool gone = co_await files_.destroy_first(worker, kForciblyAfter);
    expired.hanging = !gone;
    if (!gone) break;
    flushed_to_ = std::max(flushed_to_, files_.min_offset());
    ++expired.files;
  }
  Result<void> corrected = co_await correct_min(worker, log_start);
  if (!corrected) co_return corrected.error();
  co_return expired;
}

Task<Result<UnitRun>> ConsumeQueue::run_in(Worker& worker, UnitFilePointer file, std::int64_t from,
                                           PhysicalOffset end) {
  UnitRun whole;
  for (std::int64_t at = from; at < file->size;) {
    const std::int64_t length = std::min(kStepBytes, file->size - at);
    Result<ByteChain> bytes = co_await file->map->load(worker, at, length);
    if (!bytes) co_return bytes.error();
    const SharedBytes units = bytes->flatten();
    const UnitRun run = units_in_front_of(units.span(), end);
    whole.count += run.count;
    if (run.last) whole.last = run.last;
    if (run.count * kUnitBytes < length) break;
    at += length;
  }
  co_return whole;
}

Task<Result<ConsumeQueueUnit>> ConsumeQueue::unit_at(Worker& worker, UnitFilePointer file,
                                                     std::int64_t at) {
  Result<ByteChain> bytes = co_await file->map->load(worker, at, kUnitBytes);
  if (!bytes) co_return bytes.error();
  const SharedBytes unit = bytes->flatten();
  co_return decode_unit(unit.span());
}

}  // namespace drydock
