#include "engine/store/recovery.hpp"

#include <algorithm>

#include "engine/wire/big_endian.hpp"

namespace drydock {

std::int64_t recovery_timestamp(std::int64_t physical_ms) {
  constexpr std::int64_t kMarginMs = 3000;
  return std::max<std::int64_t>(0, physical_ms - kMarginMs);
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

namespace {

// A part of a file in memory, read in steps of read-ahead size.
class RecordWindow {
 public:
  RecordWindow(Worker& worker, QueueFilePointer file) : worker_(worker), file_(std::move(file)) {}

  // Makes sure that `bytes` bytes from `at` on are in the window, as far as the file goes.
  Task<Result<void>> reach(std::int64_t at, std::int64_t bytes) {
    bytes = std::min(bytes, file_->size - at);
    if (bytes <= 0) co_return Result<void>();
    if (at >= at_ && at + bytes <= at_ + static_cast<std::int64_t>(loaded_.size())) {
      co_return Result<void>();
    }
    const std::int64_t length = std::min(std::max(bytes, kStepBytes), file_->size - at);
    Result<ByteChain> chain = co_await file_->map->load(worker_, at, length);
    if (!chain) co_return chain.error();
    loaded_ = chain->flatten();
    at_ = at;
    co_return Result<void>();
  }
  std::span<const std::byte> from(std::int64_t at) const {
    if (remaining(at) == 0) return {};
    return loaded_.span().subspan(static_cast<std::size_t>(at - at_));
  }
  std::int64_t remaining(std::int64_t at) const { return file_->size - at; }

 private:
  static constexpr std::int64_t kStepBytes = 128 * 1024;

  Worker& worker_;
  QueueFilePointer file_;
  SharedBytes loaded_;
  std::int64_t at_ = 0;
};

class Walk {
 public:
  Walk(Worker& worker, CommitLog& log, QueueOffsets& offsets, BodyCheck body_check)
      : worker_(worker), log_(log), offsets_(offsets), body_check_(body_check) {}

  enum class AtDamage { end, next_file };

  // Follows records from the front of file `first` to where the log ends, or to the front of file
  // `until`.
  Task<Result<void>> run(std::size_t first, std::size_t until, AtDamage at_damage) {
    const auto& files = log_.files().files();
    for (std::size_t i = first; i < until; ++i) {
      const QueueFilePointer file = files[i];
      result_.end = file->start;
      Result<bool> next = co_await walk_file(file, i + 1 < files.size());
      if (!next) co_return next.error();
      if (!*next && at_damage == AtDamage::end) break;
    }
    co_return Result<void>();
  }
  const RecoveryResult& result() const { return result_; }

 private:
  // True: go on with the next file.
  Task<Result<bool>> walk_file(QueueFilePointer file, bool has_next) {
    RecordWindow window(worker_, file);
    std::int64_t at = 0;
    for (;;) {
      RecordView view;
      Result<RecordCheck> checked = co_await check(window, at, view);
      if (!checked) co_return checked.error();
      switch (recovery_step(*checked, has_next)) {
        case RecoveryStep::next_file: co_return true;
        case RecoveryStep::stop: refuse(*checked); co_return false;
        case RecoveryStep::accept: break;
      }
      note(view);
      at += checked->size;
      result_.end = file->start + at;
      ++result_.records;
    }
  }

  // The check of one record, with as much of the file in memory as it needs.
  Task<Result<RecordCheck>> check(RecordWindow& window, std::int64_t at, RecordView& view) {
    std::int64_t needed = kRecordBytesMin;
    for (;;) {
      Result<void> reached = co_await window.reach(at, needed);
      if (!reached) co_return reached.error();
      const RecordCheck result =
          check_record(window.from(at), window.remaining(at), body_check_, view);
      if (result.fault != RecordFault::need_more) co_return result;
      needed = result.needed_bytes;
    }
  }

  void note(const RecordView& view) {
    const std::int32_t transaction = view.sys_flag & sys_flag::kTransactionMask;
    const bool indexed = transaction != sys_flag::kTransactionPrepared &&
                         transaction != sys_flag::kTransactionRollback;
    if (!indexed || view.queue_id < 0 || view.queue_id > kQueueIdMax) return;
    offsets_.of(as_text(view.topic), view.queue_id).seen(QueueOffset(view.queue_offset));
  }

  void refuse(const RecordCheck& check) {
    result_.fault = check.fault;
    result_.refused_bytes = check.success ? 0 : std::max(check.declared_bytes, 0);
  }

  static constexpr std::int32_t kQueueIdMax = 65'535;  // Corrupt headers must not cost memory.

  Worker& worker_;
  CommitLog& log_;
  QueueOffsets& offsets_;
  BodyCheck body_check_;
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

Task<Result<std::size_t>> find_start_file(Worker& worker, CommitLog& log, RecoveryOptions options) {
  const auto& files = log.files().files();
  if (options.last_stop == StopKind::orderly) {
    std::vector<PhysicalOffset> starts;
    for (const QueueFilePointer& file : files) starts.push_back(file->start);
    co_return normal_start_file(starts, -1);
  }
  const std::int64_t recovery_ms = recovery_timestamp(options.checkpoint_physical_ms);
  for (std::size_t i = files.size(); i-- > 1;) {
    const QueueFilePointer file = files[i];
    const std::int64_t length = std::min(kFirstTimestampBytes, file->size);
    Result<ByteChain> front = co_await file->map->load(worker, 0, length);
    if (!front) co_return front.error();
    if (abnormal_start_matches(front->flatten().span(), recovery_ms)) co_return i;
  }
  co_return std::size_t{0};
}

}  // namespace

Task<Result<RecoveryResult>> recover_log(Context& context, Worker& worker, CommitLog& log,
                                         QueueOffsets& offsets, RecoveryOptions options) {
  const std::size_t count = log.files().files().size();
  if (count == 0) {
    context.observer.event(EventName::store_recovery_started, 0);
    context.observer.event(EventName::store_recovery_finished, 0);
    co_return RecoveryResult();
  }
  Result<std::size_t> start = co_await find_start_file(worker, log, options);
  if (!start) co_return start.error();
  context.observer.event(EventName::store_recovery_started,
                         log.files().files()[*start]->start.value());

  // Stands in for the consume queues: only for the next indexes, nothing is decided by it.
  Walk earlier(worker, log, offsets, BodyCheck::lengths_only);
  Result<void> gathered = co_await earlier.run(0, *start, Walk::AtDamage::next_file);
  if (!gathered) co_return gathered.error();
  Walk walk(worker, log, offsets, options.body_check);
  Result<void> walked = co_await walk.run(*start, count, Walk::AtDamage::end);
  if (!walked) co_return walked.error();

  const RecoveryResult result = walk.result();
  co_await context.chaos.reach(CrashPoint::store_recovery_before_truncate);
  Result<void> cut = co_await log.truncate(worker, result.end);
  if (!cut) co_return cut.error();
  co_await context.chaos.reach(CrashPoint::store_recovery_after_truncate);
  context.observer.event(EventName::store_recovery_finished, result.end.value(),
                         result.refused_bytes);
  context.observer.log(LogLevel::info, describe(result));
  co_return result;
}

}  // namespace drydock
