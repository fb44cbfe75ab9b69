#include "engine/store/recovery.hpp"

#include <algorithm>

#include "engine/store/record_reader.hpp"

namespace drydock {

std::int64_t recovery_timestamp(const CheckpointFields& checkpoint, IndexNeeds index) {
  constexpr std::int64_t kMarginMs = 3000;
  const std::int64_t newest_ms = std::min(checkpoint.physical_ms, checkpoint.logics_ms);
  const std::int64_t recovery_ms = std::max<std::int64_t>(0, newest_ms - kMarginMs);
  if (index == IndexNeeds::nothing) return recovery_ms;
  return std::min(recovery_ms, std::max<std::int64_t>(0, checkpoint.index_ms));
}

std::size_t normal_start_file(std::span<const PhysicalOffset> starts, std::int64_t max_physical) {
  std::size_t start = 0;
  for (std::size_t i = 0; i < starts.size(); ++i) {
    if (starts[i].value() <= max_physical) start = i;
  }
  return start;
}

bool abnormal_start_matches(std::span<const std::byte> front, std::int64_t recovery_ms) {
  const std::optional<std::int64_t> stored = first_store_timestamp(front);
  return stored && *stored <= recovery_ms;
}

RecoveryStep recovery_step(const RecordCheck& check, bool has_next) {
  if (check.good()) return RecoveryStep::accept;
  if (check.blank() && has_next) return RecoveryStep::next_file;
  return RecoveryStep::stop;
}

bool dispatches_again(StopKind last_stop, PhysicalOffset physical, std::int64_t known_to,
                      Behaviour behaviour) {
  if (last_stop == StopKind::crash || physical.value() > known_to) return true;
  return physical.value() == known_to &&
         behaviour.hardened(BehaviourSwitch::recovery_skips_record_at_queue_end);
}

namespace {

constexpr int kFlushRoundsMax = 1000;  // Each one moves on by a file, so far fewer are needed.

// Follows records from the front of file `first` to where the log ends.
class Walk {
 public:
  Walk(Worker& worker, StoreParts& parts, const RecoveryOptions& options, std::int64_t known_to)
      : worker_(worker), parts_(parts), options_(options), known_to_(known_to) {}

  Task<Result<void>> run(std::size_t first) {
    const auto& files = parts_.log.files().files();
    for (std::size_t i = first; i < files.size(); ++i) {
      const LogFilePointer file = files[i];
      result_.end = file->start;
      Result<bool> next = co_await walk_file(file, i + 1 < files.size());
      if (!next) co_return next.error();
      if (!*next) break;
    }
    co_return Result<void>();
  }
  const RecoveryResult& result() const { return result_; }

 private:
  // True: go on with the next file.
  Task<Result<bool>> walk_file(LogFilePointer file, bool has_next) {
    const bool trusting = options_.bugs.has(SeededBug::recovery_keeps_torn_record);
    RecordReader reader(worker_, file,
                        trusting ? ContentCheck::lengths_only : options_.content_check);
    std::int64_t at = 0;
    for (;;) {
      RecordView view;
      Result<RecordCheck> checked = co_await reader.check(at, file->size, view);
      if (!checked) co_return checked.error();
      if (trusting && checked->size > 0) checked->success = true;
      switch (recovery_step(*checked, has_next)) {
        case RecoveryStep::next_file: co_return true;
        case RecoveryStep::stop: refuse(*checked); co_return false;
        case RecoveryStep::accept: break;
      }
      const DispatchRequest request = parts_.dispatcher.request_of(view, checked->size);
      Result<void> accepted = co_await accept(request);
      if (!accepted) co_return accepted.error();
      parts_.checkpoint.set_confirm_offset(file->start + at);
      at += checked->size;
      result_.end = file->start + at;
      ++result_.records;
    }
  }

  Task<Result<void>> accept(DispatchRequest request) {
    const bool again =
        dispatches_again(options_.last_stop, request.unit.physical, known_to_, options_.behaviour);
    if (!again || options_.bugs.has(SeededBug::dispatch_skips_tail)) co_return Result<void>();
    Result<void> dispatched = co_await parts_.dispatcher.dispatch(worker_, request);
    co_return dispatched;
  }

  void refuse(const RecordCheck& check) {
    result_.fault = check.fault;
    result_.refused_bytes = check.success ? 0 : std::max(check.declared_bytes, 0);
    const bool half = check.fault == RecordFault::body_crc ||
                      check.fault == RecordFault::property_crc ||
                      check.fault == RecordFault::length_mismatch;
    if (half && options_.bugs.has(SeededBug::promotion_keeps_half_message)) {
      result_.end = result_.end + result_.refused_bytes;
    }
  }

