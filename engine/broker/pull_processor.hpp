// One PULL_MESSAGE from its header to its response (storage reference, 3.6 and 3.7).
//
// Order of the checks: a slave that may not be read (before the queue) → queue full → header →
// topic exists and may be read → queue id → which messages are wanted, by the request or by what
// the group subscribes to → too much cold data. A worker of the pull pool is held from the queue to
// the answer. A pull that finds nothing may wait for a message; it then holds neither a worker nor
// a place among the requests in progress.
#pragma once

#include <memory>

#include "engine/broker/cold_pulls.hpp"
#include "engine/broker/configuration.hpp"
#include "engine/broker/consumer_groups.hpp"
#include "engine/broker/held_pulls.hpp"
#include "engine/broker/offsets_of_broker.hpp"
#include "engine/broker/pull_answer.hpp"
#include "engine/broker/subscription_groups.hpp"
#include "engine/broker/topics.hpp"
#include "engine/broker/traffic.hpp"
#include "engine/broker/worker_pool.hpp"
#include "engine/wire/pull_message.hpp"

namespace drydock {

class PullProcessor {
 public:
  // What is configured of the broker's topics and groups.
  struct Configured {
    const Topics& topics;
    const SubscriptionGroups& groups;
  };

  // `consumers`: who has told what it subscribes to.
  PullProcessor(Context& context, const BrokerConfiguration& configuration, MessageStore& store,
                Configured configured, OffsetsOfBroker offsets, const ConsumerGroups& consumers,
                HeldPulls::Waker& waker, Traffic& traffic);

  // Answers the request on `connection`, or holds it. `slot` is given back then.
  Task<void> process(std::shared_ptr<ServerConnection> connection, RemotingCommand request,
                     Semaphore::Permit slot);
  // Answers a pull that was held; it is not held again.
  Task<void> go_on(HeldPull pull);

  HeldPulls& held() { return held_; }
  ColdPulls& cold() { return cold_; }
  WorkerPool& workers() { return workers_; }

 private:
  enum class IfNothing : std::uint8_t { hold, answer };
  struct Refusal {
    ResponseCode code = ResponseCode::success;
    std::string remark;
    bool refused() const { return code != ResponseCode::success; }
  };

  Refusal check(const PullMessageHeader& header) const;
  // Which tags are wanted.
  Refusal find_tags(const PullMessageHeader& header, std::vector<std::int32_t>& tags) const;
  // Whether the group has read enough of what is cold, and now wants more of it.
  Task<bool> wants_too_much(Worker& worker, const PullRequest& pull);
  // Answers, unless there is nothing and `if_nothing` says to hold: then true.
  Task<bool> look_up(Worker& worker, ServerConnection& connection, const PullRequest& pull,
                     IfNothing if_nothing);
  void commit_offset(const PullMessageHeader& header);
  PullBroker this_broker() const;
  PullGroup group_of(std::string_view name) const;
  static PullRequest to_request(const CommandHead& head, const PullMessageHeader& header,
                                std::vector<std::int32_t> tag_codes);

  Context& context_;
  const BrokerConfiguration& configuration_;
  MessageStore& store_;
  Configured configured_;
  OffsetsOfBroker offsets_;
  const ConsumerGroups& consumers_;
  Traffic& traffic_;
  HeldPulls held_;
  ColdPulls cold_;
  WorkerPool workers_;
};

}  // namespace drydock
