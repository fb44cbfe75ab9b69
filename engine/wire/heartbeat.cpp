#include "engine/wire/heartbeat.hpp"

#include <algorithm>
#include <nlohmann/json.hpp>

#include "engine/wire/json_text.hpp"
#include "engine/wire/remoting_command.hpp"
#include "engine/wire/tag_expression.hpp"

namespace drydock {

namespace {

using Json = nlohmann::json;

void write_subscription(JsonWriter& writer, const std::string& topic) {
  writer.begin_object();
  writer.key("classFilterMode").boolean(false);
  writer.key("codeSet").begin_array().end_array();
  writer.key("expressionType").text("TAG");
  writer.key("subString").text("*");
  writer.key("subVersion").number(0);
  writer.key("tagsSet").begin_array().end_array();
  writer.key("topic").text(topic);
  writer.end_object();
}

void write_consumer(JsonWriter& writer, const HeartbeatGroups& groups) {
  writer.begin_object();
  writer.key("consumeFromWhere").text("CONSUME_FROM_FIRST_OFFSET");
  writer.key("consumeType").text("CONSUME_ACTIVELY");
  writer.key("groupName").text(groups.consumer_group);
  writer.key("messageModel").text("CLUSTERING");
  writer.key("subscriptionDataSet").begin_array();
  for (const std::string& topic : groups.topics) write_subscription(writer, topic);
  writer.end_array();
  writer.key("unitMode").boolean(false);
  writer.end_object();
}

// How much more one heartbeat may hold.
struct Room {
  std::size_t subscriptions = kHeartbeatSubscriptionsMax;
  std::size_t tags = kHeartbeatTagsMax;
};

bool name_allowed(const std::string& name) {
  return !name.empty() && name.size() <= kWireNameBytesMax;
}

// The hashes that a client told beside the text, which are what RocketMQ's broker compares; without
// any the text itself.
std::optional<std::vector<std::int32_t>> read_tags(const Json& json) {
  const std::string text = text_member(json, "subString");
  const Json* const codes = array_member(json, "codeSet");
  if (text.empty() || text == "*" || codes == nullptr || codes->empty()) {
    return parse_tag_expression(text);
  }
  std::vector<std::int32_t> tags;
  for (const Json& code : *codes) {
    if (!code.is_number_integer()) return std::nullopt;
    tags.push_back(static_cast<std::int32_t>(code.get<std::int64_t>()));
  }
  std::ranges::sort(tags);
  const auto repeated = std::ranges::unique(tags);
  tags.erase(repeated.begin(), repeated.end());
  return tags;
}

std::optional<Subscription> read_subscription(const Json& json, Room& room) {
  Subscription subscription;
  subscription.topic = text_member(json, "topic");
  subscription.version = integer_member(json, "subVersion", 0);
  subscription.expression_type = text_member(json, "expressionType");
  if (!name_allowed(subscription.topic)) return std::nullopt;
  if (subscription.expression_type.size() > kWireNameBytesMax) return std::nullopt;
  const bool of_tags =
      subscription.expression_type.empty() || subscription.expression_type == "TAG";
  if (of_tags) {
    std::optional<std::vector<std::int32_t>> tags = read_tags(json);
    if (!tags || tags->size() > room.tags) return std::nullopt;
    room.tags -= tags->size();
    subscription.tag_codes = std::move(*tags);
  }
  return subscription;
}

std::optional<ConsumerData> read_consumer(const Json& json, Room& room) {
  ConsumerData consumer;
  consumer.group = text_member(json, "groupName");
  if (!name_allowed(consumer.group)) return std::nullopt;
  const bool broadcasting = text_member(json, "messageModel") == "BROADCASTING";
  consumer.model = broadcasting ? MessageModel::broadcasting : MessageModel::clustering;
  const bool actively = text_member(json, "consumeType") == "CONSUME_ACTIVELY";
  consumer.type = actively ? ConsumeType::actively : ConsumeType::passively;
  const Json* const subscriptions = array_member(json, "subscriptionDataSet");
  if (subscriptions == nullptr) return consumer;
  if (subscriptions->size() > room.subscriptions) return std::nullopt;
  room.subscriptions -= subscriptions->size();
  for (const Json& one : *subscriptions) {
    std::optional<Subscription> subscription = read_subscription(one, room);
    if (!subscription) return std::nullopt;
    consumer.subscriptions.push_back(std::move(*subscription));
  }
  return consumer;
}

}  // namespace

SharedBytes encode_heartbeat(std::string_view client_id, const HeartbeatGroups& groups) {
  JsonWriter writer;
  writer.begin_object();
  writer.key("clientID").text(client_id);
  writer.key("consumerDataSet").begin_array();
  if (!groups.consumer_group.empty()) write_consumer(writer, groups);
  writer.end_array();
  writer.key("heartbeatFingerprint").number(0);
  writer.key("producerDataSet").begin_array();
  if (!groups.producer_group.empty()) {
    writer.begin_object().key("groupName").text(groups.producer_group).end_object();
  }
  writer.end_array();
  writer.key("withoutSub").boolean(false);
  writer.end_object();
  return SharedBytes::copy_of(writer.view());
}

std::optional<Heartbeat> decode_heartbeat(std::span<const std::byte> body) {
  const std::optional<Json> root = read_json(as_text(body));
  if (!root) return std::nullopt;
  Heartbeat heartbeat;
  heartbeat.client_id = text_member(*root, "clientID");
  if (!name_allowed(heartbeat.client_id)) return std::nullopt;
  heartbeat.without_subscriptions = bool_member(*root, "withoutSub", false);
  Room room;
  if (const Json* const producers = array_member(*root, "producerDataSet")) {
    if (producers->size() > kHeartbeatGroupsMax) return std::nullopt;
    for (const Json& producer : *producers) {
      std::string group = text_member(producer, "groupName");
      if (!name_allowed(group)) return std::nullopt;
      heartbeat.producer_groups.push_back(std::move(group));
    }
  }
  if (const Json* const consumers = array_member(*root, "consumerDataSet")) {
    if (consumers->size() > kHeartbeatGroupsMax) return std::nullopt;
    for (const Json& json : *consumers) {
      std::optional<ConsumerData> consumer = read_consumer(json, room);
      if (!consumer) return std::nullopt;
      heartbeat.consumers.push_back(std::move(*consumer));
    }
  }
  return heartbeat;
}

}  // namespace drydock
