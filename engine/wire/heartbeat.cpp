#include "engine/wire/heartbeat.hpp"

#include <nlohmann/json.hpp>

#include "engine/wire/json_text.hpp"
#include "engine/wire/remoting_command.hpp"

namespace drydock {

namespace {

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

bool is_heartbeat(std::span<const std::byte> body) {
  const std::optional<nlohmann::json> root = read_json(as_text(body));
  return root && !text_member(*root, "clientID").empty();
}

}  // namespace drydock
