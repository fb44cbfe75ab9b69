// The master's side of the classic replication.
//
// Each slave's connection has two tasks, as RocketMQ's has two threads: one reads reports, one
// ships. A third one answers the puts that wait for copies, strictly one after another: one that
// can't be satisfied holds those behind it up to its deadline (HA reference, 1.7).
#pragma once

#include <memory>
#include <set>
#include <vector>

#include "engine/replication/ha_configuration.hpp"
#include "engine/replication/replica_request.hpp"
#include "engine/store/message_store.hpp"

namespace drydock {

class HaMaster {
 public:
  // `configuration.listen_port` > 0.
  HaMaster(Context& context, HaConfiguration configuration, MessageStore& store);
  ~HaMaster();

  // Listens and spawns its tasks in a scope of its own. Error: busy.
  Result<void> start();
  // Cancels its tasks and waits for them. Slaves see their connections end.
  Task<void> stop();

  // The request must be in no list; its `answered` event will be set.
  void submit(ReplicaRequest& request);

  // Slaves that are connected.
  std::size_t slaves() const { return links_.size(); }

 private:
  class Link;

  Task<void> accept_slaves(std::unique_ptr<Listener> listener);
  Task<void> serve(std::unique_ptr<Stream> stream);
  Task<void> answer_requests();
  Task<bool> settle();
  std::int32_t copies_up_to(PhysicalOffset end) const;

  Context& context_;
  HaConfiguration configuration_;
  MessageStore& store_;
  std::vector<Link*> links_;  // In the order in which they connected.
  int links_made_ = 0;
  std::set<std::int64_t> strayed_;  // Addresses of slaves that have reported more than there is.
  IntrusiveList requests_;
  Event asked_;         // A request has come.
  Event acknowledged_;  // A slave has reported.
  TaskScope scope_;
};

}  // namespace drydock
