// GET_ROUTEINFO_BY_TOPIC (105) and GET_BROKER_CLUSTER_INFO (106): what a name server tells clients
// (storage reference, 12.7). Pure.
//
//   {"brokerDatas":[{"brokerAddrs":{0:"10.0.0.2:10911"},"brokerName":"b","cluster":"c",
//     "enableActingMaster":false}],
//    "filterServerTable":{},
//    "queueDatas":[{"brokerName":"b","perm":6,"readQueueNums":8,"topicSysFlag":0,
//     "writeQueueNums":8}]}
//
// Keys of brokerAddrs are quoted for clients from 4.9.4 on and for those that ask for it.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "engine/types/bytes.hpp"
#include "engine/wire/json_text.hpp"
#include "engine/wire/remoting_command.hpp"

namespace drydock {

struct GetRouteInfoHeader {
  std::string_view topic;
  bool accept_standard_json_only = false;

  template <class Visit>
  void for_each(Visit visit) const {
    visit("topic", topic);
    if (accept_standard_json_only) visit("acceptStandardJsonOnly", "true");
  }
};
HeaderFault decode_get_route_info_header(std::span<const std::byte> ext_fields,
                                         GetRouteInfoHeader& header);

// The queues of one topic on one broker.
struct QueueData {
  std::string broker_name;
  std::int32_t read_queues = 0;
  std::int32_t write_queues = 0;
  std::int32_t permissions = 0;
  std::int32_t topic_sys_flag = 0;
  friend bool operator==(const QueueData&, const QueueData&) = default;
};

// A group of brokers with one name.
struct BrokerData {
  std::string broker_name;
  std::string cluster;
  std::map<std::int64_t, std::string> addresses;  // By broker id; 0 is the master.
  bool enable_acting_master = false;
  friend bool operator==(const BrokerData&, const BrokerData&) = default;
};

struct TopicRoute {
  std::vector<QueueData> queues;
  std::vector<BrokerData> brokers;
  friend bool operator==(const TopicRoute&, const TopicRoute&) = default;
};

SharedBytes encode_topic_route(const TopicRoute& route, JsonKeys keys);
// None if it can't be read. Broker ids that are no number are left out.
std::optional<TopicRoute> decode_topic_route(std::span<const std::byte> body);

struct ClusterInfo {
  std::map<std::string, BrokerData> brokers;                 // By name.
  std::map<std::string, std::vector<std::string>> clusters;  // Names of brokers, by cluster.
  friend bool operator==(const ClusterInfo&, const ClusterInfo&) = default;
};

SharedBytes encode_cluster_info(const ClusterInfo& info);
std::optional<ClusterInfo> decode_cluster_info(std::span<const std::byte> body);

}  // namespace drydock
