// Which consumers are there, by what their heartbeats say: the members of each group, and what the
// group subscribes to. Pure.
//
// A member is a connection. It leaves when its connection ends, when its client says so, or when no
// heartbeat has come over it for 120 s (channelExpiredTimeout), which is looked at every 10 s. A
// group lasts as long as it has members. Its subscriptions are those of its last heartbeat, whoever
// sent it: members of one group that differ replace each other's.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "engine/types/time.hpp"
#include "engine/wire/heartbeat.hpp"

namespace drydock {

inline constexpr Duration kClientExpiry = Duration::s(120);

class ConsumerGroups {
 public:
  static constexpr std::size_t kMembersMax = 100'000;  // Over all groups; RocketMQ has no bound.

  struct Member {
    std::uint64_t connection = 0;  // ServerConnection::id.
    std::string client_id;
    MonotonicTime last_seen;
  };

  // A heartbeat has come. True: the group has changed in a way of which its members are to be told.
  // One member too many is not taken.
  bool enter(const ConsumerData& consumer, const Member& member, bool without_subscriptions);
  // The same if a member leaves; false also if there is no such member.
  bool leave(std::string_view group, std::uint64_t connection);
  // A connection has ended. The groups whose members are to be told.
  std::vector<std::string> drop(std::uint64_t connection);
  // The members that were silent for too long leave. The groups whose members are to be told.
  std::vector<std::string> expire(MonotonicTime now);
  // When somebody leaves unless another heartbeat comes; none without members.
  std::optional<MonotonicTime> next_expiry() const;

  // In the order in which their connections were accepted; empty if there is no such group.
  std::vector<std::string> client_ids(std::string_view group) const;
  std::vector<std::uint64_t> connections(std::string_view group) const;
  bool exists(std::string_view group) const { return groups_.contains(group); }
  // As its last heartbeat said; of a group that sent none: passively.
  ConsumeType type(std::string_view group) const {
    const auto known = groups_.find(group);
    return known == groups_.end() ? ConsumeType::passively : known->second.type;
  }
  // What the group wants of a topic; null: it does not subscribe to it. Until the next change.
  const Subscription* subscription(std::string_view group, std::string_view topic) const;

 private:
  struct Group {
    MessageModel model = MessageModel::clustering;
    ConsumeType type = ConsumeType::passively;
    std::map<std::uint64_t, Member> members;  // By connection.
    std::map<std::string, Subscription, std::less<>> subscriptions;
  };
  using Groups = std::map<std::string, Group, std::less<>>;

  static bool subscribe(Group& group, const std::vector<Subscription>& subscriptions);
  template <class Gone>
  std::vector<std::string> remove(Gone gone);

  Groups groups_;
  std::size_t members_ = 0;
};

}  // namespace drydock
