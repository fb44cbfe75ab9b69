// Deletes files of the log that are old enough or in the way, then what points into them, and
// refuses sends while the disk is nearly full (storage reference, 6.6): RocketMQ's
// CleanCommitLogService and CleanConsumeQueueService, one after the other on one thread.
//
// Invariants. Files go from the oldest on, and never the last one of a sequence. The log's go
// first: a unit of a queue may point in front of the log, and its reader passes over it. The round
// after an hour of deleteWhen has begun, or after space is needed, deletes `delete_file_batch_max`
// files at most.
//
// Differences. RocketMQ takes the files of a round out of its list at the round's end, 100 ms a
// file later. It deletes a file whose time of modification can't be read; here the round ends.
#pragma once

#include "engine/store/commit_log.hpp"
#include "engine/store/consume_queues.hpp"
#include "engine/store/message_index.hpp"
#include "engine/store/running_flags.hpp"

namespace drydock {

class RetentionService {
 public:
  RetentionService(Context& context, CommitLog& log, ConsumeQueues& queues, MessageIndex& index,
                   RunningFlags& flags, const StoreConfiguration& configuration);

  // Until cancelled.
  Task<void> run();

  // An operator wants expired files gone now: that is so for the next 20 rounds.
  void delete_manually() { manual_rounds_ = 20; }

 private:
  Task<Result<void>> clean();
  Task<DiskVerdict> look_at_disks();
  void note_full(bool& flag, bool full, std::optional<std::int32_t> percent);
  Task<std::optional<std::int32_t>> used_percent_of(std::string path);
  bool is_hour_to_delete() const;
  // Gives how many files are gone.
  Task<Result<int>> delete_log_files(bool whatever_age);
  // The first file of the log is old enough.
  Task<bool> first_has_expired();
  Task<void> retry_hanging_file();
  Task<Result<void>> delete_queue_files();

  Context& context_;
  CommitLog& log_;
  ConsumeQueues& queues_;
  MessageIndex& index_;
  RunningFlags& flags_;
  const StoreConfiguration& configuration_;
  const Retention& retention_;
  Worker& worker_;
  int manual_rounds_ = 0;
  MonotonicTime retried_at_;
  PhysicalOffset cleaned_to_;  // Queues and index have nothing in front of it.
};

}  // namespace drydock
