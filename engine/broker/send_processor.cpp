#include "engine/broker/send_processor.hpp"

#include <array>

#include "engine/broker/internal_message.hpp"
#include "engine/broker/retry.hpp"
#include "engine/broker/transactions.hpp"
#include "engine/wire/message_properties.hpp"

namespace drydock {

namespace {

constexpr std::int32_t kRetryQueues = 1;
constexpr std::int32_t kDeadLetterQueues = 1;
constexpr std::int16_t kVersion349 = 121;  // From here on clients say how often they retry.
constexpr std::uint64_t kLateMs = 500;     // Of SeededBug::ack_before_append, at most.

// The part of the ext fields that a view of the header points into.
SharedBytes share(const RemotingCommand& request, std::string_view view) {
  if (view.empty()) return {};
  const auto* const at = reinterpret_cast<const std::byte*>(view.data());
  return request.ext_fields.slice(static_cast<std::size_t>(at - request.ext_fields.data()),
                                  view.size());
}

using Wishes = SendProcessor::Wishes;

Wishes wishes_of(std::string_view properties) {
  Wishes wishes;
  PropertyReader reader(properties);
  Property property;
  while (reader.next(property)) {
    if (property.name == property::kDelay) {
      wishes.delay_level = parse_decimal<std::int32_t>(property.value).value_or(0);
    } else if (property.name == property::kTransactionPrepared) {
      wishes.transaction = property.value == "true";
    } else if (property.name == property::kTimerDelaySeconds ||
               property.name == property::kTimerDelayMs ||
               property.name == property::kTimerDeliverMs) {
      wishes.timer = true;
    }
  }
  if (wishes.delay_level > 0) wishes.timer = false;
  return wishes;
}

// What a message may ask for that comes in a later version: storing it as a plain message would be
// wrong. Empty: nothing.
std::string_view beyond_this_version(const SendMessageHeader& header, const Wishes& wishes) {
  if (wishes.timer) return "the timer wheel (TIMER_*) is not supported: use a delay level";
  if ((header.sys_flag & sys_flag::kTransactionMask) != 0 && !wishes.transaction) {
    return "the flags of a transaction without its property are not supported";
  }
  return {};
}

HeaderFault decode_header(const RemotingCommand& request, SendMessageHeader& header) {
  const std::span<const std::byte> fields = request.ext_fields.span();
  return request.is(RequestCode::send_message) ? decode_send_message_v1_header(fields, header)
                                               : decode_send_message_header(fields, header);
}

}  // namespace

SendProcessor::SendProcessor(Context& context, const BrokerConfiguration& configuration,
                             MessageStore& store, TopicsOfBroker topics, GroupsOfBroker groups,
                             HaMaster* master, Traffic& traffic)
    : context_(context),
      configuration_(configuration),
      store_(store),
      traffic_(traffic),
      safety_(context, configuration, store, master),
      topics_(topics),
      groups_(groups),
      workers_(context, "SendMessageThread_", configuration.send_message_thread_pool_nums,
               static_cast<std::size_t>(configuration.send_thread_pool_queue_capacity)),
      queue_choice_(context.random.stream("queue-choice")) {}

Task<void> SendProcessor::process(std::shared_ptr<ServerConnection> connection,
                                  RemotingCommand request,
                                  [[maybe_unused]] Semaphore::Permit slot) {
  const bool slave = configuration_.ha.role == BrokerRole::slave;
  if (slave || store_.os_page_cache_busy() || store_.transient_store_pool_deficient()) {
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

  if (context_.compute.priced()) {
    const Duration price =
        configuration_.store.cpu.send.of(static_cast<std::int64_t>(request.body.size()));
    Result<void> spent = co_await context_.compute.charge(lease.worker(), price);
    if (!spent) co_return;
  }

  SendMessageHeader header;
  const HeaderFault fault = decode_header(request, header);
  std::int32_t queue_id = header.queue_id;
  Refusal refusal{ResponseCode::system_error, "a field of the header is missing or of no use"};
  const Wishes wishes = wishes_of(header.properties);
  if (fault.ok()) refusal = check(header, wishes, queue_id);
  if (refusal.refused()) {
    refuse(*connection, request, refusal);
    co_return;
  }
  IncomingMessage message = to_message(request, header, queue_id, connection->peer());
  refusal = redirect(request, header, wishes, message);
  if (refusal.refused()) {
    refuse(*connection, request, refusal);
    co_return;
  }
  if (topics_.file.behind()) co_await topics_.file.save_once(lease.worker());
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
    const PutStatus safe = co_await safety_.wait(result, wait_store_ok);
    result.status = safe;
  }
  answer(*connection, request, queue_id, result);
  count(header.topic, result, 1);
}

void SendProcessor::count(std::string_view topic, const PutResult& stored, std::int64_t messages) {
  if (!counts_as_sent(stored.status)) return;
  const Traffic::Count count{messages, stored.bytes};
  traffic_.in(topic, count, context_.clock.wall_now().count_ms());
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

SendProcessor::Refusal SendProcessor::check(const SendMessageHeader& header, const Wishes& wishes,
                                            std::int32_t& queue_id) {
  if (!topic_name_allowed(header.topic)) {
    return {ResponseCode::invalid_parameter, "the topic's name is not allowed"};
  }
  if (topic_reserved(header.topic)) {
    return {ResponseCode::no_permission, "sending to this system topic is forbidden"};
  }
  const std::int64_t now_ms = context_.clock.wall_now().count_ms();
  std::optional<std::int32_t> queues = topics_.table.find_or_create(
      header.topic, header.default_topic, header.default_topic_queue_nums, now_ms);
  if (!queues && header.topic.starts_with(kRetryTopicPrefix)) {
    queues = topics_.table.find_or_add(header.topic, kRetryQueues, now_ms);
  }
  if (topics_.table.has_new()) topics_.made.set();
  if (!queues) return {ResponseCode::topic_not_exist, "the topic does not exist"};
  if (queue_id >= *queues || (queue_id < 0 && *queues == 0)) {
    return {ResponseCode::invalid_parameter, "the queue id is out of range"};
  }
  if (queue_id < 0) {
    queue_id = static_cast<std::int32_t>(queue_choice_.below(static_cast<std::uint64_t>(*queues)));
  }
  if (header.batch) return check_batch(header, topics_.table.find(header.topic));
  const std::string_view beyond = beyond_this_version(header, wishes);
  if (!beyond.empty()) return {ResponseCode::request_code_not_supported, beyond};
  return {};
}

SendProcessor::Refusal SendProcessor::redirect(const RemotingCommand& request,
                                               const SendMessageHeader& header,
                                               const Wishes& wishes, IncomingMessage& message) {
  if (header.batch) return {};
  if (header.topic.starts_with(kRetryTopicPrefix)) {
    const Refusal refusal = redirect_if_dead(request, header, message);
    if (refusal.refused()) return refusal;
  }
  const bool comes_again = header.reconsume_times > 0 && wishes.delay_level > 0;
  if (wishes.transaction && !comes_again) message = half_of(std::move(message));
  if (wishes.delay_level > 0) {
    message = delayed_if_asked(std::move(message), configuration_.store.delay_levels);
  }
  return {};
}

SendProcessor::Refusal SendProcessor::redirect_if_dead(const RemotingCommand& request,
                                                       const SendMessageHeader& header,
                                                       IncomingMessage& message) {
  const std::string_view name = header.topic.substr(kRetryTopicPrefix.size());
  const SubscriptionGroup* const group = groups_.table.find(name);
  if (group == nullptr) {
    return {ResponseCode::subscription_group_not_exist, "the group does not exist"};
  }
  const bool says_how_often = request.head.version >= kVersion349 && header.max_reconsume_times;
  const std::int32_t times_max =
      says_how_often ? *header.max_reconsume_times : group->retry_times_max;
  const bool orderly = groups_.locks.any(name, context_.clock.now());
  if (!dead_when_sent(header.reconsume_times, times_max, orderly)) return {};
  const std::string topic = dead_letter_topic_of(name);
  const auto queues =
      topics_.table.find_or_add(topic, kDeadLetterQueues, context_.clock.wall_now().count_ms());
  if (topics_.table.has_new()) topics_.made.set();
  if (!queues) return {ResponseCode::system_error, "the topic does not exist"};
  constexpr std::array kNoDelay = {Property{property::kDelay, "-1"}};
  message.topic = SharedBytes::copy_of(topic);
  message.queue_id = 0;
  message.properties = edit_properties(as_text(message.properties.span()), {}, kNoDelay);
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
