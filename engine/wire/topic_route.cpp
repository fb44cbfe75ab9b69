#include "engine/wire/topic_route.hpp"

#include <nlohmann/json.hpp>

#include "engine/wire/register_broker.hpp"

namespace drydock {

namespace {

using Json = nlohmann::json;

void write_broker(JsonWriter& writer, const BrokerData& broker, JsonKeys keys) {
  writer.begin_object();
  writer.key("brokerAddrs").begin_object();
  for (const auto& [id, address] : broker.addresses) writer.key(id, keys).text(address);
  writer.end_object();
  writer.key("brokerName").text(broker.broker_name);
  writer.key("cluster").text(broker.cluster);
  writer.key("enableActingMaster").boolean(broker.enable_acting_master);
  writer.end_object();
}

void write_queues(JsonWriter& writer, const QueueData& queues) {
  writer.begin_object();
  writer.key("brokerName").text(queues.broker_name);
  writer.key("perm").number(queues.permissions);
  writer.key("readQueueNums").number(queues.read_queues);
  writer.key("topicSysFlag").number(queues.topic_sys_flag);
  writer.key("writeQueueNums").number(queues.write_queues);
  writer.end_object();
}

BrokerData read_broker(const Json& object) {
  BrokerData broker;
  broker.broker_name = text_member(object, "brokerName");
  broker.cluster = text_member(object, "cluster");
  broker.enable_acting_master = bool_member(object, "enableActingMaster", false);
  if (const Json* const addresses = object_member(object, "brokerAddrs")) {
    for (const auto& [key, value] : addresses->items()) {
      const auto id = parse_decimal<std::int64_t>(key);
      if (id && value.is_string()) broker.addresses[*id] = value.get<std::string>();
    }
  }
  return broker;
}

std::int32_t queue_number(const Json& object, const char* name) {
  const std::int64_t value = integer_member(object, name, 0);
  return value < 0 || value > kQueuesMax ? 0 : static_cast<std::int32_t>(value);
}

QueueData read_queues(const Json& object) {
  return {.broker_name = text_member(object, "brokerName"),
          .read_queues = queue_number(object, "readQueueNums"),
          .write_queues = queue_number(object, "writeQueueNums"),
          .permissions = queue_number(object, "perm"),
          .topic_sys_flag = queue_number(object, "topicSysFlag")};
}

}  // namespace

HeaderFault decode_get_route_info_header(std::span<const std::byte> ext_fields,
                                         GetRouteInfoHeader& header) {
  ExtFieldReader fields(ext_fields);
  std::string_view key;
  std::string_view value;
  while (fields.next(key, value)) {
    if (key == "topic" && !read_name(value, header.topic)) return {key};
    if (key == "acceptStandardJsonOnly") header.accept_standard_json_only = value == "true";
  }
  if (header.topic.empty()) return {"topic"};
  return {};
}

SharedBytes encode_topic_route(const TopicRoute& route, JsonKeys keys) {
  JsonWriter writer;
  writer.begin_object();
  writer.key("brokerDatas").begin_array();
  for (const BrokerData& broker : route.brokers) write_broker(writer, broker, keys);
  writer.end_array();
  writer.key("filterServerTable").begin_object().end_object();
  writer.key("queueDatas").begin_array();
  for (const QueueData& queues : route.queues) write_queues(writer, queues);
  writer.end_array().end_object();
  return SharedBytes::copy_of(writer.view());
}

std::optional<TopicRoute> decode_topic_route(std::span<const std::byte> body) {
  const std::optional<Json> root = read_json(as_text(body));
  if (!root || !root->is_object()) return std::nullopt;
  TopicRoute route;
  if (const Json* const brokers = array_member(*root, "brokerDatas")) {
    for (const Json& broker : *brokers) route.brokers.push_back(read_broker(broker));
  }
  if (const Json* const queues = array_member(*root, "queueDatas")) {
    for (const Json& queue : *queues) route.queues.push_back(read_queues(queue));
  }
  return route;
}

SharedBytes encode_cluster_info(const ClusterInfo& info) {
  JsonWriter writer;
  writer.begin_object();
  writer.key("brokerAddrTable").begin_object();
  for (const auto& [name, broker] : info.brokers) {
    writer.key(name);
    write_broker(writer, broker, JsonKeys::integers_bare);
  }
  writer.end_object();
  writer.key("clusterAddrTable").begin_object();
  for (const auto& [cluster, names] : info.clusters) {
    writer.key(cluster).begin_array();
    for (const std::string& name : names) writer.text(name);
    writer.end_array();
  }
  writer.end_object().end_object();
  return SharedBytes::copy_of(writer.view());
}

std::optional<ClusterInfo> decode_cluster_info(std::span<const std::byte> body) {
  const std::optional<Json> root = read_json(as_text(body));
  if (!root || !root->is_object()) return std::nullopt;
  ClusterInfo info;
  if (const Json* const brokers = object_member(*root, "brokerAddrTable")) {
    for (const auto& [name, broker] : brokers->items()) info.brokers[name] = read_broker(broker);
  }
  if (const Json* const clusters = object_member(*root, "clusterAddrTable")) {
    for (const auto& [cluster, names] : clusters->items()) {
      std::vector<std::string>& into = info.clusters[cluster];
      if (!names.is_array()) continue;
      for (const Json& name : names) {
        if (name.is_string()) into.push_back(name.get<std::string>());
      }
    }
  }
  return info;
}

}  // namespace drydock
