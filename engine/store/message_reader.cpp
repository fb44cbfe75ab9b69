#include "engine/store/message_reader.hpp"

#include <algorithm>

#include "engine/wire/big_endian.hpp"

namespace drydock {

namespace {

// Enough of a record for its store timestamp.
constexpr std::int32_t kRecordFrontBytes = 128;

}  // namespace

bool wants(std::span<const std::int32_t> tag_codes, std::int64_t tags_code) {
  if (tag_codes.empty()) return true;
  return std::ranges::binary_search(tag_codes, static_cast<std::int32_t>(tags_code));
}

// One walk over units that lie in one file of the queue.
struct MessageReader::Scan {
  Scan(const GetRequest& asked, const PullLimits& limits) : request(asked), batch(limits) {}

  const GetRequest& request;
  SharedBytes units;
  PullBatch batch;
  GetResult result;
  PhysicalOffset next_log_file;  // Units in front of it point at a file that is gone.
  PhysicalOffset last_seen;
};

PullLimits MessageReader::limits(const GetRequest& request) const {
  return {.count_max = request.count_max,
          .bytes_in_memory = configuration_.max_transfer_bytes_on_message_in_memory,
          .count_in_memory = configuration_.max_transfer_count_on_message_in_memory,
          .bytes_on_disk = configuration_.max_transfer_bytes_on_message_in_disk,
          .count_on_disk = configuration_.max_transfer_count_on_message_in_disk};
}

bool MessageReader::within(PhysicalOffset at, std::int32_t percent) const {
  const std::int64_t memory = configuration_.total_memory_bytes / 100 * percent;
  return at >= log_.max_offset() - memory;  // A damaged unit points anywhere.
}

// RocketMQ looks at every 32nd page once a minute, by mincore; here the page cache is asked in the
// same way when the record is read, for all of its pages.
bool MessageReader::is_cold(ConsumeQueueUnit unit) const {
  if (is_hot(unit.physical)) return false;
  if (!configuration_.cold_data_scan_enable) return true;
  const LogFilePointer file = log_.files().find(unit.physical);
  if (file == nullptr || unit.bytes <= 0) return false;
  const std::int64_t at = unit.physical - file->start;
  return at + unit.bytes <= file->map->size() && !file->map->resident(at, unit.bytes);
}

// A replica may lag behind its master: it leaves its readers where they are.
QueueOffset MessageReader::corrected(QueueOffset next, QueueOffset asked) const {
  return configuration_.replica && !configuration_.offset_check_in_slave ? asked : next;
}

Task<Result<bool>> MessageReader::on_disk(Worker& worker, std::string_view topic,
                                          std::int32_t queue_id, QueueOffset offset) {
  Result<std::optional<PhysicalOffset>> place = co_await place_of(worker, topic, queue_id, offset);
  if (!place) co_return place.error();
  co_return place->has_value() && !in_memory(**place);
}

Task<Result<bool>> MessageReader::in_cold_area(Worker& worker, std::string_view topic,
                                               std::int32_t queue_id, QueueOffset offset) {
  Result<std::optional<PhysicalOffset>> place = co_await place_of(worker, topic, queue_id, offset);
  if (!place) co_return place.error();
  co_return place->has_value() && !is_hot(**place);
}

Task<Result<std::optional<PhysicalOffset>>> MessageReader::place_of(Worker& worker,
                                                                    std::string_view topic,
                                                                    std::int32_t queue_id,
                                                                    QueueOffset offset) {
  std::optional<PhysicalOffset> place;
  ConsumeQueue* const queue = queues_.find(topic, queue_id);
  if (queue == nullptr || offset < queue->min_offset() || offset >= queue->max_offset()) {
    co_return place;
  }
  Result<ByteChain> units = co_await queue->read(worker, offset, 1);
  if (!units) co_return units.error();
  if (!units->empty()) place = decode_unit(units->flatten().span()).physical;
  co_return place;
}

Task<Result<GetResult>> MessageReader::get(Worker& worker, GetRequest request) {
  Scan walk(request, limits(request));
  GetResult& result = walk.result;
  ConsumeQueue* const queue = queues_.find(request.topic, request.queue_id);
  if (queue != nullptr) {
    result.min = queue->min_offset();
    result.max = queue->max_offset();
  }
  const auto answer = range_answer(result.min, result.max, request.offset);
  if (answer) {
    result.status = answer->status;
    result.next = corrected(answer->next, request.offset);
    co_return std::move(result);
  }
  // That many units are scanned at most, matched or not.
  const std::int64_t bytes_max = std::max<std::int64_t>(configuration_.max_filter_message_size,
                                                        request.count_max * kUnitBytes);
  const std::int64_t units_max = (bytes_max + kUnitBytes - 1) / kUnitBytes;
  Result<ByteChain> units = co_await queue->read(worker, request.offset, units_max);
  if (!units) co_return units.error();
  result.next = request.offset;
  if (units->empty()) {
    result.status = GetStatus::offset_found_null;
    result.next = corrected(queue->next_file_offset(request.offset), request.offset);
  } else {
    walk.units = units->flatten();
    Result<void> scanned = co_await scan(worker, walk);
    if (!scanned) co_return scanned.error();
  }
  result.bytes = walk.batch.bytes();
  result.suggest_slave = !in_memory(walk.last_seen);
  co_return std::move(result);
}

Task<Result<void>> MessageReader::scan(Worker& worker, Scan& scan) {
  GetResult& result = scan.result;
  result.status = GetStatus::no_matched_message;
  const std::size_t count = scan.units.size() / static_cast<std::size_t>(kUnitBytes);
  for (std::size_t i = 0; i < count; ++i) {
    const ConsumeQueueUnit unit =
        decode_unit(scan.units.span().subspan(i * static_cast<std::size_t>(kUnitBytes)));
    if (!scan.batch.takes(unit.bytes, in_memory(unit.physical))) break;
    scan.last_seen = unit.physical;
    result.next = result.next + 1;
    if (unit.physical < scan.next_log_file) continue;
    if (!wants(scan.request.tag_codes, unit.tags_code)) {
      if (scan.batch.empty()) result.status = GetStatus::no_matched_message;
      continue;
    }
    const bool cold = scan.request.count_cold && is_cold(unit);
    Result<ByteChain> bytes = co_await record(worker, unit);
    if (!bytes) co_return bytes.error();
    if (bytes->empty()) {
      if (scan.batch.empty()) result.status = GetStatus::message_was_removing;
      scan.next_log_file = log_.next_file_start(unit.physical);
      continue;
    }
    scan.batch.add(unit.bytes);
    if (cold) result.cold_bytes += unit.bytes;
    result.records.push_back(std::move(*bytes));
    result.status = GetStatus::found;
  }
  co_return Result<void>();
}

// Empty: the log does not have it (any more).
Task<Result<ByteChain>> MessageReader::record(Worker& worker, ConsumeQueueUnit unit) {
  const LogFilePointer file = log_.files().find(unit.physical);
  if (file == nullptr) co_return ByteChain();
  const std::int64_t at = unit.physical - file->start;
  if (unit.bytes <= 0 || at + unit.bytes > file->readable()) co_return ByteChain();
  ByteChain present = file->map->try_load(at, unit.bytes);
  if (!present.empty()) co_return present;
  Result<ByteChain> loaded = co_await file->map->load(worker, at, unit.bytes);
  co_return loaded;
}

Task<Result<ByteChain>> MessageReader::record_at(Worker& worker, PhysicalOffset at) {
  const ConsumeQueueUnit front{at, sizeof(std::int32_t), 0};
  Result<ByteChain> length = co_await record(worker, front);
  if (!length || length->empty()) co_return length;
  const SharedBytes total = length->flatten();
  const ConsumeQueueUnit unit{at, read_big_endian<std::int32_t>(total.data()), 0};
  Result<ByteChain> bytes = co_await record(worker, unit);
  if (!bytes || bytes->empty()) co_return bytes;
  const SharedBytes whole = bytes->flatten();
  RecordView view;
  const RecordCheck check =
      check_record(whole.span(), unit.bytes, ContentCheck::lengths_only, view);
  if (!check.good() || view.physical_offset != at.value()) co_return ByteChain();
  co_return bytes;
}

Task<Result<QueueOffset>> MessageReader::offset_at(Worker& worker, std::string_view topic,
                                                   std::int32_t queue_id, TimeQuery time) {
  ConsumeQueue* const queue = queues_.find(topic, queue_id);
  if (queue == nullptr) co_return QueueOffset();
  const bool lower = time.boundary == TimeQuery::Boundary::lower;
  const QueueOffset min = queue->min_offset();
  // Messages in front of `low` are early enough, those from `high` on are not.
  QueueOffset low = min;
  QueueOffset high = queue->max_offset();
  while (low < high) {
    const QueueOffset middle = low + (high - low) / 2;
    Result<std::int64_t> stored = co_await store_ms(worker, *queue, middle);
    if (!stored) co_return stored.error();
    const bool early = lower ? *stored < time.store_ms : *stored <= time.store_ms;
    if (early) {
      low = middle + 1;
    } else {
      high = middle;
    }
  }
  if (lower || low == min) co_return low;
  co_return QueueOffset(low.value() - 1);
}

Task<Result<std::int64_t>> MessageReader::earliest_store_ms(Worker& worker, std::string_view topic,
                                                            std::int32_t queue_id) {
  ConsumeQueue* const queue = queues_.find(topic, queue_id);
  if (queue == nullptr) co_return -1;
  Result<std::int64_t> stored = co_await store_ms(worker, *queue, queue->min_offset());
  co_return stored;
}

Task<Result<std::int64_t>> MessageReader::store_ms(Worker& worker, ConsumeQueue& queue,
                                                   QueueOffset offset) {
  Result<ByteChain> units = co_await queue.read(worker, offset, 1);
  if (!units) co_return units.error();
  if (units->empty()) co_return -1;
  ConsumeQueueUnit unit = decode_unit(units->flatten().span());
  const std::int64_t remaining = unit.bytes;
  unit.bytes = std::min(unit.bytes, kRecordFrontBytes);
  Result<ByteChain> front = co_await record(worker, unit);
  if (!front) co_return front.error();
  if (front->empty()) co_return -1;
  const SharedBytes bytes = front->flatten();
  RecordView view;
  const RecordCheck check = check_record(bytes.span(), remaining, ContentCheck::lengths_only, view);
  const bool readable = check.good() || check.fault == RecordFault::need_more;
  co_return readable ? view.store_ms : -1;
}

}  // namespace drydock
