// A broker's presence at its name servers (HA reference, 5.2 and 5.3).
//
// It registers with all of them at start, 10 s later, and then every registerNameServerPeriod, each
// time with all topics; a topic that was made is told at once, alone. Name servers are asked in
// parallel and forgotten after registerBrokerTimeoutMills. One that is silent delays nothing at the
// others, but for what registration.waits-for-files says: a round of all topics is a job of the
// broker's scheduled thread, and with one thread it has that until all have answered or the time is
// up. One that has lost its memory, or was away, knows
// the broker again with the next registration of all topics: a single topic is refused from a
// broker that it does not know.
//
// Of each round the first answer says who a slave's master is. One that comes later, or belongs to
// an earlier round, may be that of a name server with an old view.
#pragma once

#include <memory>
#include <vector>

#include "engine/broker/configuration.hpp"
#include "engine/broker/scheduled_jobs.hpp"
#include "engine/broker/slave_metadata.hpp"
#include "engine/broker/topics_of_broker.hpp"
#include "engine/replication/ha_slave.hpp"
#include "engine/wire/request_connection.hpp"

namespace drydock {

class Registration {
 public:
  // Those of a slave who are told where its master is, as the name servers' answers say: for the
  // log, unless haMasterAddress says so, and for the rest. Both null on a master.
  struct Followers {
    HaSlave* log = nullptr;
    SlaveMetadata* metadata = nullptr;
  };

  // `address` is where clients find the broker.
  Registration(Context& context, const BrokerConfiguration& configuration, Endpoint address,
               TopicsOfBroker topics, Followers followers, ScheduledJobs& jobs);

  void start();
  // Orderly: unregisters with one name server after the other, 3 s each at most. Without a start
  // before it tells nobody: who has our address may be another process, which has the port.
  Task<void> stop();

 private:
  // All name servers at the same time.
  struct Round {
    std::uint64_t number = 0;
    std::size_t open = 0;  // So many have neither answered nor been given up.
    Event over;
  };
  // One name server in one round.
  struct Telling {
    std::shared_ptr<Round> round;
    std::size_t name_server = 0;
  };
  // Tells everything again and again.
  Task<void> repeat();
  // Tells of topics that were made, as soon as they are.
  Task<void> follow_new_topics();
  std::shared_ptr<Round> tell_everyone(const RegisterBrokerBody& body);
  Task<void> tell_one(Telling which, SharedBytes frame, Deadline deadline);
  void take_answer(const Telling& which, const RemotingCommand& answer);
  SharedBytes register_frame(const RegisterBrokerBody& body) const;
  SharedBytes unregister_frame() const;
  BrokerIdentity identity() const;

  Context& context_;
  const BrokerConfiguration& configuration_;
  TopicsOfBroker topics_;
  Followers followers_;
  ScheduledJobs& jobs_;
  std::string address_;
  std::string ha_address_;
  std::vector<std::unique_ptr<RequestConnection>> name_servers_;
  std::uint64_t rounds_ = 0;          // So many have begun.
  std::uint64_t answered_round_ = 0;  // The latest of which there is an answer.
  bool started_ = false;
  TaskScope tasks_;  // Last: its tasks use all of the above.
};

}  // namespace drydock
