// Keeps the routes of a client's topics fresh, and its brokers told that it is there (HA reference,
// 6.1).
//
// One task does it all, as RocketMQ's one scheduler thread does: routes after 10 ms and then every
// 30 s, heartbeats after 1 s and then every 30 s, a producer's to the masters, a consumer's to
// slaves, too, one request after the other. So a broker that does not answer delays the refresh of
// the routes. A refresh that fails, or that finds the topic unknown, keeps the old route.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "engine/client/broker_connections.hpp"
#include "engine/client/name_server_client.hpp"
#include "engine/client/route_cache.hpp"
#include "engine/wire/heartbeat.hpp"

namespace drydock {

struct RouteOptions {
  std::vector<Endpoint> name_servers;  // Not empty.
  HeartbeatGroups groups;              // Its topics are those that are wanted.
  // How many queues of TBW102 stand for a topic that does not exist yet.
  std::int32_t default_topic_queue_nums = 4;
  Duration poll_interval = Duration::s(30);       // pollNameServerInterval
  Duration heartbeat_interval = Duration::s(30);  // heartbeatBrokerInterval
  Duration request_timeout = Duration::s(3);      // mqClientApiTimeout
};

class Routes {
 public:
  Routes(Context& context, RouteOptions options, BrokerConnections& brokers);

  // Begins with the refreshes and heartbeats.
  void start() { tasks_.spawn(maintain()); }
  Task<void> close();

  // The queues of a topic. Without any, its route is asked for; if the topic is unknown, that of
  // TBW102 stands for it until it is known. Not null.
  Task<std::shared_ptr<const MessageQueues>> find(std::string topic);
  // The queues of a topic that can be read. Without any, its route is asked for. Not null.
  Task<std::shared_ptr<const MessageQueues>> find_readable(std::string topic, Deadline deadline);
  // What is known of them now.
  std::shared_ptr<const MessageQueues> readable(std::string_view topic) const {
    return cache_.readable(topic);
  }
  // Asks for the route of a topic, also if it is known.
  Task<void> refresh(std::string topic, Deadline deadline = kNever);
  std::optional<Endpoint> master_of(std::string_view broker_name) const {
    return cache_.master_of(broker_name);
  }
  std::optional<Endpoint> broker_of(std::string_view broker_name, std::int64_t id) const {
    return cache_.broker_of(broker_name, id);
  }

 private:
  enum class Source : std::uint8_t { topic, model };

  Task<void> maintain();
  Task<void> refresh_all();
  Task<void> send_heartbeats();
  Task<void> fetch(std::string topic, Source source, Deadline deadline = kNever);
  Deadline request_deadline() const { return context_.clock.now() + options_.request_timeout; }
  SharedBytes heartbeat_frame() const;

  Context& context_;
  RouteOptions options_;
  BrokerConnections& brokers_;
  NameServerClient name_servers_;
  RouteCache cache_;
  Mutex asking_;     // One route at a time.
  TaskScope tasks_;  // Last: its tasks use all of the above.
};

}  // namespace drydock
