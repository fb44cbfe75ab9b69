#include "engine/client/routes.hpp"

#include <algorithm>

#include "engine/client/client_id.hpp"
#include "engine/runtime/join.hpp"

namespace drydock {

namespace {

constexpr std::string_view kModelTopic = "TBW102";
constexpr Duration kFirstPoll = Duration::ms(10);
constexpr Duration kFirstHeartbeat = Duration::s(1);

}  // namespace

Routes::Routes(Context& context, RouteOptions options, BrokerConnections& brokers)
    : context_(context),
      options_(std::move(options)),
      brokers_(brokers),
      name_servers_(context, options_.name_servers,
                    context.random.stream("name-server-choice").below(1 << 30)),
      tasks_(context.scope) {}

Task<void> Routes::close() {
  tasks_.cancel();
  co_await tasks_.join();
  co_await name_servers_.close();
}

Task<std::shared_ptr<const MessageQueues>> Routes::find(std::string topic) {
  std::shared_ptr<const MessageQueues> queues = cache_.queues(topic);
  if (!queues->empty()) co_return queues;
  cache_.want(topic);
  Result<Mutex::Permit> turn = co_await asking_.lock(request_deadline());
  queues = cache_.queues(topic);  // Somebody before us may have asked.
  if (!turn || !queues->empty()) co_return queues;
  co_await fetch(topic, Source::topic);
  if (!cache_.has_route(topic)) co_await fetch(topic, Source::model);
  co_return cache_.queues(topic);
}

Task<std::shared_ptr<const MessageQueues>> Routes::find_readable(std::string topic,
                                                                 Deadline deadline) {
  std::shared_ptr<const MessageQueues> queues = cache_.readable(topic);
  if (!queues->empty()) co_return queues;
  cache_.want(topic);
  co_await refresh(topic, deadline);
  co_return cache_.readable(topic);
}

Task<void> Routes::refresh(std::string topic, Deadline deadline) {
  Result<Mutex::Permit> turn = co_await asking_.lock(std::min(deadline, request_deadline()));
  if (turn) co_await fetch(topic, Source::topic, deadline);
}

Task<void> Routes::fetch(std::string topic, Source source, Deadline deadline) {
  const std::string asked = source == Source::model ? std::string(kModelTopic) : topic;
  Result<TopicRoute> route =
      co_await name_servers_.route_of(asked, std::min(deadline, request_deadline()));
  if (!route) co_return;
  if (source == Source::model) {
    *route = route_by_model(std::move(*route), options_.default_topic_queue_nums);
  }
  const bool too_many = has_too_many_queues(*route);
  if (!cache_.update(topic, std::move(*route))) co_return;
  if (too_many) {
    context_.observer.log(LogLevel::warning, "topic " + topic + " has too many queues: only " +
                                                 std::to_string(kRouteQueuesMax) + " are used");
  }
  context_.observer.event(EventName::client_route_changed,
                          static_cast<std::int64_t>(cache_.queues(topic)->size()));
}

Task<void> Routes::maintain() {
  MonotonicTime poll = context_.clock.now() + kFirstPoll;
  MonotonicTime beat = context_.clock.now() + kFirstHeartbeat;
  for (;;) {
    const bool polls = poll <= beat;
    Result<void> slept = co_await sleep_until(std::min(poll, beat));
    if (!slept) co_return;
    if (polls) {
      poll = poll + options_.poll_interval;  // A late round does not move the later ones.
      co_await refresh_all();
    } else {
      beat = beat + options_.heartbeat_interval;
      cache_.forget_unrouted();
      co_await send_heartbeats();
    }
  }
}

Task<void> Routes::refresh_all() {
  const std::vector<std::string> topics = cache_.topics();
  for (const std::string& topic : topics) co_await refresh(topic);
}

Task<void> Routes::send_heartbeats() {
  const bool consumes = !options_.groups.consumer_group.empty();
  const std::vector<Endpoint> brokers = consumes ? cache_.brokers() : cache_.masters();
  for (const Endpoint broker : brokers) {
    RequestConnection& connection = brokers_.to(broker);
    Result<RemotingCommand> answer = co_await connection.ask(heartbeat_frame(), request_deadline());
    const bool silent = !answer && answer.error().code() == ErrorCode::timed_out;
    if (silent) connection.disconnect();
  }
}

SharedBytes Routes::heartbeat_frame() const {
  HeartbeatGroups groups = options_.groups;
  groups.topics = cache_.topics();
  const SharedBytes body = encode_heartbeat(client_id_of(context_), groups);
  const CommandHead head = request_head(RequestCode::heart_beat, 0);
  return encode_command(head, NoFields(), {}, body.span());
}

}  // namespace drydock
