#include "engine/broker/client_processor.hpp"

#include <algorithm>

#include "engine/runtime/poll_grid.hpp"

namespace drydock {

namespace {

constexpr Duration kScanInterval = Duration::s(10);

SharedBytes refuse(const RemotingCommand& request, std::string_view what) {
  return encode_answer(request.head, ResponseCode::system_error, what);
}

// The answer to a heartbeat.
struct HeartbeatResponse {
  bool changed = true;

  template <class Visit>
  void for_each(Visit visit) const {
    visit("IS_SUPPORT_HEART_BEAT_V2", "true");
    visit("IS_SUB_CHANGE", changed ? "true" : "false");
  }
};

}  // namespace

ClientProcessor::ClientProcessor(Context& context, const BrokerConfiguration& configuration,
                                 TopicsOfBroker topics, SubscriptionGroups& groups,
                                 ConfigFile& groups_file)
    : context_(context),
      configuration_(configuration),
      topics_(topics),
      groups_(groups),
      groups_file_(groups_file),
      worker_(context.workers.add("HeartbeatThread_1")) {}

bool ClientProcessor::answers(const RemotingCommand& request) {
  return request.is(RequestCode::unregister_client) ||
         request.is(RequestCode::get_consumer_list_by_group) ||
         request.is(RequestCode::lock_batch_mq) || request.is(RequestCode::unlock_batch_mq);
}

SharedBytes ClientProcessor::answer(const ServerConnection& connection,
                                    const RemotingCommand& request) {
  if (request.is(RequestCode::unregister_client)) return unregister(connection, request);
  if (request.is(RequestCode::get_consumer_list_by_group)) return members(request);
  return request.is(RequestCode::lock_batch_mq) ? lock(request) : unlock(request);
}

Task<void> ClientProcessor::heartbeat(std::shared_ptr<ServerConnection> connection,
                                      RemotingCommand request,
                                      [[maybe_unused]] Semaphore::Permit slot) {
  if (connection->ended()) co_return;
  const std::optional<Heartbeat> heartbeat = decode_heartbeat(request.body.span());
  if (!heartbeat) {
    if (!request.is_one_way()) connection->respond(refuse(request, "no heartbeat can be read"));
    co_return;
  }
  clients_.insert_or_assign(connection->id(), Client{connection, request.head.serialize_type});
  const HeartbeatResponse fields{take(*heartbeat, connection->id())};
  somebody_came_.set();
  const bool made = groups_file_.untried() || topics_.file.untried();
  if (made) co_await save();
  if (request.is_one_way()) co_return;
  const CommandHead head = response_head(request.head, ResponseCode::success);
  connection->respond(encode_command(head, fields, {}, {}));
}

// One after the other: they have one worker.
Task<void> ClientProcessor::save() {
  Result<Mutex::Permit> turn = co_await saving_.lock();
  if (!turn) co_return;
  if (groups_file_.behind()) co_await groups_file_.save_once(worker_);
  if (topics_.file.behind()) co_await topics_.file.save_once(worker_);
}

bool ClientProcessor::take(const Heartbeat& heartbeat, std::uint64_t connection) {
  const MonotonicTime now = context_.clock.now();
  bool changed = false;
  const std::int64_t now_ms = context_.clock.wall_now().count_ms();
  for (const ConsumerData& consumer : heartbeat.consumers) {
    const SubscriptionGroup* const group = groups_.find_or_create(consumer.group, now_ms);
    if (group == nullptr) continue;  // It may not consume.
    const bool tell = group->notify_changes;
    make_retry_topic(consumer.group, *group);
    const ConsumerGroups::Member member{connection, heartbeat.client_id, now};
    if (!consumers_.enter(consumer, member, heartbeat.without_subscriptions)) continue;
    changed = true;
    if (tell) tell_members(consumer.group);
  }
  for (const std::string& group : heartbeat.producer_groups) {
    producers_.enter(group, connection, now);
  }
  return changed;
}

// A slave's topics are its master's.
void ClientProcessor::make_retry_topic(std::string_view group,
                                       const SubscriptionGroup& configured) {
  if (configuration_.ha.role == BrokerRole::slave) return;
  const std::string topic = retry_topic_of(group);
  topics_.table.find_or_add(topic, configured.retry_queues, context_.clock.wall_now().count_ms());
  if (topics_.table.has_new()) topics_.made.set();
}

SharedBytes ClientProcessor::unregister(const ServerConnection& connection,
                                        const RemotingCommand& request) {
  UnregisterClientHeader header;
  if (!decode_unregister_client_header(request.ext_fields.span(), header).ok()) {
    return refuse(request, "a field of the header is missing or of no use");
  }
  producers_.leave(header.producer_group, connection.id());
  if (consumers_.leave(header.consumer_group, connection.id())) {
    tell_members(std::string(header.consumer_group));
  }
  return encode_answer(request.head, ResponseCode::success);
}

SharedBytes ClientProcessor::members(const RemotingCommand& request) const {
  ConsumerGroupHeader header;
  if (!decode_consumer_group_header(request.ext_fields.span(), header).ok()) {
    return refuse(request, "a field of the header is missing or of no use");
  }
  const std::vector<std::string> ids = consumers_.client_ids(header.consumer_group);
  if (ids.empty()) return refuse(request, "the group has no consumer");
  const SharedBytes body = encode_consumer_list(ids);
  return encode_command(response_head(request.head, ResponseCode::success), NoFields(), {},
                        body.span());
}

SharedBytes ClientProcessor::lock(const RemotingCommand& request) {
  const std::optional<LockBatch> batch = decode_lock_batch(request.body.span());
  if (!batch) return refuse(request, "the body names no queues to lock");
  const SharedBytes body = encode_locked_queues(locks_.lock(*batch, context_.clock.now()));
  return encode_command(response_head(request.head, ResponseCode::success), NoFields(), {},
                        body.span());
}

SharedBytes ClientProcessor::unlock(const RemotingCommand& request) {
  const std::optional<LockBatch> batch = decode_lock_batch(request.body.span());
  if (!batch) return refuse(request, "the body names no queues to unlock");
  locks_.unlock(*batch);
  return encode_answer(request.head, ResponseCode::success);
}

void ClientProcessor::connection_ended(const ServerConnection& connection) {
  if (clients_.erase(connection.id()) == 0) return;
  producers_.drop(connection.id());
  tell_members(consumers_.drop(connection.id()));
}

void ClientProcessor::tell_members(const std::vector<std::string>& groups) {
  for (const std::string& group : groups) tell_members(group);
}

void ClientProcessor::tell_members(const std::string& group) {
  const ConsumerGroupHeader fields{group};
  for (const std::uint64_t connection : consumers_.connections(group)) {
    const Client& client = clients_.at(connection);
    const CommandHead head = one_way_head(client, RequestCode::notify_consumer_ids_changed);
    client.connection->respond(encode_command(head, fields, {}, {}));
  }
}

CommandHead ClientProcessor::one_way_head(const Client& client, RequestCode code) {
  CommandHead head = request_head(code, opaque_++);
  if (opaque_ < 0) opaque_ = 0;
  head.flag = kFlagOneWay;
  head.serialize_type = client.serialize_type;
  return head;
}

std::optional<MonotonicTime> ClientProcessor::next_expiry() const {
  const std::optional<MonotonicTime> consumer = consumers_.next_expiry();
  const std::optional<MonotonicTime> producer = producers_.next_expiry();
  if (!consumer || !producer) return consumer ? consumer : producer;
  return std::min(*consumer, *producer);
}

// A look at which nobody can be late is left out.
Task<void> ClientProcessor::run() {
  const PollGrid grid(context_.clock, context_.clock.now(), kScanInterval);
  for (;;) {
    somebody_came_.reset();
    const std::optional<MonotonicTime> expiry = next_expiry();
    if (!expiry) {
      Result<void> woken = co_await somebody_came_.wait();
      if (!woken) co_return;
      continue;
    }
    Result<void> slept = co_await sleep_until(grid.next_after(*expiry));
    if (!slept) co_return;
    const MonotonicTime now = context_.clock.now();
    producers_.expire(now);
    tell_members(consumers_.expire(now));
  }
}

}  // namespace drydock
