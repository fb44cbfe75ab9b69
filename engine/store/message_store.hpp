// The store of one broker: load, recover, start, put, shut down.
//
// Order at start, RocketMQ's own (storage reference, 5.2 and pitfall 11): abort file present? →
// map the log → map the queues → checkpoint → map the index → recover and cut log and queues → next
// index and minimum of each queue; only then the lock file, dispatch, the flush services and the
// abort file. So a second broker on the same directory has already cut the first one's log when the
// lock refuses it.
//
// Order of a stop: commit what is in the transient pool → flush the log → dispatch what is left,
// for 5 s at most → flush the queues → flush the index → checkpoint → remove the abort file, if the
// store is writable and everything is dispatched.
//
// Order of a put: checks → encode → put lock → append → unlock → wait for the flush. Dispatch comes
// within a millisecond after.
#pragma once

#include "engine/store/abort_file.hpp"
#include "engine/store/commit_service.hpp"
#include "engine/store/dispatch_service.hpp"
#include "engine/store/flush_service.hpp"
#include "engine/store/message_reader.hpp"
#include "engine/store/put_status.hpp"
#include "engine/store/queue_flush_service.hpp"
#include "engine/store/recovery.hpp"
#include "engine/store/retention_service.hpp"
#include "engine/store/store_stats.hpp"

namespace drydock {

// A message on its way into the store. The bytes are shared with the request they came in.
struct IncomingMessage {
  SharedBytes topic;
  SharedBytes properties;
  SharedBytes body;
  std::int32_t queue_id = 0;  // >= 0
  std::int32_t flag = 0;
  std::int32_t sys_flag = 0;
  std::int64_t born_ms = 0;
  Endpoint born_host;
  std::int32_t reconsume_times = 0;
  std::int64_t prepared_offset = 0;  // Of a transaction: where its half message lies.
  bool wait_store_ok = true;
};

// A whole record of the log, by itself.
struct StoredMessage {
  SharedBytes record;
  RecordView view;  // Points into `record`.

  RecordOrigin origin() const { return origin_of(record.span()); }
  std::string_view properties() const { return as_text(view.properties); }
  SharedBytes share(std::span<const std::byte> part) const;
};

struct PutResult {
  PutStatus status = PutStatus::unknown_error;
  // Where it is; only if `counts_as_sent(status)`.
  PhysicalOffset offset;
  std::int64_t bytes = 0;
  QueueOffset queue_offset;
  std::int64_t store_ms = 0;
  MonotonicTime began;  // When the store took it.
};

// What a query by key found.
struct QueryResult {
  std::vector<ByteChain> records;  // In the order of the log. Other keys may be among them.
  std::int64_t index_updated_ms = 0;
  PhysicalOffset index_updated_to;
};

// Of a batch.
struct BatchPutResult {
  PutResult put;                           // `offset` and `queue_offset` are those of the first.
  std::vector<std::int32_t> record_bytes;  // Of each message, in the order of the batch.
};

// The messages of a queue that are there: [min, max).
struct QueueRange {
  QueueOffset min;
  QueueOffset max;
};

class MessageStore {
 public:
  // `store_host` is written into every record and into message ids. `stats` is for this store
  // alone, and may be read by whoever else holds it.
  MessageStore(Context& context, StoreConfiguration configuration, Endpoint store_host,
               std::shared_ptr<StoreStats> stats = std::make_shared<StoreStats>());

  // Maps, reads and cuts the files. Errors: what the file system says; invalid_argument if a file
  // has no business in the directory. The log says which.
  Task<Result<void>> load();
  // Takes the lock file (busy: another process has it) and starts the services.
  Task<Result<void>> start();
  // Orderly, see above; gives the lock back. Also after a failed load or start.
  Task<void> shutdown();

  // Appends a message on behalf of `worker`. The status is put_ok if it is in the log; durability
  // is the second step, which needs no worker.
  Task<PutResult> append(Worker& worker, IncomingMessage message);
  // The same for a batch: `batch.body` has its messages (see message_batch.hpp), and its properties
  // are those that all of them get. They get consecutive places, or none is stored.
  Task<BatchPutResult> append_batch(Worker& worker, IncomingMessage batch);
  // Waits until `placed` is as safe as flushDiskType demands; gives the final status.
  // unknown_error if the wait was cancelled.
  Task<PutStatus> await_flush(PutResult placed, bool wait_store_ok);
  // Whoever put it will not wait any longer: so long did it take. Once for each put that `append`
  // has taken.
  void put_ended(const PutResult& put) { stats_->put_ended(put.began, context_.clock.now()); }
  // All of it.
  Task<PutResult> put_message(Worker& worker, IncomingMessage message);

