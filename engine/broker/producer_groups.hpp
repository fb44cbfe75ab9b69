// Which producers are there, by what their heartbeats say: RocketMQ's broker asks one of a group
// what became of a transaction. Pure. A producer leaves as a consumer does (consumer_groups.hpp).
#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>

#include "engine/broker/consumer_groups.hpp"

namespace drydock {

class ProducerGroups {
 public:
  static constexpr std::size_t kMembersMax = 100'000;  // Over all groups; RocketMQ has no bound.

  // A heartbeat has come over `connection`. One member too many is not taken.
  void enter(std::string_view group, std::uint64_t connection, MonotonicTime now);
  void leave(std::string_view group, std::uint64_t connection);
  void drop(std::uint64_t connection);
  void expire(MonotonicTime now);
  std::optional<MonotonicTime> next_expiry() const;

  // The connections of a group take turns, over all groups. None: nobody is there.
  std::optional<std::uint64_t> pick(std::string_view group);

 private:
  using Members = std::map<std::uint64_t, MonotonicTime>;  // When each was seen last.
  template <class Gone>
  void remove(Gone gone);

  std::map<std::string, Members, std::less<>> groups_;
  std::size_t members_ = 0;
  std::uint64_t picked_ = 0;
};

}  // namespace drydock
