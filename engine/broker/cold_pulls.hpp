// Pulls of cold messages by groups that have read enough of them (cold_reads): RocketMQ's
// ColdDataPullRequestHoldService. A group that is pushed to, as its clients call it, is refused and
// pulls again later; a pull of one that pulls by itself is held for at least 3 s, and then gets one
// message. Held pulls are looked at every 5 s, at the end of a period.
//
// With coldDataFlowControlEnable off nothing is counted and no timer is armed. When too many are
// held RocketMQ never answers the next one; here it gets its one message at once.
#pragma once

#include <vector>

#include "engine/broker/cold_reads.hpp"
#include "engine/broker/held_pulls.hpp"

namespace drydock {

class ColdPulls {
 public:
  // All of them outlive it.
  ColdPulls(Context& context, const BrokerConfiguration& configuration, HeldPulls::Waker& waker);

  // Whether what this group reads of cold data counts.
  bool counts(std::string_view group) const { return enabled_ && !ColdReads::is_exempt(group); }
  // A lookup of that group returned so much of it.
  void read(std::string_view group, std::int64_t bytes) {
    if (enabled_) reads_.add(group, bytes, context_.clock.wall_now().count_ms());
  }
  bool had_enough(std::string_view group) const { return enabled_ && reads_.had_enough(group); }
  void hold(std::shared_ptr<ServerConnection> connection, PullRequest pull);

  // Drops the pulls of a connection that has ended.
  void connection_ended(const ServerConnection& connection);
  // The ends of the periods, until cancelled.
  Task<void> run();

 private:
  static constexpr std::size_t kHeldMax = 10'000;

  void let_go();

  Context& context_;
  HeldPulls::Waker& waker_;
  bool enabled_;
  ColdReads reads_;
  std::vector<HeldPull> held_;  // In the order in which they came.
};

}  // namespace drydock
