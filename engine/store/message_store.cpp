#include "engine/store/message_store.hpp"

#include <algorithm>

#include "engine/runtime/join.hpp"
#include "engine/store/batch_encoder.hpp"
#include "engine/store/durable_names.hpp"
#include "engine/wire/big_endian.hpp"
#include "engine/wire/message_properties.hpp"

namespace drydock {

namespace {

// A record may be longer than the largest body by this much.
constexpr std::int64_t kRecordOverheadMax = 65'536;
// The records of a batch are longer than what was sent, for each has all properties of the batch.
constexpr std::int64_t kBatchRecordsBytesMax = std::int64_t{64} << 20;
// RocketMQ takes a lock that was held even longer for one that is not held at all.
constexpr Duration kBusyAtMost = Duration::ms(10'000'000);
// An orderly stop looks so often whether dispatch is done.
constexpr int kDispatchWaits = 50;
constexpr Duration kDispatchWait = Duration::ms(100);

ConsumeQueueOptions queue_options(const StoreConfiguration& configuration) {
  return {.directory = configuration.consume_queue_path(),
          .file_bytes = unit_file_bytes(configuration.mapped_file_size_consume_queue),
          .behaviour = configuration.behaviour};
}

VisibleTo visible_to(const StoreConfiguration& configuration) {
  const bool flushed =
      configuration.flush_disk_type == FlushDiskType::sync_flush && !configuration.read_uncommitted;
  return flushed ? VisibleTo::flushed : VisibleTo::appended;
}

LogKind log_kind(const StoreConfiguration& configuration) {
  return configuration.replica ? LogKind::replica : LogKind::own;
}

// Whether the dispatcher tells the checkpoint how far the log has come.
LogKind dispatched_kind(const StoreConfiguration& configuration) {
  const bool silent = configuration.bugs.has(SeededBug::replica_checkpoint_stays);
  return silent ? LogKind::own : log_kind(configuration);
}

PutStatus put_status_of(AppendStatus status) {
  switch (status) {
    case AppendStatus::ok: return PutStatus::put_ok;
    case AppendStatus::create_file_failed: return PutStatus::create_mapped_file_failed;
    case AppendStatus::unknown_error:
    case AppendStatus::cancelled: break;
  }
  return PutStatus::unknown_error;
}

}  // namespace

MessageStore::MessageStore(Context& context, StoreConfiguration configuration, Endpoint store_host,
                           std::shared_ptr<StoreStats> stats)
    : context_(context),
      configuration_(std::move(configuration)),
      stats_(std::move(stats)),
      store_host_(store_host),
      worker_(context.workers.add("main")),
      log_(context, configuration_, *stats_),
      queues_(context, queue_options(configuration_)),
      checkpoint_(context, configuration_.store_path_root + "/checkpoint"),
      abort_(context, configuration_.store_path_root, configuration_.behaviour),
      index_(context, configuration_, checkpoint_),
      dispatcher_(context, queues_, index_, checkpoint_, flags_, configuration_,
                  dispatched_kind(configuration_)),
      dispatch_(context, log_, dispatcher_, visible_to(configuration_), log_kind(configuration_),
                configuration_.cpu.dispatch, *stats_),
      queue_flush_(context, queues_, checkpoint_, configuration_),
      retention_(context, log_, queues_, index_, flags_, configuration_),
      reader_(log_, queues_, configuration_),
      flush_scope_(context.scope),
      commit_scope_(context.scope),
      dispatch_scope_(context.scope),
      queue_flush_scope_(context.scope),
      service_scope_(context.scope) {}

Task<Result<void>> MessageStore::load() {
  ENSURE(phase_ == Phase::closed);
  Result<void> made =
      co_await context_.files.create_directories(worker_, configuration_.store_path_root);
  if (!made) co_return made;
  Result<bool> aborted = co_await abort_.exists(worker_);
  if (!aborted) co_return aborted.error();
  const StopKind last_stop = *aborted ? StopKind::crash : StopKind::orderly;
  Result<void> loaded = co_await load_files(last_stop);
  if (!loaded) co_return loaded;

  const RecoveryOptions options{.last_stop = last_stop,
                                .content_check = configuration_.recovery_check(),
                                .index = index_needs(),
                                .indexed_to = index_.known_to(),
                                .behaviour = configuration_.behaviour,
                                .bugs = configuration_.bugs};
  StoreParts parts{context_, log_, queues_, checkpoint_, dispatcher_};
  Result<RecoveryResult> recovered = co_await recover_store(worker_, parts, options);
  if (!recovered) co_return recovered.error();
  Result<void> secured = co_await secure_end(last_stop, *recovered);
  if (!secured) co_return secured;
  Result<void> corrected = co_await queues_.correct_min(worker_, log_.min_offset());
  if (!corrected) co_return corrected;
  if (configuration_.bugs.has(SeededBug::load_refuses_short_queue) && queues_.any_is_short()) {
    co_return ErrorCode::invalid_argument;
  }
  Result<void> named = co_await secure_names();
  if (!named) co_return named;
  queues_.fill(queue_offsets_);
  phase_ = Phase::loaded;
  co_return Result<void>();
}

IndexNeeds MessageStore::index_needs() const {
  const bool by_place = index_.known_to().has_value();
  if (!configuration_.message_index_enable || by_place) return IndexNeeds::nothing;
  return configuration_.message_index_safe ? IndexNeeds::every_message : IndexNeeds::nothing;
}

Task<Result<void>> MessageStore::secure_end(StopKind last_stop, RecoveryResult recovered) {
  const Behaviour& behaviour = configuration_.behaviour;
  Result<void> index_cut = co_await index_.cut(worker_, recovered.end);
  if (!index_cut) co_return index_cut;
  const bool crashed = last_stop == StopKind::crash;
  if (crashed && behaviour.hardened(BehaviourSwitch::recovery_counts_tail_as_flushed)) {
    Result<void> synced = co_await log_.sync_from(worker_, recovered.start);
    if (!synced) co_return synced;
  }
  // A log that ends in front of a blank record was closed by an earlier start. That of a replica
  // has the bytes of its master's and no others.
  const bool old_records = crashed || recovered.fault == RecordFault::none;
  if (!old_records || configuration_.replica ||
      behaviour.faithful(BehaviourSwitch::recovery_leaves_old_records)) {
    co_return Result<void>();
  }
  Result<void> closed = co_await log_.close_last_file(worker_);
  co_return closed;
}

Task<Result<void>> MessageStore::secure_names() {
  if (configuration_.behaviour.faithful(BehaviourSwitch::files_names_not_synced)) {
    co_return Result<void>();
  }
  Result<void> queues = co_await queues_.sync_names(worker_);
  if (!queues) co_return queues;
  Result<void> index = co_await index_.sync_names(worker_);
  if (!index) co_return index;
  Result<void> log = co_await sync_names(context_, worker_, configuration_.commit_log_path());
  co_return log;
}

Task<Result<void>> MessageStore::load_files(StopKind last_stop) {
  Result<void> log = co_await log_.load(worker_);
  if (!log) co_return log;
  Result<void> queues = co_await queues_.load(worker_);
  if (!queues) co_return queues;
  Result<void> checkpoint = co_await checkpoint_.load();
  if (!checkpoint) co_return checkpoint;
  Result<void> index = co_await index_.load(worker_, last_stop);
  co_return index;
}

Task<Result<void>> MessageStore::start() {
  ENSURE(phase_ == Phase::loaded);
  stats_->start(context_.clock.now(), context_.clock.wall_now().count_ms());
  Result<void> locked = co_await lock_directory();
  if (!locked) co_return locked;
  if (configuration_.flush_disk_type == FlushDiskType::sync_flush) {
    auto service = std::make_unique<GroupCommitService>(context_, log_, checkpoint_);
    group_commit_ = service.get();
    flush_ = std::move(service);
  } else {
    flush_ = std::make_unique<FlushRealTimeService>(context_, log_, checkpoint_, configuration_);
  }
  if (configuration_.has_transient_pool()) {
    commit_ = std::make_unique<CommitRealTimeService>(context_, log_, *flush_, configuration_);
    commit_scope_.spawn(commit_->run());
    context_.observer.event(EventName::store_committed, log_.max_offset().value());
  }
  dispatch_.start_at(dispatch_.limit());
  dispatch_scope_.spawn(dispatch_.run());
  flush_scope_.spawn(flush_->run());
  queue_flush_scope_.spawn(queue_flush_.run());
  log_.start(service_scope_);
  service_scope_.spawn(checkpoint_.run());
  service_scope_.spawn(retention_.run());
  Result<void> created = co_await abort_.create(worker_, context_.scope.process().id());
  if (!created) co_return created;
  phase_ = Phase::serving;
  co_return Result<void>();
}

Task<Result<void>> MessageStore::lock_directory() {
  const std::string path = configuration_.store_path_root + "/lock";
  Result<std::unique_ptr<FileLock>> lock = co_await context_.files.lock(worker_, path);
  if (!lock) co_return lock.error();
  lock_ = std::move(*lock);
  const OpenOptions options{.create = Create::if_missing};
  Result<std::unique_ptr<File>> file = co_await context_.files.open(worker_, path, options);
  if (!file) co_return file.error();
  SharedBytes content = SharedBytes::copy_of("lock");
  Result<void> written = co_await (*file)->write_at(worker_, 0, std::move(content));
  if (!written) co_return written;
  Result<void> synced = co_await (*file)->sync_data(worker_);
  co_return synced;
}

Task<void> MessageStore::shutdown() {
  const bool was_writable = writable();
  phase_ = Phase::stopped;
  if (commit_ != nullptr) commit_->stop();
  co_await commit_scope_.join();
  if (flush_ != nullptr) flush_->stop();
  co_await flush_scope_.join();
  co_await finish_dispatch();
  queue_flush_.stop();
  co_await queue_flush_scope_.join();
  co_await index_.shutdown(worker_);
  service_scope_.cancel();
  co_await service_scope_.join();
  Result<void> flushed = co_await checkpoint_.flush(worker_);
  if (!flushed) context_.observer.log(LogLevel::error, "can't write the checkpoint file");
  const bool durable = co_await secure_tail();
  const bool whole =
      durable && !log_.stopped() && !dispatcher_.given_up() && !queue_flush_.stopped();
  if (was_writable && whole && dispatch_.behind() == 0) {
    Result<void> removed = co_await abort_.remove(worker_);
    if (!removed) context_.observer.log(LogLevel::error, "can't remove the abort file");
    co_await context_.chaos.reach(CrashPoint::store_after_abort_removed);
  }
  lock_.reset();
}

Task<bool> MessageStore::secure_tail() {
  const Behaviour& behaviour = configuration_.behaviour;
  if (behaviour.faithful(BehaviourSwitch::recovery_counts_tail_as_flushed)) co_return true;
  Result<void> synced = co_await log_.sync(worker_, log_.flushed_to(), log_.max_offset());
  co_return synced.has_value();
}

Task<void> MessageStore::finish_dispatch() {
  if (!dispatch_scope_.empty()) {
    for (int i = 0; i < kDispatchWaits && dispatch_.behind() > 0; ++i) {
      Result<void> slept = co_await sleep_for(context_.clock, kDispatchWait);
      if (!slept) break;
    }
  }
  dispatch_scope_.cancel();
  co_await dispatch_scope_.join();
}

bool MessageStore::writable() const {
  return phase_ == Phase::serving && !flags_.any() && !log_.stopped() && !dispatcher_.given_up() &&
         !queue_flush_.stopped();
}

bool MessageStore::os_page_cache_busy() const {
  const Duration held = log_.lock_held_for();
  return held > configuration_.os_page_cache_busy_timeout && held < kBusyAtMost;
}

PutStatus MessageStore::admit(const IncomingMessage& message) const {
  if (!writable()) return PutStatus::service_not_available;
  if (message.topic.empty() || message.topic.size() > kTopicBytesMax) {
    return PutStatus::message_illegal;
  }
  if (message.body.empty()) return PutStatus::message_illegal;
  if (os_page_cache_busy()) return PutStatus::os_page_cache_busy;
  return PutStatus::put_ok;
}

PutStatus MessageStore::check_sizes(const IncomingMessage& message) const {
  const std::size_t properties_bytes =
      stored_properties_bytes(message.properties.span(), configuration_.property_crc());
  if (properties_bytes > kPropertiesBytesMax) return PutStatus::properties_size_exceeded;
  const auto body_bytes = static_cast<std::int64_t>(message.body.size());
  if (body_bytes > configuration_.max_message_size) return PutStatus::message_illegal;
  return PutStatus::put_ok;
}

PutStatus MessageStore::check_batch(const IncomingMessage& batch) const {
  const std::string_view delay = find_property(as_text(batch.properties.span()), property::kDelay);
  if ((batch.sys_flag & sys_flag::kTransactionMask) != 0 ||
      parse_decimal<std::int32_t>(delay).value_or(0) > 0) {
    return PutStatus::message_illegal;
  }
  // RocketMQ throws here, which its clients are told as SYSTEM_ERROR.
  const auto body_bytes = static_cast<std::int64_t>(batch.body.size());
  if (body_bytes > configuration_.max_message_size) return PutStatus::unknown_error;
  return PutStatus::put_ok;
}

RecordContent MessageStore::content_of(const IncomingMessage& message) const {
  return {.queue_id = message.queue_id,
          .flag = message.flag,
          .sys_flag = message.sys_flag,
          .born_ms = message.born_ms,
          .born_host = message.born_host,
          .store_host = store_host_,
          .reconsume_times = message.reconsume_times,
          .prepared_offset = message.prepared_offset,
          .body = message.body.span(),
          .topic = message.topic.span(),
          .properties = message.properties.span(),
          .property_crc = configuration_.property_crc()};
}

PutResult MessageStore::result_of(const AppendResult& appended, MonotonicTime began) {
  return {.status = put_status_of(appended.status),
          .offset = appended.start,
          .bytes = appended.bytes,
          .queue_offset = appended.queue_offset,
          .store_ms = appended.store_ms,
          .began = began};
}

Task<PutResult> MessageStore::append(Worker& worker, IncomingMessage message) {
  PutResult result;
  result.status = admit(message);
  if (result.status != PutStatus::put_ok) co_return result;
  result.began = context_.clock.now();
  // A copy of a stored message brings the one of its original along.
  if (configuration_.enabled_append_prop_crc) {
    message.properties = without_property(std::move(message.properties), property::kCrc);
  }
  result.status = check_sizes(message);
  if (result.status != PutStatus::put_ok) {
    note_put(result, 0, false);
    co_return result;
  }
  const RecordContent content = content_of(message);
  result.bytes = static_cast<std::int64_t>(record_bytes(content));
  // RocketMQ has no such check for the second limit: a record longer than a file is answered with
  // success and stored nowhere, after two files have been closed for it. We refuse.
  if (result.bytes > configuration_.max_message_size + kRecordOverheadMax ||
      result.bytes + kBlankBytes > configuration_.mapped_file_size_commit_log) {
    result.status = PutStatus::message_illegal;
    note_put(result, 0, false);
    co_return result;
  }
  NextQueueOffset& queue = queue_offsets_.of(as_text(message.topic.span()), message.queue_id);
  SharedBytes record = encode_record(content);
  const AppendResult appended = co_await log_.append(worker, std::move(record), queue);
  result = result_of(appended, result.began);
  note_put(result, 1, message.wait_store_ok);
  co_return result;
}

Task<BatchPutResult> MessageStore::append_batch(Worker& worker, IncomingMessage batch) {
  BatchPutResult result;
  result.put.status = admit(batch);
  if (result.put.status != PutStatus::put_ok) co_return result;
  result.put.began = context_.clock.now();
  result.put.status = check_batch(batch);
  if (result.put.status != PutStatus::put_ok) {
    note_put(result.put, 0, false);
    co_return result;
  }
  const std::int64_t room = configuration_.mapped_file_size_commit_log - kBlankBytes;
  EncodedBatch encoded =
      encode_batch(content_of(batch), batch.body.span(), std::min(room, kBatchRecordsBytesMax));
  result.put.status = encoded.status;
  if (result.put.status != PutStatus::put_ok) {
    note_put(result.put, 0, false);
    co_return result;
  }
  NextQueueOffset& queue = queue_offsets_.of(as_text(batch.topic.span()), batch.queue_id);
  const AppendResult appended = co_await log_.append(worker, std::move(encoded.records), queue);
  result.put = result_of(appended, result.put.began);
  result.record_bytes = std::move(encoded.record_bytes);
  const auto messages = static_cast<std::int64_t>(result.record_bytes.size());
  note_put(result.put, messages, batch.wait_store_ok);
  co_return result;
}

void MessageStore::note_put(const PutResult& put, std::int64_t messages, bool wait_store_ok) {
  if (put.status == PutStatus::put_ok) {
    stats_->appended(context_.clock.now(), messages, put.bytes);
    note_appended(wait_store_ok);
  } else {
    stats_->put_failed();
    put_ended(put);
  }
}

Task<Result<void>> MessageStore::append_raw(Worker& worker, PhysicalOffset at, SharedBytes bytes) {
  if (phase_ != Phase::serving) co_return ErrorCode::invalid_argument;
  Result<void> appended = co_await log_.append_raw(worker, at, std::move(bytes));
  if (appended) note_appended(false);
  co_return appended;
}

void MessageStore::note_appended(bool wait_store_ok) {
  const bool sync = group_commit_ != nullptr;
  // With the pool and ASYNC_FLUSH a put is the commit's matter, and the flush is the commit's.
  if (commit_ != nullptr) commit_->appended(!sync && configuration_.wake_commit_when_put_message);
  if (sync && !waits_for_flush(wait_store_ok)) flush_->appended(true);
  if (!sync && commit_ == nullptr) flush_->appended(configuration_.wake_flush_when_put_message);
}

bool MessageStore::waits_for_flush(bool wait_store_ok) const {
  if (configuration_.bugs.has(SeededBug::ack_before_flush)) return false;
  return group_commit_ != nullptr && wait_store_ok;
}

Task<PutStatus> MessageStore::await_flush(PutResult placed, bool wait_store_ok) {
  if (!waits_for_flush(wait_store_ok)) co_return PutStatus::put_ok;
  FlushRequest request(placed.offset + placed.bytes);
  group_commit_->submit(request);
  const Deadline deadline = context_.clock.now() + configuration_.sync_flush_timeout;
  Result<void> answered = co_await request.answered().wait(deadline);
  if (!answered && answered.error().code() == ErrorCode::cancelled) {
    co_return PutStatus::unknown_error;
  }
  const bool flushed = answered && request.answer() == FlushAnswer::flushed;
  co_return flushed ? PutStatus::put_ok : PutStatus::flush_disk_timeout;
}

Task<PutResult> MessageStore::put_message(Worker& worker, IncomingMessage message) {
  const bool wait_store_ok = message.wait_store_ok;
  PutResult result = co_await append(worker, std::move(message));
  if (result.status != PutStatus::put_ok) co_return result;
  const PutStatus safe = co_await await_flush(result, wait_store_ok);
  result.status = safe;
  put_ended(result);
  co_return result;
}

void MessageStore::begin_queue_at(std::string_view topic, std::int32_t queue_id, QueueOffset next) {
  ENSURE(phase_ == Phase::loaded);
  const ConsumeQueue* const queue = queues_.find(topic, queue_id);
  if (queue != nullptr && queue->has_files()) return;
  queue_offsets_.of(topic, queue_id).set(next);
}

Task<Result<void>> MessageStore::delete_topic(Worker& worker, std::string topic) {
  if (configuration_.behaviour.faithful(BehaviourSwitch::topic_numbers_start_again)) {
    queue_offsets_.forget(topic);
  }
  Result<void> destroyed = co_await queues_.destroy_topic(worker, topic);
  if (!destroyed) {
    std::string line = "can't remove all files of the queues of topic " + topic + " (";
    line += name_of(destroyed.error().code());
    context_.observer.log(LogLevel::error, line + ")");
  }
  co_return destroyed;
}

Task<Result<GetResult>> MessageStore::get_message(Worker& worker, GetRequest request) {
  if (phase_ != Phase::serving) co_return GetResult();
  const MonotonicTime began = context_.clock.now();
  Result<GetResult> result = co_await reader_.get(worker, request);
  const std::size_t found = result ? result->records.size() : 0;
  if (found > 1 && configuration_.bugs.has(SeededBug::pull_answers_backwards)) {
    std::ranges::reverse(result->records);
  }
  stats_->got(began, context_.clock.now(), static_cast<std::int64_t>(found));
  co_return result;
}

SharedBytes StoredMessage::share(std::span<const std::byte> part) const {
  if (part.empty()) return {};
  return record.slice(static_cast<std::size_t>(part.data() - record.data()), part.size());
}

Task<Result<std::optional<StoredMessage>>> MessageStore::stored_at(Worker& worker,
                                                                   PhysicalOffset at) {
  std::optional<StoredMessage> none;
  if (phase_ != Phase::serving || at < PhysicalOffset()) co_return none;
  Result<ByteChain> whole = co_await reader_.record_at(worker, at);
  if (!whole) co_return whole.error();
  if (whole->empty()) co_return none;
  StoredMessage message{.record = whole->flatten(), .view = {}};
  const auto bytes = static_cast<std::int64_t>(message.record.size());
  const RecordCheck check =
      check_record(message.record.span(), bytes, ContentCheck::lengths_only, message.view);
  if (!check.good() || message.view.physical_offset != at.value()) co_return none;
  co_return std::optional<StoredMessage>(std::move(message));
}

Task<Result<std::int64_t>> MessageStore::earliest_store_ms(Worker& worker) {
  Result<std::optional<StoredMessage>> first = co_await stored_at(worker, log_.min_offset());
  if (!first) co_return first.error();
  co_return first->has_value() ? (*first)->view.store_ms : -1;
}

Task<Result<std::vector<ConsumeQueueUnit>>> MessageStore::units(Worker& worker,
                                                                std::string_view topic,
                                                                std::int32_t queue_id,
                                                                QueueOffset from,
                                                                std::int64_t count) {
  std::vector<ConsumeQueueUnit> units;
  ConsumeQueue* const queue = queues_.find(topic, queue_id);
  if (queue == nullptr || from < queue->min_offset() || from >= queue->max_offset()) {
    co_return units;
  }
  Result<ByteChain> bytes = co_await queue->read(worker, from, count);
  if (!bytes) co_return bytes.error();
  const SharedBytes flat = bytes->flatten();
  for (std::span<const std::byte> rest = flat.span(); !rest.empty();
       rest = rest.subspan(static_cast<std::size_t>(kUnitBytes))) {
    units.push_back(decode_unit(rest));
  }
  co_return units;
}

Task<Result<QueryResult>> MessageStore::query_message(Worker& worker, MessageQuery query) {
  Result<IndexAnswer> answer = co_await index_.query(worker, query);
  if (!answer) co_return answer.error();
  QueryResult result;
  result.index_updated_ms = answer->updated_ms;
  result.index_updated_to = answer->updated_to;
  for (const PhysicalOffset at : answer->offsets) {
    Result<ByteChain> record = co_await reader_.record_at(worker, at);
    if (!record) co_return record.error();
    if (!record->empty()) result.records.push_back(std::move(*record));
  }
  co_return std::move(result);
}

}  // namespace drydock
