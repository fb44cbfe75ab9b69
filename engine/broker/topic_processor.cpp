#include "engine/broker/topic_processor.hpp"

#include <algorithm>

namespace drydock {

namespace {

constexpr std::size_t kHeaderRoom = 1024;  // An answer without remark and fields needs less.

SharedBytes refuse_header(const RemotingCommand& request) {
  return encode_answer(request.head, ResponseCode::system_error,
                       "a field of the header is missing or of no use");
}

SharedBytes no_such_topic(const RemotingCommand& request, std::string_view topic) {
  const std::string remark = "topic[" + std::string(repeatable(topic)) + "] not exist";
  return encode_answer(request.head, ResponseCode::topic_not_exist, remark);
}

SharedBytes answer_with(const RemotingCommand& request, const std::string& body) {
  return encode_command(response_head(request.head, ResponseCode::success), NoFields(), {},
                        as_byte_span(body));
}

// What so many queues of a topic take in a table of statistics, if their numbers are short.
std::size_t least_bytes_of(const StatsQueue& names, std::int32_t queues) {
  constexpr std::string_view kShortest =
      R"({"brokerName":"","queueId":0,"topic":""}:{"lastUpdateTimestamp":0,"maxOffset":0,)"
      R"("minOffset":0},)";
  const std::size_t each = kShortest.size() + names.broker_name.size() + names.topic.size();
  return each * static_cast<std::size_t>(queues);
}

SharedBytes too_many_queues(const RemotingCommand& request) {
  return encode_answer(request.head, ResponseCode::system_error,
                       "the statistics of so many queues fit no frame: ask for a topic with fewer");
}

SharedBytes answer_with_table(const RemotingCommand& request, const std::string& body) {
  return frame_holds(kHeaderRoom, body.size()) ? answer_with(request, body)
                                               : too_many_queues(request);
}

}  // namespace

bool TopicProcessor::answers(const RemotingCommand& request) {
  return request.is(RequestCode::update_and_create_topic) ||
         request.is(RequestCode::delete_topic_in_broker) ||
         request.is(RequestCode::delete_expired_commitlog) ||
         request.is(RequestCode::get_topic_config) ||
         request.is(RequestCode::get_topic_stats_info) ||
         request.is(RequestCode::get_consume_stats);
}

Task<void> TopicProcessor::process(std::shared_ptr<ServerConnection> connection,
                                   RemotingCommand request,
                                   [[maybe_unused]] Semaphore::Permit slot) {
  if (request.is(RequestCode::update_and_create_topic)) {
    SharedBytes answered = co_await update(std::move(request));
    connection->respond(std::move(answered));
  } else if (request.is(RequestCode::delete_topic_in_broker)) {
    SharedBytes answered = co_await remove(std::move(request));
    connection->respond(std::move(answered));
  } else if (request.is(RequestCode::delete_expired_commitlog)) {
    connection->respond(delete_expired(request));
  } else if (request.is(RequestCode::get_topic_config)) {
    connection->respond(topic_config(request));
  } else if (request.is(RequestCode::get_topic_stats_info)) {
    SharedBytes answered = co_await topic_stats(std::move(request));
    connection->respond(std::move(answered));
  } else {
    SharedBytes answered = co_await consume_stats(std::move(request));
    connection->respond(std::move(answered));
  }
}

Task<SharedBytes> TopicProcessor::update(RemotingCommand request) {
  UpdateTopicHeader header;
  const HeaderFault fault = decode_update_topic_header(request.ext_fields.span(), header);
  if (!fault.ok()) co_return refuse_header(request);
  if (parts_.configuration.ha.role == BrokerRole::slave) {
    co_return encode_answer(request.head, ResponseCode::system_error,
                            "a slave takes its topics from its master");
  }
  const std::string refused = refusal(header);
  if (!refused.empty()) {
    co_return encode_answer(request.head, ResponseCode::invalid_parameter, refused);
  }
  TopicConfig topic{.topic = std::string(header.topic),
                    .read_queues = header.read_queues,
                    .write_queues = header.write_queues,
                    .permissions = header.permissions,
                    .topic_sys_flag = header.topic_sys_flag};
  if (header.ordered) topic.kept.emplace("order", "true");
  Topics& topics = parts_.topics.table;
  if (!topics.update(std::move(topic), context_.clock.wall_now().count_ms())) {
    co_return encode_answer(request.head, ResponseCode::system_error,
                            "too many topics, or too much that is kept of them");
  }
  const bool saved = co_await save_topics();
  if (!saved) {
    co_return encode_answer(request.head, ResponseCode::system_error,
                            "the topic is known until the broker stops, but topics.json can't be "
                            "written: see the broker's log, then ask again");
  }
  co_return encode_answer(request.head, ResponseCode::success);
}

Task<bool> TopicProcessor::save_topics() {
  const std::uint64_t changes = parts_.topics.table.changes();
  co_await parts_.topics.file.save(worker_);
  parts_.topics.made.set();
  const Behaviour& behaviour = parts_.configuration.store.behaviour;
  const bool told = behaviour.hardened(BehaviourSwitch::config_rewritten_in_place);
  co_return !told || parts_.topics.file.has(changes);
}

// Name, offsets and numbering go in one step: what is sent from then on is refused, or makes a new
// topic. What RocketMQ answers does not depend on whether there was such a topic, or on its files.
Task<SharedBytes> TopicProcessor::remove(RemotingCommand request) {
  TopicStatsHeader header;
  const HeaderFault fault = decode_topic_stats_header(request.ext_fields.span(), header);
  if (!fault.ok()) co_return refuse_header(request);
  const std::string topic(header.topic);
  if (parts_.configuration.ha.role == BrokerRole::slave) {
    co_return encode_answer(request.head, ResponseCode::system_error,
                            "a slave takes its topics from its master");
  }
  if (topic.empty() || is_reserved(topic)) {
    const std::string why = topic.empty()
                                ? "The specified topic is blank."
                                : "The topic[" + topic + "] is conflict with system topic.";
    co_return encode_answer(request.head, ResponseCode::invalid_parameter, why);
  }
  const std::string_view no_numbers =
      "where its numbering stops can't be written into deletedTopics.json: see the broker's log, "
      "then ask again";
  const bool remembered = co_await remember_numbers(topic);
  if (!remembered) co_return encode_answer(request.head, ResponseCode::system_error, no_numbers);
  const std::int64_t now_ms = context_.clock.wall_now().count_ms();
  (void)parts_.topics.table.remove(topic, now_ms);
  if (parts_.offsets.table.remove_topic(topic)) parts_.offsets.changed.set();
  Result<void> deleted = co_await parts_.store.delete_topic(worker_, topic);
  if (!deleted && deleted.error().code() == ErrorCode::cancelled) {
    co_return encode_answer(request.head, ResponseCode::system_error, "the broker stops");
  }
  // What was sent meanwhile has used numbers up.
  const bool still = co_await remember_numbers(topic);
  if (!still) co_return encode_answer(request.head, ResponseCode::system_error, no_numbers);
  // Also of an earlier request that could not save it.
  if (parts_.topics.file.behind()) {
    const bool saved = co_await save_topics();
    if (!saved) {
      co_return encode_answer(request.head, ResponseCode::system_error,
                              "the topic is gone until the broker starts again, but topics.json "
                              "can't be written: see the broker's log, then ask again");
    }
  }
  co_return encode_answer(request.head, ResponseCode::success);
}

Task<bool> TopicProcessor::remember_numbers(std::string topic) {
  const Behaviour& behaviour = parts_.configuration.store.behaviour;
  if (behaviour.faithful(BehaviourSwitch::topic_numbers_start_again)) co_return true;
  const CommitLog& log = parts_.store.commit_log();
  parts_.deleted.forget_before(log.min_offset());
  const DeletedTopics::Numbers numbers = parts_.store.next_offsets(topic);
  if (!parts_.deleted.remember(topic, numbers, log.max_offset())) {
    context_.observer.log(LogLevel::error, "deletedTopics.json has no room for one more topic");
    co_return false;
  }
  const std::uint64_t changes = parts_.deleted.changes();
  co_await parts_.deleted_file.save(worker_);
  co_return parts_.deleted_file.has(changes);
}

SharedBytes TopicProcessor::delete_expired(const RemotingCommand& request) {
  parts_.store.delete_expired_files();
  return encode_answer(request.head, ResponseCode::success);
}

bool TopicProcessor::is_reserved(std::string_view topic) const {
  const BrokerConfiguration& configuration = parts_.configuration;
  return is_system_topic(topic) || topic == configuration.broker_cluster_name ||
         topic == configuration.broker_name;
}

std::string TopicProcessor::refusal(const UpdateTopicHeader& header) const {
  const std::string name(header.topic);
  if (!topic_name_allowed(header.topic)) return "the topic's name is not allowed";
  if (is_reserved(header.topic)) {
    return "The topic[" + name + "] is conflict with system topic.";
  }
  constexpr std::int32_t kPermissions =
      permission::kInherit | permission::kRead | permission::kWrite;
  if ((header.permissions & ~kPermissions) != 0) return "perm names no permission";
  if (std::max(header.read_queues, header.write_queues) > kQueuesMax) return "too many queues";
  return header.attributes.empty() ? std::string() : "this version keeps no attributes of topics";
}

SharedBytes TopicProcessor::topic_config(const RemotingCommand& request) const {
  TopicStatsHeader header;
  const HeaderFault fault = decode_topic_stats_header(request.ext_fields.span(), header);
  if (!fault.ok()) return refuse_header(request);
  const TopicConfig* const topic = parts_.topics.table.find(header.topic);
  return topic == nullptr ? no_such_topic(request, header.topic)
                          : answer_with(request, encode_topic(*topic));
}

Task<SharedBytes> TopicProcessor::topic_stats(RemotingCommand request) {
  TopicStatsHeader header;
  const HeaderFault fault = decode_topic_stats_header(request.ext_fields.span(), header);
  if (!fault.ok()) co_return refuse_header(request);
  const TopicConfig* const topic = parts_.topics.table.find(header.topic);
  if (topic == nullptr) co_return no_such_topic(request, header.topic);
  const std::int32_t count = std::max(topic->read_queues, topic->write_queues);
  const StatsQueue names{parts_.configuration.broker_name, header.topic};
  if (!frame_holds(kHeaderRoom, least_bytes_of(names, count))) {
    co_return too_many_queues(request);
  }
  std::vector<TopicStats> queues;
  for (std::int32_t id = 0; id < count; ++id) {
    const StatsQueue queue{parts_.configuration.broker_name, header.topic, id};
    const QueueRange range = parts_.store.range(header.topic, id);
    TopicStats one{.queue = queue, .min = range.min, .max = range.max};
    if (range.max > QueueOffset()) {
      const std::int64_t newest_ms = co_await stored_ms(queue, range.max + -1);
      one.last_update_ms = newest_ms;
    }
    queues.push_back(one);
  }
  co_return answer_with_table(request, encode_topic_stats(queues));
}

Task<SharedBytes> TopicProcessor::consume_stats(RemotingCommand request) {
  ConsumeStatsHeader header;
  const HeaderFault fault = decode_consume_stats_header(request.ext_fields.span(), header);
  if (!fault.ok()) co_return refuse_header(request);
  std::vector<std::string> topics;
  if (header.topic.empty()) {
    topics = parts_.offsets.table.topics_of(header.consumer_group);
  } else {
    topics.emplace_back(header.topic);
  }
  std::vector<ConsumeStats> queues;
  std::size_t least_bytes = 0;
  for (const std::string& name : topics) {
    const TopicConfig* const topic = parts_.topics.table.find(name);
    if (topic == nullptr || !is_told(header.consumer_group, name)) continue;
    const std::int32_t count = topic->read_queues;
    const StatsQueue names{parts_.configuration.broker_name, name};
    least_bytes += least_bytes_of(names, count);
    if (!frame_holds(kHeaderRoom, least_bytes)) co_return too_many_queues(request);
    for (std::int32_t id = 0; id < count; ++id) {
      const StatsQueue queue{parts_.configuration.broker_name, name, id};
      const ConsumerOffsets::Place place{header.consumer_group, name, id};
      const std::int64_t consumed =
          std::max<std::int64_t>(0, parts_.offsets.table.find(place).value_or(0));
      ConsumeStats one{.queue = queue,
                       .broker = parts_.store.range(name, id).max,
                       .consumer = QueueOffset(consumed)};
      if (consumed > 0) {
        const std::int64_t last_ms = co_await stored_ms(queue, QueueOffset(consumed - 1));
        one.last_ms = last_ms;
      }
      queues.push_back(one);
    }
  }
  co_return answer_with_table(request, encode_consume_stats(queues));
}

bool TopicProcessor::is_told(std::string_view group, std::string_view topic) const {
  return !parts_.consumers.exists(group) || parts_.consumers.subscription(group, topic) != nullptr;
}

Task<std::int64_t> TopicProcessor::stored_ms(StatsQueue queue, QueueOffset at) {
  Result<std::vector<ConsumeQueueUnit>> units =
      co_await parts_.store.units(worker_, queue.topic, queue.queue_id, at, 1);
  if (!units || units->empty()) co_return 0;
  Result<std::optional<StoredMessage>> message =
      co_await parts_.store.stored_at(worker_, units->front().physical);
  const bool found = message && message->has_value();
  co_return found ? (*message)->view.store_ms : 0;
}

}  // namespace drydock
