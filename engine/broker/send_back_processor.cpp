#include "engine/broker/send_back_processor.hpp"

#include "engine/broker/internal_message.hpp"
#include "engine/wire/remoting_frame.hpp"

namespace drydock {

namespace {

constexpr std::int32_t kDeadLetterQueues = 1;
constexpr std::int16_t kVersion349 = 121;  // From here on clients say how often they retry.

}  // namespace

SendBackProcessor::SendBackProcessor(Context& context, const BrokerConfiguration& configuration,
                                     MessageStore& store, TopicsOfBroker topics,
                                     GroupsOfBroker groups, WorkerPool& workers, HaMaster* master)
    : context_(context),
      configuration_(configuration),
      store_(store),
      topics_(topics),
      groups_(groups),
      workers_(workers),
      safety_(context, configuration, store, master),
      queue_choice_(context.random.stream("retry-queue-choice")) {}

Task<void> SendBackProcessor::process(std::shared_ptr<ServerConnection> connection,
                                      RemotingCommand request,
                                      [[maybe_unused]] Semaphore::Permit slot) {
  WorkerPool::Turn turn = co_await workers_.turn();
  if (!turn.lease) {
    if (request.is_one_way()) co_return;
    connection->respond(
        encode_answer(request.head, ResponseCode::system_busy, turn.denied_because));
    co_return;
  }
  SendBackHeader header;
  const HeaderFault fault = decode_send_back_header(request.ext_fields.span(), header);
  Answer answer{ResponseCode::system_error, "a field of the header is missing or of no use"};
  if (fault.ok()) {
    const Answer put = co_await put_back(turn.lease.worker(), request.head.version, header);
    answer = put;
  }
  if (request.is_one_way()) co_return;
  connection->respond(encode_answer(request.head, answer.code, answer.remark));
}

Task<SendBackProcessor::Answer> SendBackProcessor::put_back(Worker& worker,
                                                            std::int16_t client_version,
                                                            SendBackHeader header) {
  if (configuration_.ha.role == BrokerRole::slave) {
    co_return Answer{ResponseCode::system_error, "no master is available here"};
  }
  const std::int64_t now_ms = context_.clock.wall_now().count_ms();
  const SubscriptionGroup* const group = groups_.table.find_or_create(header.group, now_ms);
  if (group == nullptr) {
    co_return Answer{ResponseCode::subscription_group_not_exist, "the group does not exist"};
  }
  if (group->retry_queues <= 0) co_return Answer();
  const bool says_how_often = client_version >= kVersion349 && header.max_reconsume_times;
  const std::int32_t times_max =
      says_how_often ? *header.max_reconsume_times : group->retry_times_max;
  std::string topic = retry_topic_of(header.group);
  std::optional<std::int32_t> queue_id = queue_of(topic, group->retry_queues);
  if (!queue_id) co_return Answer{ResponseCode::system_error, "the topic does not exist"};

  Result<std::optional<StoredMessage>> stored = co_await store_.stored_at(worker, header.offset);
  if (!stored || !stored->has_value()) {
    co_return Answer{ResponseCode::system_error, "look message by offset failed"};
  }
  const StoredMessage& message = **stored;
  const RetryDecision decision =
      decide_send_back(message.origin().reconsume_times, header.delay_level, times_max);
  if (decision.dead) {
    topic = dead_letter_topic_of(header.group);
    queue_id = queue_of(topic, kDeadLetterQueues);
    if (!queue_id) co_return Answer{ResponseCode::system_error, "the topic does not exist"};
  }
  if (groups_.file.behind()) co_await groups_.file.save_once(worker);
  if (topics_.file.behind()) co_await topics_.file.save_once(worker);
  IncomingMessage again = sent_back_copy(message, topic, *queue_id, decision, store_.store_host());
  again = delayed_if_asked(std::move(again), configuration_.store.delay_levels);
  const PutResult put = co_await store_.append(worker, std::move(again));
  if (put.status != PutStatus::put_ok) {
    co_return Answer{ResponseCode::system_error, name_of(put.status)};
  }
  const PutStatus safe = co_await safety_.wait_internal(put);
  if (safe == PutStatus::put_ok) co_return Answer();
  // It is stored. RocketMQ does not wait, so it has no word for that: the one that a send would get
  // tells a client that another copy would be the second.
  co_return Answer{response_code_of(safe), name_of(safe)};
}

std::optional<std::int32_t> SendBackProcessor::queue_of(const std::string& topic,
                                                        std::int32_t queues) {
  const std::optional<std::int32_t> found =
      topics_.table.find_or_add(topic, queues, context_.clock.wall_now().count_ms());
  if (topics_.table.has_new()) topics_.made.set();
  if (!found || *found <= 0) return std::nullopt;
  return static_cast<std::int32_t>(queue_choice_.below(static_cast<std::uint64_t>(queues)));
}

}  // namespace drydock
