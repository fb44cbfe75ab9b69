// HEART_BEAT (34): which groups a client has (storage reference, 12.7). Pure.
//
// RocketMQ has a second form of it, with a fingerprint: while what a client subscribes to stays the
// same, its heartbeats leave the subscriptions out (`withoutSub`).
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "engine/types/bytes.hpp"

namespace drydock {

// What a client is: a producer, a consumer, or both.
struct HeartbeatGroups {
  std::string producer_group;       // Empty: it is none.
  std::string consumer_group;       // Empty: it is none.
  std::vector<std::string> topics;  // Of which the consumer wants every message.
};

// {"clientID":"10.0.0.1@4","consumerDataSet":[],…}
SharedBytes encode_heartbeat(std::string_view client_id, const HeartbeatGroups& groups);

// What a consumer wants of a topic.
struct Subscription {
  std::string topic;
  std::int64_t version = 0;             // Milliseconds; a later one is a newer one.
  std::string expression_type;          // Empty or "TAG": the rest says which tags.
  std::vector<std::int32_t> tag_codes;  // As parse_tag_expression gives them.
  friend bool operator==(const Subscription&, const Subscription&) = default;
};

// CONSUME_ACTIVELY: it pulls when it likes. CONSUME_PASSIVELY: its client pushes to it.
enum class ConsumeType : std::uint8_t { actively, passively };
enum class MessageModel : std::uint8_t { clustering, broadcasting };

struct ConsumerData {
  std::string group;
  MessageModel model = MessageModel::clustering;
  ConsumeType type = ConsumeType::passively;
  std::vector<Subscription> subscriptions;
};

struct Heartbeat {
  std::string client_id;
  std::vector<std::string> producer_groups;
  std::vector<ConsumerData> consumers;
  // The subscriptions are those of the heartbeat before, and not told.
  bool without_subscriptions = false;
};

// Beyond these a heartbeat is refused. RocketMQ knows no bound.
inline constexpr std::size_t kHeartbeatGroupsMax = 1000;  // Producers and consumers, each.
inline constexpr std::size_t kHeartbeatSubscriptionsMax = 10'000;
inline constexpr std::size_t kHeartbeatTagsMax = 100'000;

// None if it is no JSON object with a client's id, a group has no name or one of more than 255
// bytes, a subscription names no topic or tags that can't be read, or there are too many of them.
std::optional<Heartbeat> decode_heartbeat(std::span<const std::byte> body);

}  // namespace drydock
