// Where the queues of a topic can be read: at one given broker, or wherever name servers say.
#pragma once

#include <memory>

#include "engine/client/queue_client.hpp"
#include "engine/client/routes.hpp"

namespace drydock {

class QueueSource {
 public:
  // One broker. Its queues have no broker name.
  QueueSource(BrokerConnections& brokers, Endpoint broker);
  // `options.groups` for heartbeats, which go to every broker of a topic.
  QueueSource(Context& context, BrokerConnections& brokers, RouteOptions options);

  // The queues that can be read, by broker and number. Errors: not_found if nobody knows the topic,
  // or no name server answers; with one broker, what QueueClient gives.
  Task<Result<MessageQueues>> queues_of(std::string topic, Deadline deadline);
  // The latest that is known of them, without asking anybody; with one broker: none.
  MessageQueues known_queues(std::string_view topic) const;

  // The broker of a group with the id that was suggested, else with the next id, else any one, as
  // RocketMQ's consumers look for it; none if the group is in no route. With one broker: that one.
  std::optional<Endpoint> broker_of(const MessageQueue& queue, std::int64_t suggested_id) const;
  // The master of the group, none if it is in no route. With one broker: that one.
  std::optional<Endpoint> master_of(const MessageQueue& queue) const;
  // Asks for the topic's route again.
  Task<void> refresh(std::string topic);

  Task<void> close();

 private:
  QueueClient client_;
  Endpoint broker_;
  std::unique_ptr<Routes> routes_;  // Null with one broker.
};

}  // namespace drydock
