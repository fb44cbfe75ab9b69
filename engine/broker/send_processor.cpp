#include "engine/broker/send_processor.hpp"

#include <array>

#include "engine/wire/message_properties.hpp"

namespace drydock {

namespace {

constexpr std::uint64_t kLateMs = 500;  // Of SeededBug::ack_before_append, at most.

// The part of the ext fields that a view of the header points into.
SharedBytes share(const RemotingCommand& request, std::string_view view) {
  if (view.empty()) return {};
  const auto* const at = reinterpret_cast<const std::byte*>(view.data());
  return request.ext_fields.slice(static_cast<std::size_t>(at - request.ext_fields.data()),
                                  view.size());
}

// What a message may ask for that comes in a later version: storing it as a plain message would be
// wrong.
bool beyond_this_version(const SendMessageHeader& header) {
  if ((header.sys_flag & sys_flag::kTransactionMask) != 0) return true;
  if (header.topic.starts_with("%RETRY%")) return true;
  constexpr std::array<std::string_view, 4> kDelays = {"DELAY", "TIMER_DELAY_SEC", "TIMER_DELAY_MS",
                                                       "TIMER_DELIVER_MS"};
  PropertyReader reader(header.properties);
  Property property;
  while (reader.next(property)) {
    for (const std::string_view delay : kDelays) {
      if (property.name == delay) return true;
    }
  }
  return false;
}

HeaderFault decode_header(const RemotingCommand& request, SendMessageHeader& header) {
  const std::span<const std::byte> fields = request.ext_fields.span();
  return request.is(RequestCode::send_message) ? decode_send_message_v1_header(fields, header)
                                               : decode_send_message_header(fields, header);
}

}  // namespace

SendProcessor::SendProcessor(Context& context, const BrokerConfiguration& configuration,
                             MessageStore& store, TopicsOfBroker topics, HaMaster* master)
    : context_(context),
      configuration_(configuration),
      store_(store),
      master_(master),
      topics_(topics),
      workers_(context, "SendMessageThread_", configuration.send_message_thread_pool_nums,
               static_cast<std::size_t>(configuration.send_thread_pool_queue_capacity)),
      queue_choice_(context.random.stream("queue-choice")) {}

Task<void> SendProcessor::process(std::shared_ptr<ServerConnection> connection,
                                  RemotingCommand request,
                                  [[maybe_unused]] Semaphore::Permit slot) {
  const bool slave = configuration_.ha.role == BrokerRole::slave;
  if (slave || store_.os_page_cache_busy()) {
    const Refusal busy{ResponseCode::system_busy,
                       "[REJECTREQUEST]system busy, start flow control for a while"};
    refuse(*connection, request, busy);
    co_return;
  }
  WorkerPool::Turn turn = co_await workers_.turn();
  WorkerPool::Lease& lease = turn.lease;
  if (!lease) {
    const Refusal denied{ResponseCode::system_busy, turn.denied_because};
    refuse(*connection, request, denied);
    co_return;
  }

  SendMessageHeader header;
  const HeaderFault fault = decode_header(request, header);
  std::int32_t queue_id = header.queue_id;
  Refusal refusal{ResponseCode::system_error, "a field of the header is missing or of no use"};
  if (fault.ok()) refusal = check(header, queue_id);
  if (refusal.refused()) {
    refuse(*connection, request, refusal);
    co_return;
  }
  if (topics_.file.untried()) co_await topics_.file.save(lease.worker());
  IncomingMessage message = to_message(request, header, queue_id, connection->peer());
  if (header.batch) {
    message.properties = batch_properties(header);
    co_await store_batch(std::move(connection), std::move(request), std::move(message),
                         std::move(lease));
    co_return;
  }
  if (configuration_.store.bugs.has(SeededBug::ack_before_append) && queue_choice_.below(2) == 0) {
    lease.release();
    const PutResult promised{.status = PutStatus::put_ok};
    answer(*connection, request, queue_id, promised);
    co_await append_late(std::move(message));
    co_return;
  }
  const bool wait_store_ok = message.wait_store_ok;
  PutResult result = co_await store_.append(lease.worker(), std::move(message));
  lease.release();
  if (result.status == PutStatus::put_ok) {
    const PutStatus safe = co_await await_safety(result, wait_store_ok);
    result.status = safe;
  }
  answer(*connection, request, queue_id, result);
}

Task<void> SendProcessor::append_late(IncomingMessage message) {
  const Duration pause = Duration::ms(static_cast<std::int64_t>(queue_choice_.below(kLateMs)));
  Result<void> slept = co_await sleep_for(context_.clock, pause);
  if (!slept) co_return;
  WorkerPool::Turn turn = co_await workers_.turn();
  if (!turn.lease) co_return;
  [[maybe_unused]] PutResult stored =
      co_await store_.append(turn.lease.worker(), std::move(message));
}

// The flush and the copies are waited for at the same time; what the copies came to counts last.
Task<PutStatus> SendProcessor::await_safety(PutResult placed, bool wait_store_ok) {
  const SeededBugs& bugs = configuration_.store.bugs;
  const std::int32_t copies =
      bugs.has(SeededBug::ack_before_copy) ? 1 : configuration_.ha.copies_awaited();
  if (master_ == nullptr || !wait_store_ok || copies <= 1) {
    const PutStatus flushed = co_await store_.await_flush(placed, wait_store_ok);
    co_return flushed;
  }
  const Deadline deadline = context_.clock.now() + configuration_.ha.slave_timeout;
  ReplicaRequest request(placed.offset + placed.bytes, copies, deadline);
  master_->submit(request);
  const PutStatus flushed = co_await store_.await_flush(placed, wait_store_ok);
  Result<void> answered = co_await request.answered().wait();
  if (!answered) co_return PutStatus::unknown_error;
  const bool replicated = request.answer() == ReplicaAnswer::replicated;
  co_return replicated ? flushed : PutStatus::flush_slave_timeout;
}

SendProcessor::Refusal SendProcessor::check(const SendMessageHeader& header,
                                            std::int32_t& queue_id) {
  if (!topic_name_allowed(header.topic)) {
    return {ResponseCode::invalid_parameter, "the topic's name is not allowed"};
  }
  if (topic_reserved(header.topic)) {
    return {ResponseCode::no_permission, "sending to this system topic is forbidden"};
  }
  const std::optional<std::int32_t> queues = topics_.table.find_or_create(
      header.topic, header.default_topic, header.default_topic_queue_nums,
      context_.clock.wall_now().count_ms());
  if (topics_.table.has_new()) topics_.made.set();
  if (!queues) return {ResponseCode::topic_not_exist, "the topic does not exist"};
  if (queue_id >= *queues || (queue_id < 0 && *queues == 0)) {
    return {ResponseCode::invalid_parameter, "the queue id is out of range"};
  }
  if (queue_id < 0) {
    queue_id = static_cast<std::int32_t>(queue_choice_.below(static_cast<std::uint64_t>(*queues)));
  }
  if (header.batch) return check_batch(header, topics_.table.find(header.topic));
  if (beyond_this_version(header)) {
    return {ResponseCode::request_code_not_supported,
            "transaction, delay and retry messages are not supported in this version"};
  }
  return {};
}

IncomingMessage SendProcessor::to_message(const RemotingCommand& request,
                                          const SendMessageHeader& header, std::int32_t queue_id,
                                          Endpoint born_host) {
  IncomingMessage message;
  message.topic = share(request, header.topic);
  message.properties = stored_properties(header);
  message.body = request.body;
  message.queue_id = queue_id;
  message.flag = header.flag;
  message.sys_flag = header.sys_flag & ~sys_flag::kHostMask;  // They tell what we write.
  message.born_ms = header.born_timestamp_ms;
  message.born_host = born_host;
  message.reconsume_times = header.reconsume_times;
  message.wait_store_ok = find_property(header.properties, property::kWait) != "false";
  return message;
}

SharedBytes SendProcessor::stored_properties(const SendMessageHeader& header) {
  std::array<Property, 4> added;
  std::size_t count = 0;
  added[count++] = {property::kRegion, "DefaultRegion"};
  added[count++] = {property::kTraceOn, "true"};
  added[count++] = {property::kCluster, configuration_.broker_cluster_name};
  MessageIdText unique_key;
  if (find_property(header.properties, property::kUniqueKey).empty()) {
    const UniqueKey key{.address = store_.store_host().address,
                        .process = static_cast<std::int16_t>(context_.scope.process().id().value()),
                        .made = context_.clock.wall_now(),
                        .counter = unique_key_counter_++};
    unique_key = encode_unique_key(key);
    added[count++] = {property::kUniqueKey, view_of(unique_key)};
  }
  return rewrite_properties(header.properties, std::span(added).first(count));
}

void SendProcessor::refuse(ServerConnection& connection, const RemotingCommand& request,
                           Refusal refusal) {
  if (request.is_one_way()) return;
  connection.respond(encode_answer(request.head, refusal.code, refusal.remark));
}

void SendProcessor::answer(ServerConnection& connection, const RemotingCommand& request,
                           std::int32_t queue_id, const PutResult& result) {
  const ResponseCode code = response_code_of(result.status);
  if (!counts_as_sent(result.status)) {
    refuse(connection, request, Refusal{code, name_of(result.status)});
    return;
  }
  if (request.is_one_way()) return;
  const OffsetMessageId id{store_.store_host(), result.offset};
  const SendMessageResponse fields{encode_offset_message_id(id), queue_id, result.queue_offset};
  connection.respond(encode_command(response_head(request.head, code), fields, {}, {}));
}

}  // namespace drydock
