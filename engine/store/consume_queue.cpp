#include "engine/store/consume_queue.hpp"

#include <algorithm>

#include "engine/store/durable_names.hpp"

namespace drydock {

namespace {

std::string directory_of(const ConsumeQueueOptions& options, std::string_view topic,
                         std::int32_t queue_id) {
  return options.directory + "/" + std::string(topic) + "/" + std::to_string(queue_id);
}

}  // namespace

ConsumeQueue::ConsumeQueue(Context& context, const ConsumeQueueOptions& options,
                           std::string_view topic, std::int32_t queue_id)
    : context_(context),
      options_(options),
      topic_(topic),
      queue_id_(queue_id),
      files_(context, directory_of(options, topic, queue_id), options.file_bytes) {}

std::optional<ConsumeQueue::Appended> ConsumeQueue::try_append(Worker& worker,
                                                               const ConsumeQueueUnit& unit,
                                                               QueueOffset offset) {
  if (destroying_) return std::nullopt;
  if (!has_files() && !has_position(offset)) return Appended::known;
  const UnitPlacement placement = place_unit(unit, offset, known_to_, files_.max_offset());
  if (placement == UnitPlacement::known) return Appended::known;
  if (begins_anew(unit, offset)) return std::nullopt;
  UnitFile* const file = files_.last();
  if (file == nullptr || file->full()) return std::nullopt;
  if (!file->map->try_store(worker, file->wrote, encode_unit(unit))) return std::nullopt;
  note_placement(placement, unit, offset);
  wrote_unit(*file, unit);
  return Appended::written;
}

Task<Result<ConsumeQueue::Appended>> ConsumeQueue::append(Worker& worker, ConsumeQueueUnit unit,
                                                          QueueOffset offset) {
  while (destroying_) {
    destroyed_now_.reset();
    Result<void> done = co_await destroyed_now_.wait();
    if (!done) co_return done.error();
  }
  // Difference: from such an offset RocketMQ begins a queue of blank units far out.
  if (!has_files() && !has_position(offset)) co_return Appended::known;
  if (unit.end().value() <= known_to_) co_return Appended::known;
  if (begins_anew(unit, offset)) {
    Result<void> removed = co_await destroy(worker);
    if (!removed) co_return removed.error();
  }
  const int destroyed = destroyed_;
  Result<UnitFilePointer> room = co_await file_with_room(worker, offset);
  if (destroyed != destroyed_) co_return Appended::known;  // The topic was deleted meanwhile.
  if (!room) co_return room.error();
  const UnitPlacement placement = place_unit(unit, offset, known_to_, files_.max_offset());
  if (placement == UnitPlacement::known) co_return Appended::known;
  note_placement(placement, unit, offset);
  UnitFile& file = **room;
  const UnitBytes bytes = encode_unit(unit);
  if (!file.map->try_store(worker, file.wrote, bytes)) {
    SharedBytes copy = SharedBytes::copy_of(std::span<const std::byte>(bytes));
    Result<void> stored = co_await file.map->store(worker, file.wrote, std::move(copy));
    if (!file.available()) co_return Appended::known;  // The topic was deleted meanwhile.
    if (!stored) co_return write_failed(file, unit, stored.error());
  }
  wrote_unit(file, unit);
  co_return Appended::written;
}

bool ConsumeQueue::begins_anew(const ConsumeQueueUnit& unit, QueueOffset offset) const {
  if (options_.behaviour.faithful(BehaviourSwitch::queue_gap_shifts_numbers)) return false;
  if (!has_files() || !has_position(offset)) return false;
  const UnitPosition end = files_.max_offset();
  if (min_ < end && files_.min_offset() < end) return false;  // It has units.
  const UnitPlacement placement = place_unit(unit, offset, known_to_, end);
  return placement == UnitPlacement::write_late;
}

Task<Result<UnitFilePointer>> ConsumeQueue::file_with_room(Worker& worker, QueueOffset first) {
  if (files_.last() != nullptr && !files_.last()->full()) co_return files_.files().back();
  const bool is_first = !has_files();
  const std::int64_t position = unit_position(first).value();
  const UnitPosition start =
      is_first ? UnitPosition(position - position % files_.file_bytes()) : files_.next_start();
  const int destroyed = destroyed_;
  Result<void> made = co_await context_.files.create_directories(worker, files_.directory());
  if (!made) co_return made.error();
  Result<std::unique_ptr<MappedFile>> map =
      co_await context_.files.map(worker, files_.path_of(start), files_.file_bytes());
  if (!map) co_return map.error();
  if (destroyed != destroyed_) {  // It is no file of the queue any more.
    map->reset();
    Result<void> removed = co_await context_.files.remove(worker, files_.path_of(start));
    if (!removed) co_return removed.error();
    co_return ErrorCode::not_found;
  }
  auto file = std::make_shared<UnitFile>(std::move(*map), start);
  file->new_name = options_.behaviour.hardened(BehaviourSwitch::files_names_not_synced);
  files_.add(file);
  context_.observer.event(EventName::store_queue_file_created, start.value(), queue_id_);
  if (is_first && first != QueueOffset()) {
    Result<void> filled = co_await fill_pre_blank(worker, file, first);
    if (!filled) co_return filled.error();
  }
  co_return file;
}

Task<Result<void>> ConsumeQueue::fill_pre_blank(Worker& worker, UnitFilePointer file,
                                                QueueOffset first) {
  const UnitPosition target = unit_position(first);
  const std::int64_t bytes = target - file->start;
  if (bytes > 0) {
    SharedBytes filler = encode_pre_blank_units(bytes / kUnitBytes);
    Result<void> stored = co_await file->map->store(worker, 0, std::move(filler));
    if (!stored) co_return stored;
    if (!file->available()) co_return Result<void>();
  }
  file->wrote = bytes;
  file->flushed = bytes;
  min_ = target;
  flushed_to_ = target;
  co_return Result<void>();
}

void ConsumeQueue::note_placement(UnitPlacement placement, const ConsumeQueueUnit& unit,
                                  QueueOffset offset) {
  if (placement != UnitPlacement::write_late) return;
  context_.observer.event(EventName::store_queue_gap, unit.physical.value(), offset.value());
  context_.observer.log(LogLevel::error, files_.directory() + ": message " +
                                             std::to_string(offset.value()) + " becomes number " +
                                             std::to_string(max_offset().value()));
}

void ConsumeQueue::wrote_unit(UnitFile& file, const ConsumeQueueUnit& unit) {
  known_to_ = unit.end().value();
  file.wrote += kUnitBytes;
}

Result<ConsumeQueue::Appended> ConsumeQueue::write_failed(UnitFile& file,
                                                          const ConsumeQueueUnit& unit,
                                                          Error error) {
  if (error.code() == ErrorCode::cancelled) return error;
  context_.observer.log(LogLevel::error, "can't write to " + files_.path_of(file.start));
  if (options_.behaviour.hardened(BehaviourSwitch::queue_write_error_advances_position)) {
    return error;
  }
  wrote_unit(file, unit);
  return Appended::written;
}

Task<Result<void>> ConsumeQueue::flush(Worker& worker, std::int32_t least_pages) {
  const UnitFilePointer file = files_.to_flush(flushed_to_);
  if (file == nullptr || !file->needs_flush(least_pages)) co_return Result<void>();
  const std::int64_t wrote = file->wrote;  // What is appended while we sync is the next flush's.
  co_await context_.chaos.reach(CrashPoint::store_before_queue_flush);
  Result<void> outcome = co_await file->map->sync(worker, 0, file->size);
  if (outcome && file->new_name && file->available()) {
    Result<void> named = co_await sync_names(context_, worker, files_.directory());
    file->new_name = !named;
    outcome = named;
  }
  if (!file->available()) co_return Result<void>();  // It is gone, or will be.
  if (!outcome) {
    if (outcome.error().code() == ErrorCode::cancelled) co_return outcome;
    outcome = flush_failed(outcome.error());
    if (options_.behaviour.hardened(BehaviourSwitch::flush_error_advances_position)) {
      co_return outcome;
    }
  }
  file->flushed = wrote;
  flushed_to_ = std::max(file->start + wrote, files_.min_offset());
  if (outcome) {
    context_.observer.event(EventName::store_queue_flushed, flushed_to_.value(), queue_id_);
  }
  co_await context_.chaos.reach(CrashPoint::store_after_queue_flush);
  co_return outcome;
}

Result<void> ConsumeQueue::flush_failed(Error error) {
  context_.observer.event(EventName::store_queue_flush_failed, flushed_to_.value(), error.status());
  context_.observer.log(LogLevel::error, "flush of " + files_.directory() + " failed");
  return error;
}

Task<Result<ByteChain>> ConsumeQueue::read(Worker& worker, QueueOffset from, std::int64_t count) {
  const UnitPosition position = unit_position(from);
  const UnitFilePointer file = files_.find(position);
  if (file == nullptr) co_return ByteChain();
  const std::int64_t at = position - file->start;
  const std::int64_t bytes = std::min(count * kUnitBytes, file->wrote - at);
  if (bytes <= 0) co_return ByteChain();
  ByteChain present = file->map->try_load(at, bytes);
  if (!present.empty()) co_return present;
  Result<ByteChain> loaded = co_await file->map->load(worker, at, bytes);
  co_return loaded;
}

QueueOffset ConsumeQueue::next_file_offset(QueueOffset offset) const {
  const std::int64_t units = files_.file_bytes() / kUnitBytes;
  return offset + (units - offset.value() % units);
}

}  // namespace drydock