  Worker& worker_;
  StoreParts& parts_;
  const RecoveryOptions& options_;
  std::int64_t known_to_;
  RecoveryResult result_;
};

std::string describe(const RecoveryResult& result) {
  std::string line = "recovered: " + std::to_string(result.records) + " records, the log ends at " +
                     std::to_string(result.end.value());
  if (result.fault != RecordFault::none) {
    line += " (";
    line += name_of(result.fault);
    line += ")";
  }
  return line;
}

Task<Result<std::size_t>> find_start_file(Worker& worker, StoreParts& parts,
                                          RecoveryOptions options) {
  const auto& files = parts.log.files().files();
  std::vector<PhysicalOffset> starts;
  for (const LogFilePointer& file : files) starts.push_back(file->start);
  if (options.last_stop == StopKind::orderly) {
    co_return normal_start_file(starts, parts.queues.known_to());
  }
  std::int64_t recovery_ms = recovery_timestamp(parts.checkpoint.fields(), options.index);
  std::size_t latest = files.size() - 1;
  if (options.indexed_to) latest = normal_start_file(starts, options.indexed_to->value());
  if (options.bugs.has(SeededBug::recovery_starts_at_newest_file)) {
    recovery_ms = INT64_MAX;
    latest = files.size() - 1;
  }
  for (std::size_t i = latest + 1; i-- > 1;) {
    const LogFilePointer file = files[i];
    const std::int64_t length = std::min(kFirstTimestampBytes, file->size);
    Result<ByteChain> front = co_await file->map->load(worker, 0, length);
    if (!front) co_return front.error();
    if (abnormal_start_matches(front->flatten().span(), recovery_ms)) co_return i;
  }
  co_return std::size_t{0};
}

// The seeded bug's: the last file is there, and nothing is written in it.
Task<Result<bool>> ends_with_unfinished_file(Worker& worker, StoreParts& parts) {
  const LogFilePointer last = parts.log.files().files().back();
  Result<ByteChain> front = co_await last->map->load(worker, 0, kFirstTimestampBytes);
  if (!front) co_return front.error();
  const SharedBytes bytes = front->flatten();
  co_return std::ranges::all_of(bytes.span(), [](std::byte b) { return b == std::byte(); });
}

// The queues first, then the log: a unit must never point behind the log's end.
Task<Result<void>> cut(Worker& worker, StoreParts& parts, PhysicalOffset end,
                       std::int64_t known_to) {
  co_await parts.context.chaos.reach(CrashPoint::store_recovery_before_truncate);
  if (known_to >= end.value()) {
    Result<void> queues = co_await parts.queues.truncate(worker, end);
    if (!queues) co_return queues;
  }
  co_await parts.context.chaos.reach(CrashPoint::store_recovery_between_truncations);
  Result<void> log = co_await parts.log.truncate(worker, end);
  if (!log) co_return log;
  co_await parts.context.chaos.reach(CrashPoint::store_recovery_after_truncate);
  co_return Result<void>();
}

}  // namespace

Task<Result<RecoveryResult>> recover_store(Worker& worker, StoreParts& parts,
                                           RecoveryOptions options) {
  Observer& observer = parts.context.observer;
  Result<void> queues = co_await parts.queues.recover(worker);
  if (!queues) co_return queues.error();
  if (parts.log.files().files().empty()) {
    observer.event(EventName::store_recovery_started, 0);
    Result<void> destroyed = co_await parts.queues.destroy(worker);
    if (!destroyed) co_return destroyed.error();
    observer.event(EventName::store_recovery_finished, 0);
    co_return RecoveryResult();
  }
  if (options.behaviour.hardened(BehaviourSwitch::queue_gap_shifts_numbers)) {
    // So that each queue knows whether anything is left of it.
    Result<void> corrected = co_await parts.queues.correct_min(worker, parts.log.min_offset());
    if (!corrected) co_return corrected.error();
  }
  if (options.bugs.has(SeededBug::load_refuses_unfinished_file)) {
    Result<bool> unfinished = co_await ends_with_unfinished_file(worker, parts);
    if (!unfinished) co_return unfinished.error();
    if (*unfinished) co_return ErrorCode::invalid_argument;
  }
  Result<std::size_t> start = co_await find_start_file(worker, parts, options);
  if (!start) co_return start.error();
  observer.event(EventName::store_recovery_started,
                 parts.log.files().files()[*start]->start.value());

  const std::int64_t known_to = parts.queues.known_to();
  Walk walk(worker, parts, options, known_to);
  Result<void> walked = co_await walk.run(*start);
  if (!walked) co_return walked.error();
  if (options.last_stop == StopKind::crash) {
    Result<void> flushed = co_await parts.queues.flush(worker, 0, kFlushRoundsMax);
    if (!flushed && flushed.error().code() == ErrorCode::cancelled) co_return flushed.error();
  }
  RecoveryResult result = walk.result();
  result.start = parts.log.files().files()[*start]->start;
  const bool after_crash = options.last_stop == StopKind::crash;
  if (after_crash && options.bugs.has(SeededBug::recovery_appends_behind_hole)) {
    const std::int64_t pages = (result.end.value() + kPageBytes - 1) / kPageBytes;
    result.end = PhysicalOffset(pages * kPageBytes);
  }
  Result<void> done = co_await cut(worker, parts, result.end, known_to);
  if (!done) co_return done.error();
  observer.event(EventName::store_recovery_finished, result.end.value(), result.refused_bytes);
  observer.log(LogLevel::info, describe(result));
  co_return result;
}

}  // namespace drydock
