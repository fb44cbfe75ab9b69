// Which member of a group has a queue for itself alone, so that it can consume in order (RocketMQ's
// RebalanceLockManager). Pure.
//
// A lock lasts for 60 s (rocketmq.broker.rebalance.lockMaxLiveTime) unless it is renewed: clients
// do that every 20 s. It outlives its client's connection.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "engine/types/time.hpp"
#include "engine/wire/consumer_group.hpp"

namespace drydock {

class QueueLocks {
 public:
  static constexpr Duration kLifetime = Duration::s(60);
  static constexpr std::size_t kLocksMax = 1'000'000;  // RocketMQ has no bound.

  // Locks, or goes on locking, the queues that nobody else has. Those that the client has now, in
  // the order in which they were asked for.
  std::vector<LockQueue> lock(const LockBatch& batch, MonotonicTime now);
  // Gives the client's locks back.
  void unlock(const LockBatch& batch);
  // Whether a member of the group has a lock that still counts.
  bool any(std::string_view group, MonotonicTime now) const;

 private:
  struct Lock {
    std::string client_id;
    MonotonicTime renewed;
    bool counts(MonotonicTime now) const { return now - renewed <= kLifetime; }
  };
  using Locks = std::map<LockQueue, Lock>;

  bool has_room(MonotonicTime now);

  std::map<std::string, Locks, std::less<>> groups_;
  std::size_t count_ = 0;
};

}  // namespace drydock
