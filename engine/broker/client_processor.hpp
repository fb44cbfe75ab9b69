// What clients tell of themselves, and ask of one another: HEART_BEAT, UNREGISTER_CLIENT,
// GET_CONSUMER_LIST_BY_GROUP, LOCK_BATCH_MQ, UNLOCK_BATCH_MQ (storage reference, 12.4 and 12.7).
//
// A heartbeat of a consumer makes the topic %RETRY%group, if it is not there: a client subscribes
// to it beside its own. When a member comes or goes, or a group subscribes to other topics, each
// member is told, with NOTIFY_CONSUMER_IDS_CHANGED, so that all share the queues anew.
#pragma once

#include <map>
#include <memory>

#include "engine/broker/configuration.hpp"
#include "engine/broker/consumer_groups.hpp"
#include "engine/broker/producer_groups.hpp"
#include "engine/broker/queue_locks.hpp"
#include "engine/broker/subscription_groups.hpp"
#include "engine/broker/topics_of_broker.hpp"
#include "engine/wire/consumer_group.hpp"
#include "engine/wire/remoting_frame.hpp"
#include "engine/wire/server_connection.hpp"

namespace drydock {

class ClientProcessor {
 public:
  ClientProcessor(Context& context, const BrokerConfiguration& configuration, TopicsOfBroker topics,
                  SubscriptionGroups& groups, ConfigFile& groups_file);

  // Those that need no wait: all but a heartbeat.
  static bool answers(const RemotingCommand& request);
  SharedBytes answer(const ServerConnection& connection, const RemotingCommand& request);
  // Answers a heartbeat, unless it is one-way, once the topics that it makes are in their file.
  // `slot` is given back at the end.
  Task<void> heartbeat(std::shared_ptr<ServerConnection> connection, RemotingCommand request,
                       Semaphore::Permit slot);
  // It was told by a client whose connection has ended.
  void connection_ended(const ServerConnection& connection);
  // Lets go of clients that have become silent, until cancelled.
  Task<void> run();

  const ConsumerGroups& consumers() const { return consumers_; }
  const QueueLocks& locks() const { return locks_; }
  // Sends a request that nobody waits for to a producer of the group: `body` with `fields`. False:
  // there is none.
  template <class Fields>
  bool ask_producer(std::string_view group, RequestCode code, const Fields& fields,
                    std::span<const std::byte> body);

 private:
  struct Client {
    std::shared_ptr<ServerConnection> connection;
    SerializeType serialize_type = SerializeType::json;  // As it wrote its last heartbeat.
  };

  SharedBytes unregister(const ServerConnection& connection, const RemotingCommand& request);
  SharedBytes members(const RemotingCommand& request) const;
  SharedBytes lock(const RemotingCommand& request);
  SharedBytes unlock(const RemotingCommand& request);
  Task<void> save();
  // True if a group has changed.
  bool take(const Heartbeat& heartbeat, std::uint64_t connection);
  void make_retry_topic(std::string_view group, const SubscriptionGroup& configured);
  void tell_members(const std::string& group);
  void tell_members(const std::vector<std::string>& groups);
  CommandHead one_way_head(const Client& client, RequestCode code);
  std::optional<MonotonicTime> next_expiry() const;

  Context& context_;
  const BrokerConfiguration& configuration_;
  TopicsOfBroker topics_;
  SubscriptionGroups& groups_;
  ConfigFile& groups_file_;
  Worker& worker_;
  ConsumerGroups consumers_;
  ProducerGroups producers_;
  QueueLocks locks_;
  std::map<std::uint64_t, Client> clients_;  // By connection: those that sent a heartbeat.
  Event somebody_came_;
  Mutex saving_;
  std::int32_t opaque_ = 0;
};

template <class Fields>
bool ClientProcessor::ask_producer(std::string_view group, RequestCode code, const Fields& fields,
                                   std::span<const std::byte> body) {
  const std::optional<std::uint64_t> connection = producers_.pick(group);
  if (!connection) return false;
  const Client& client = clients_.at(*connection);
  client.connection->respond(encode_command(one_way_head(client, code), fields, {}, body));
  return true;
}

}  // namespace drydock
