#include "engine/broker/pull_processor.hpp"

#include <algorithm>

#include "engine/wire/remoting_frame.hpp"
#include "engine/wire/tag_expression.hpp"

namespace drydock {

namespace {

// RocketMQ's clients ask for 15 or 20 s, and give up after 30 s.
constexpr std::int64_t kSuspendMsMax = 60 * 1000;
// What an answer has besides its records, at most.
constexpr std::int64_t kAroundRecordsMax = 64 * 1024;

SharedBytes answer_frame(const PullRequest& pull, const PullAnswer& answer,
                         const GetResult& result) {
  const PullMessageResponse fields{answer.suggested_broker_id, result.next, result.min, result.max};
  return encode_command_in_pieces(response_head(pull.head, answer.code), fields,
                                  name_of(result.status), result.records);
}

}  // namespace

PullProcessor::PullProcessor(Context& context, const BrokerConfiguration& configuration,
                             MessageStore& store, Configured configured, OffsetsOfBroker offsets,
                             const ConsumerGroups& consumers, HeldPulls::Waker& waker,
                             Traffic& traffic)
    : context_(context),
      configuration_(configuration),
      store_(store),
      configured_(configured),
      offsets_(offsets),
      consumers_(consumers),
      traffic_(traffic),
      held_(context, configuration, store, waker),
      cold_(context, configuration, waker),
      workers_(context, "PullMessageThread_", configuration.pull_message_thread_pool_nums,
               static_cast<std::size_t>(configuration.pull_thread_pool_queue_capacity)) {}

PullBroker PullProcessor::this_broker() const {
  return {.is_slave = configuration_.ha.role == BrokerRole::slave,
          .slave_read_enable = configuration_.slave_read_enable,
          .offset_check_in_slave = configuration_.store.offset_check_in_slave};
}

PullGroup PullProcessor::group_of(std::string_view name) const {
  const SubscriptionGroup* const group = configured_.groups.find(name);
  if (group == nullptr) return {};
  return {.broker_id = group->broker_id, .when_slow_id = group->when_slow_id};
}

Task<void> PullProcessor::process(std::shared_ptr<ServerConnection> connection,
                                  RemotingCommand request,
                                  [[maybe_unused]] Semaphore::Permit slot) {
  const PullBroker broker = this_broker();
  if (broker.is_slave && !broker.slave_read_enable) {
    connection->respond(
        encode_answer(request.head, ResponseCode::system_busy,
                      "[REJECTREQUEST]system busy, start flow control for a while"));
    co_return;
  }
  WorkerPool::Turn turn = co_await workers_.turn();
  WorkerPool::Lease& lease = turn.lease;
  if (!lease) {
    connection->respond(
        encode_answer(request.head, ResponseCode::system_busy, turn.denied_because));
    co_return;
  }
  PullMessageHeader header;
  const HeaderFault fault = decode_pull_message_header(request.ext_fields.span(), header);
  Refusal refusal{ResponseCode::system_error, "a field of the header is missing or of no use"};
  std::vector<std::int32_t> tags;
  if (fault.ok()) refusal = check(header);
  if (!refusal.refused()) refusal = find_tags(header, tags);
  if (refusal.refused()) {
    connection->respond(encode_answer(request.head, refusal.code, refusal.remark));
    co_return;
  }
  PullRequest pull = to_request(request.head, header, std::move(tags));
  if (broker.slave_read_enable) pull.of_group = group_of(header.consumer_group);
  const bool too_much = co_await wants_too_much(lease.worker(), pull);
  if (too_much && consumers_.type(pull.group) == ConsumeType::actively) {
    cold_.hold(std::move(connection), std::move(pull));
    co_return;
  }
  if (too_much) {
    connection->respond(
        encode_answer(request.head, ResponseCode::system_busy,
                      "This consumer group is reading cold data. It has been flow control"));
    co_return;
  }
  const bool may_hold = (header.sys_flag & pull_flag::kSuspend) != 0;
  const IfNothing if_nothing = may_hold ? IfNothing::hold : IfNothing::answer;
  const bool nothing = co_await look_up(lease.worker(), *connection, pull, if_nothing);
  if ((header.sys_flag & pull_flag::kCommitOffset) != 0) commit_offset(header);
  if (!nothing) co_return;
  const std::int64_t asked_ms =
      std::clamp<std::int64_t>(header.suspend_timeout_ms, 0, kSuspendMsMax);
  const Duration hold_for = configuration_.long_polling_enable ? Duration::ms(asked_ms)
                                                               : configuration_.short_polling_time;
  held_.hold(HeldPull{std::move(connection), std::move(pull), context_.clock.now() + hold_for});
}

Task<void> PullProcessor::go_on(HeldPull pull) {
  WorkerPool::Turn turn = co_await workers_.turn();
  if (!turn.lease) {
    pull.connection->respond(
        encode_answer(pull.request.head, ResponseCode::system_busy, turn.denied_because));
    co_return;
  }
  [[maybe_unused]] const bool nothing =
      co_await look_up(turn.lease.worker(), *pull.connection, pull.request, IfNothing::answer);
}

PullProcessor::Refusal PullProcessor::check(const PullMessageHeader& header) const {
  const TopicConfig* const topic = configured_.topics.find(header.topic);
  if (topic == nullptr) return {ResponseCode::topic_not_exist, "the topic does not exist"};
  if ((topic->permissions & permission::kRead) == 0) {
    return {ResponseCode::no_permission, "the topic may not be read"};
  }
  if (header.queue_id < 0 || header.queue_id >= topic->read_queues) {
    return {ResponseCode::invalid_parameter, "the queue id is out of range"};
  }
  return {};
}

PullProcessor::Refusal PullProcessor::find_tags(const PullMessageHeader& header,
                                                std::vector<std::int32_t>& tags) const {
  std::string_view type = header.expression_type;
  if ((header.sys_flag & pull_flag::kSubscription) != 0) {
    std::optional<std::vector<std::int32_t>> told = parse_tag_expression(header.subscription);
    if (!told) {
      return {ResponseCode::subscription_parse_failed, "parse the consumer's subscription failed"};
    }
    tags = std::move(*told);
  } else {
    const Subscription* const known = consumers_.subscription(header.consumer_group, header.topic);
    if (known == nullptr) {
      return {ResponseCode::subscription_not_exist, "the group does not subscribe to the topic"};
    }
    if (known->version < header.sub_version) {
      return {ResponseCode::subscription_not_latest, "the subscription is not the latest"};
    }
    tags = known->tag_codes;
    type = known->expression_type;
  }
  if (!type.empty() && type != "TAG") {
    return {ResponseCode::system_error,
            "The broker does not support consumer to filter message by " +
                std::string(repeatable(type))};
  }
  return {};
}

PullRequest PullProcessor::to_request(const CommandHead& head, const PullMessageHeader& header,
                                      std::vector<std::int32_t> tag_codes) {
  PullRequest pull;
  pull.head = head;
  pull.group = header.consumer_group;
  pull.topic = header.topic;
  pull.queue_id = header.queue_id;
  pull.offset = QueueOffset(header.queue_offset);
  pull.count_max = std::max(header.message_count_max, 1);
  pull.tag_codes = std::move(tag_codes);
  return pull;
}

void PullProcessor::commit_offset(const PullMessageHeader& header) {
  const ConsumerOffsets::Place place{header.consumer_group, header.topic, header.queue_id};
  (void)offsets_.commit(place, header.commit_offset, context_.clock.wall_now().count_ms());
}

Task<bool> PullProcessor::wants_too_much(Worker& worker, const PullRequest& pull) {
  if (!cold_.had_enough(pull.group)) co_return false;
  Result<bool> cold = co_await store_.in_cold_area(worker, pull.topic, pull.queue_id, pull.offset);
  co_return cold && *cold;
}

Task<bool> PullProcessor::look_up(Worker& worker, ServerConnection& connection,
                                  const PullRequest& pull, IfNothing if_nothing) {
  const GetRequest request{.topic = pull.topic,
                           .queue_id = pull.queue_id,
                           .offset = pull.offset,
                           .count_max = pull.count_max,
                           .tag_codes = pull.tag_codes,
                           .count_cold = cold_.counts(pull.group)};
  Result<GetResult> got = co_await store_.get_message(worker, request);
  if (!got || got->status == GetStatus::unavailable) {
    connection.respond(encode_answer(pull.head, ResponseCode::system_error,
                                     got ? "the store is closed" : "the store can't be read"));
    co_return false;
  }
  cold_.read(pull.group, got->cold_bytes);
  if (got->bytes > kFrameBytesMax - kAroundRecordsMax) {
    connection.respond(encode_answer(pull.head, ResponseCode::system_error,
                                     "the message is too long for a frame"));
    co_return false;
  }
  const PullAnswer answer = answer_of(*got, pull.offset, this_broker(), pull.of_group);
  const bool nothing = answer.code == ResponseCode::pull_not_found;
  if (nothing && if_nothing == IfNothing::hold) co_return true;
  connection.respond(answer_frame(pull, answer, *got));
  if (!got->records.empty()) {
    const Traffic::Count found{static_cast<std::int64_t>(got->records.size()), got->bytes};
    // What is no name of a group stays out of what operators read.
    const bool named = topic_name_allowed(pull.group);
    traffic_.out(named ? pull.group : Traffic::kOtherGroups, pull.topic, found,
                 context_.clock.wall_now().count_ms());
  }
  co_return false;
}

}  // namespace drydock
