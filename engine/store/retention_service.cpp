#include "engine/store/retention_service.hpp"

#include <algorithm>

#include "engine/runtime/poll_grid.hpp"

namespace drydock {

namespace {

constexpr Duration kFirstRound = Duration::s(60);

}  // namespace

RetentionService::RetentionService(Context& context, CommitLog& log, ConsumeQueues& queues,
                                   MessageIndex& index, RunningFlags& flags,
                                   const StoreConfiguration& configuration)
    : context_(context),
      log_(log),
      queues_(queues),
      index_(index),
      flags_(flags),
      configuration_(configuration),
      retention_(configuration.retention),
      worker_(context.workers.add("StoreScheduledThread")) {}

Task<void> RetentionService::run() {
  const MonotonicTime first = context_.clock.now() + kFirstRound;
  const PollGrid grid(context_.clock, first, retention_.clean_interval);
  for (MonotonicTime next = first;; next = grid.next_after(context_.clock.now())) {
    Result<void> slept = co_await sleep_until(next);
    if (!slept) co_return;
    Result<void> cleaned = co_await clean();
    if (cleaned) continue;
    if (cleaned.error().code() == ErrorCode::cancelled) co_return;
    context_.observer.log(LogLevel::error, "can't read which files of the store have expired");
  }
}

Task<Result<void>> RetentionService::clean() {
  const DiskVerdict verdict = co_await look_at_disks();
  const bool needed = verdict.demand != SpaceDemand::nothing;
  if (is_hour_to_delete() || needed || manual_rounds_ > 0) {
    manual_rounds_ = std::max(0, manual_rounds_ - 1);
    const bool whatever_age =
        retention_.clean_file_forcibly_enable && verdict.demand == SpaceDemand::any_files;
    Result<int> deleted = co_await delete_log_files(whatever_age);
    if (!deleted) co_return deleted.error();
    if (*deleted == 0 && needed) {
      context_.observer.log(LogLevel::warning,
                            "the disk will be full soon, and no file of the log can be deleted");
    }
  }
  co_await retry_hanging_file();
  Result<void> queues = co_await delete_queue_files();
  co_return queues;
}

Task<DiskVerdict> RetentionService::look_at_disks() {
  const auto log = co_await used_percent_of(configuration_.commit_log_path());
  const auto queues = co_await used_percent_of(configuration_.consume_queue_path());
  const DiskVerdict verdict = judge_disks(log, queues, retention_.levels);
  if (verdict.log_is_full) note_full(flags_.disk_full, *verdict.log_is_full, log);
  if (verdict.queues_are_full) note_full(flags_.logic_disk_full, *verdict.queues_are_full, queues);
  co_return verdict;
}

void RetentionService::note_full(bool& flag, bool full, std::optional<std::int32_t> percent) {
  if (flag == full) return;
  if (!full && configuration_.bugs.has(SeededBug::disk_stays_full)) return;
  flag = full;
  const EventName name = full ? EventName::store_disk_full : EventName::store_disk_ok;
  context_.observer.event(name, percent.value_or(0));
  const std::string used = percent ? std::to_string(*percent) + " % used" : "use not known";
  context_.observer.log(full ? LogLevel::error : LogLevel::info,
                        full ? "the disk is full (" + used + "): sends are refused"
                             : "the disk has room again (" + used + "): sends are taken");
}

Task<std::optional<std::int32_t>> RetentionService::used_percent_of(std::string path) {
  Result<SpaceInfo> space = co_await context_.files.space(worker_, std::move(path));
  co_return space ? used_percent(*space) : std::nullopt;
}

bool RetentionService::is_hour_to_delete() const {
  const std::int32_t hour = hour_of_day(context_.clock.wall_now());
  return std::ranges::find(retention_.delete_when, hour) != retention_.delete_when.end();
}

Task<Result<int>> RetentionService::delete_log_files(bool whatever_age) {
  int deleted = 0;
  while (log_.files().files().size() > 1) {
    if (!whatever_age) {
      const bool expired = co_await first_has_expired();
      if (!expired) break;
    }
    const bool gone =
        co_await log_.destroy_first(worker_, retention_.destroy_maped_file_interval_forcibly);
    if (!gone) break;
    if (++deleted >= retention_.delete_file_batch_max) break;
    if (log_.files().files().size() == 1) break;
    Result<void> slept =
        co_await sleep_for(context_.clock, retention_.delete_commit_log_files_interval);
    if (!slept) co_return slept.error();
  }
  co_return deleted;
}

Task<bool> RetentionService::first_has_expired() {
  const LogFiles& files = log_.files();
  Result<FileInfo> info =
      co_await context_.files.info(worker_, files.path_of(files.files().front()->start));
  if (!info) co_return info.error().code() == ErrorCode::not_found;
  co_return context_.clock.wall_now() >= info->modified + retention_.file_reserved_time;
}

Task<void> RetentionService::retry_hanging_file() {
  const MonotonicTime now = context_.clock.now();
  if (now - retried_at_ <= retention_.redelete_hanged_file_interval) co_return;
  retried_at_ = now;
  const auto& files = log_.files().files();
  if (files.size() < 2 || files.front()->available()) co_return;
  co_await log_.destroy_first(worker_, retention_.destroy_maped_file_interval_forcibly);
}

// A queue that can't be read, or has a file in use, is looked at again in the next round; the
// others and the index do not wait for it.
Task<Result<void>> RetentionService::delete_queue_files() {
  const PhysicalOffset log_start = log_.min_offset();
  if (log_start <= cleaned_to_) co_return Result<void>();
  Result<void> outcome;
  bool hanging = false;
  for (std::size_t i = 0; i < queues_.count(); ++i) {
    Result<ConsumeQueue::Expired> expired =
        co_await queues_.at(i).delete_expired(worker_, log_start);
    if (!expired) {
      outcome = expired.error();
      if (outcome.error().code() == ErrorCode::cancelled) co_return outcome;
      continue;
    }
    hanging = hanging || expired->hanging;
    if (expired->files == 0) continue;
    Result<void> slept =
        co_await sleep_for(context_.clock, retention_.delete_consume_queue_files_interval);
    if (!slept) co_return slept;
  }
  co_await index_.delete_expired(worker_, log_start);
  if (outcome && !hanging) cleaned_to_ = log_start;
  co_return outcome;
}

}  // namespace drydock