  // Looks messages up on behalf of `worker`. Errors: what reading gave.
  Task<Result<GetResult>> get_message(Worker& worker, GetRequest request);

  // The record that lies at `at` of the log; none if no good one begins there. Errors: what reading
  // gave.
  Task<Result<std::optional<StoredMessage>>> stored_at(Worker& worker, PhysicalOffset at);
  // Up to `count` units of a queue from `from` on, as far as one file of the queue has them: none
  // outside its range. Errors: what reading gave.
  Task<Result<std::vector<ConsumeQueueUnit>>> units(Worker& worker, std::string_view topic,
                                                    std::int32_t queue_id, QueueOffset from,
                                                    std::int64_t count);

  // Whether a message lies further back in the log than memory is thought to reach; false if there
  // is none. Errors: what reading gave.
  Task<Result<bool>> on_disk(Worker& worker, std::string_view topic, std::int32_t queue_id,
                             QueueOffset offset) {
    return reader_.on_disk(worker, topic, queue_id, offset);
  }
  // The same by the rule for cold data, which takes less of the memory.
  Task<Result<bool>> in_cold_area(Worker& worker, std::string_view topic, std::int32_t queue_id,
                                  QueueOffset offset) {
    return reader_.in_cold_area(worker, topic, queue_id, offset);
  }
  // Which message of a queue belongs to a time: where it begins (`lower`) or ends. Within the
  // queue's ends. Errors: what reading gave.
  Task<Result<QueueOffset>> offset_at(Worker& worker, std::string_view topic, std::int32_t queue_id,
                                      TimeQuery time) {
    return reader_.offset_at(worker, topic, queue_id, time);
  }
  // When the oldest message of a queue was stored; -1 if there is none.
  Task<Result<std::int64_t>> earliest_store_ms(Worker& worker, std::string_view topic,
                                               std::int32_t queue_id) {
    return reader_.earliest_store_ms(worker, topic, queue_id);
  }
  // When the oldest message of the log was stored; -1 if there is none.
  Task<Result<std::int64_t>> earliest_store_ms(Worker& worker);
  // The ends of a queue; both 0 if it has never had a message.
  QueueRange range(std::string_view topic, std::int32_t queue_id) const {
    const ConsumeQueue* const queue = queues_.find(topic, queue_id);
    return queue == nullptr ? QueueRange() : QueueRange{queue->min_offset(), queue->max_offset()};
  }
  // The messages that the index has for a key. Errors: what reading gave.
  Task<Result<QueryResult>> query_message(Worker& worker, MessageQuery query);
  // The record that lies there; empty if there is none. Errors: what reading gave.
  Task<Result<ByteChain>> message_at(Worker& worker, PhysicalOffset at) {
    return reader_.record_at(worker, at);
  }
  // Tells `listener`, which outlives the store, of every message that can be read from now on.
  void tell_of_arrivals(ArrivalListener& listener) { dispatch_.tell_of_arrivals(listener); }

  // The log as replication sees it; see CommitLog.
  PhysicalOffset log_end() const { return log_.max_offset(); }
  Event& log_grew() { return log_.grew(); }
  Task<Result<ByteChain>> read_log(Worker& worker, PhysicalOffset from, std::int64_t max_bytes) {
    return log_.read(worker, from, max_bytes);
  }
  Task<Result<void>> append_raw(Worker& worker, PhysicalOffset at, SharedBytes bytes);
  Task<Result<void>> sync_log(Worker& worker, PhysicalOffset from, PhysicalOffset end) {
    return log_.sync(worker, from, end);
  }

