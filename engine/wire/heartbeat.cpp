#include "engine/wire/heartbeat.hpp"

#include <nlohmann/json.hpp>

#include "engine/wire/json_text.hpp"
#include "engine/wire/remoting_command.hpp"

namespace drydock {

SharedBytes encode_producer_heartbeat(std::string_view client_id, std::string_view group) {
  JsonWriter writer;
  writer.begin_object();
  writer.key("clientID").text(client_id);
  writer.key("consumerDataSet").begin_array().end_array();
  writer.key("heartbeatFingerprint").number(0);
  writer.key("producerDataSet").begin_array();
  writer.begin_object().key("groupName").text(group).end_object();
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