  // The holder of the put lock has had it for longer than osPageCacheBusyTimeOutMills.
  bool os_page_cache_busy() const;
  // The transient pool is on and no buffer of it is free.
  bool transient_store_pool_deficient() const { return log_.free_buffers() == 0; }
  bool writable() const;
  // The topic has no messages any more, and its queues begin anew, unless topic.numbers-start-again
  // is hardened: then their numbering goes on. What lies in the log stays there, and what was not
  // dispatched yet, or is dispatched again by a recovery, comes back, as in RocketMQ; where the
  // numbers start again, a recovery may find old messages in the places of new ones, and leave
  // these out. Errors: files that could not be removed, which the log names.
  Task<Result<void>> delete_topic(Worker& worker, std::string topic);
  // Between load and start: a queue that has no file begins at `next` instead of 0.
  void begin_queue_at(std::string_view topic, std::int32_t queue_id, QueueOffset next);
  // The numbers that the next messages of a topic's queues get, but for zeros.
  std::vector<std::pair<std::int32_t, QueueOffset>> next_offsets(std::string_view topic) const {
    return queue_offsets_.of_topic(topic);
  }
  // An operator wants what has expired gone now.
  void delete_expired_files() { retention_.delete_manually(); }
  // Bytes of the log that may be seen and are not dispatched yet.
  std::int64_t dispatch_behind() const { return dispatch_.behind(); }

  const CommitLog& commit_log() const { return log_; }
  const ConsumeQueues& consume_queues() const { return queues_; }
  const DispatchService& dispatch() const { return dispatch_; }
  const Checkpoint& checkpoint() const { return checkpoint_; }
  const MessageIndex& index() const { return index_; }
  StoreStats& stats() { return *stats_; }
  const StoreConfiguration& configuration() const { return configuration_; }
  Endpoint store_host() const { return store_host_; }

 private:
  enum class Phase : std::uint8_t { closed, loaded, serving, stopped };

  Task<Result<void>> load_files(StopKind last_stop);
  IndexNeeds index_needs() const;
  // What the behaviour makes of the end of the log that recovery has found.
  Task<Result<void>> secure_end(StopKind last_stop, RecoveryResult recovered);
  // Hardened files.names-not-synced: a name that was found, or has gone, may not have come to the
  // disk yet.
  Task<Result<void>> secure_names();
  Task<Result<void>> lock_directory();
  Task<void> finish_dispatch();
  // What an orderly stop leaves of the log counts as flushed at the next start, but the last flush
  // with SYNC_FLUSH covers one file. False: it may not be durable.
  Task<bool> secure_tail();
  // What every put is asked before it counts as one, as RocketMQ's hooks.
  PutStatus admit(const IncomingMessage& message) const;
  PutStatus check_sizes(const IncomingMessage& message) const;
  PutStatus check_batch(const IncomingMessage& batch) const;
  RecordContent content_of(const IncomingMessage& message) const;
  static PutResult result_of(const AppendResult& appended, MonotonicTime began);
  // Counts it, and tells the flush of it.
  void note_put(const PutResult& put, std::int64_t messages, bool wait_store_ok);
  void note_appended(bool wait_store_ok);
  bool waits_for_flush(bool wait_store_ok) const;

  Context& context_;
  StoreConfiguration configuration_;
  std::shared_ptr<StoreStats> stats_;
  Endpoint store_host_;
  Worker& worker_;  // RocketMQ's main thread: start and stop.
  CommitLog log_;
  ConsumeQueues queues_;
  Checkpoint checkpoint_;
  AbortFile abort_;
  MessageIndex index_;
  QueueOffsets queue_offsets_;
  RunningFlags flags_;
  Dispatcher dispatcher_;
  DispatchService dispatch_;
  QueueFlushService queue_flush_;
  RetentionService retention_;
  MessageReader reader_;
  GroupCommitService* group_commit_ = nullptr;  // Null with ASYNC_FLUSH.
  std::unique_ptr<FlushService> flush_;
  std::unique_ptr<CommitRealTimeService> commit_;  // Null without the transient pool.
  std::unique_ptr<FileLock> lock_;
  Phase phase_ = Phase::closed;
  TaskScope flush_scope_;        // The flush service alone: it ends by itself.
  TaskScope commit_scope_;       // As flush_scope_.
  TaskScope dispatch_scope_;     // The dispatch service alone: cancelled once it is done.
  TaskScope queue_flush_scope_;  // As flush_scope_.
  TaskScope service_scope_;      // What is cancelled at the end.
};

}  // namespace drydock
