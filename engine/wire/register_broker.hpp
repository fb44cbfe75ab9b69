// REGISTER_BROKER (103), UNREGISTER_BROKER (104) and BROKER_HEARTBEAT (904): what a broker tells a
// name server (storage reference, 12.6 and 12.7). Pure. Views point into what they were made from.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "engine/types/bytes.hpp"
#include "engine/wire/data_version.hpp"
#include "engine/wire/remoting_command.hpp"

namespace drydock {

namespace permission {
inline constexpr std::int32_t kInherit = 1;
inline constexpr std::int32_t kWrite = 2;
inline constexpr std::int32_t kRead = 4;
}  // namespace permission

// Whose broker: the four fields that all three requests have.
struct BrokerIdentity {
  std::string_view broker_name;
  std::string_view broker_addr;  // "10.0.0.2:10911"
  std::string_view cluster_name;
  std::int64_t broker_id = 0;  // 0: the master.

  template <class Visit>
  void for_each(Visit visit) const {
    visit("brokerName", broker_name);
    visit("brokerAddr", broker_addr);
    visit("clusterName", cluster_name);
    visit("brokerId", DecimalText(broker_id).view());
  }
};

struct RegisterBrokerHeader {
  BrokerIdentity broker;
  std::string_view ha_server_addr;
  std::optional<std::int64_t> heartbeat_timeout_ms;
  std::optional<bool> enable_acting_master;  // Brokers before 5.0 don't know the field.
  bool compressed = false;
  std::uint32_t body_crc = 0;  // Of the body as it is sent (compression.hpp); 0: not checked.

  template <class Visit>
  void for_each(Visit visit) const {
    broker.for_each(visit);
    visit("haServerAddr", ha_server_addr);
    if (heartbeat_timeout_ms) {
      visit("heartbeatTimeoutMillis", DecimalText(*heartbeat_timeout_ms).view());
    }
    if (enable_acting_master) visit("enableActingMaster", *enable_acting_master ? "true" : "false");
    visit("compressed", compressed ? "true" : "false");
    visit("bodyCrc32", DecimalText(body_crc).view());
  }
};

// Every field of a BrokerIdentity is required; `ha_server_addr` too.
HeaderFault decode_broker_identity(std::span<const std::byte> ext_fields, BrokerIdentity& identity);
HeaderFault decode_register_broker_header(std::span<const std::byte> ext_fields,
                                          RegisterBrokerHeader& header);
// Of a BROKER_HEARTBEAT: how long the sender may be silent, if it says so.
std::optional<std::int64_t> decode_heartbeat_timeout(std::span<const std::byte> ext_fields);

// The answer to a slave; empty fields to a master, or if there is no live master.
struct RegisterBrokerResponse {
  std::string ha_server_addr;
  std::string master_addr;

  template <class Visit>
  void for_each(Visit visit) const {
    if (!ha_server_addr.empty()) visit("haServerAddr", ha_server_addr);
    if (!master_addr.empty()) visit("masterAddr", master_addr);
  }
};
RegisterBrokerResponse decode_register_broker_response(std::span<const std::byte> ext_fields);

struct TopicConfig {
  std::string topic;
  std::int32_t read_queues = 0;
  std::int32_t write_queues = 0;
  std::int32_t permissions = permission::kRead | permission::kWrite;
  std::int32_t topic_sys_flag = 0;
  // What else its JSON says, by name, as JSON: members that nobody here looks at (`attributes`,
  // `order`, `topicFilterType`, unknown ones), without those that have RocketMQ's defaults.
  std::map<std::string, std::string, std::less<>> kept;
  friend bool operator==(const TopicConfig&, const TopicConfig&) = default;
};
// More queues than this are nobody's intention: a reader takes such a number for 0.
inline constexpr std::int32_t kQueuesMax = 65'535;

struct RegisterBrokerBody {
  DataVersion data_version;
  std::vector<TopicConfig> topics;
  friend bool operator==(const RegisterBrokerBody&, const RegisterBrokerBody&) = default;
};

// One topic as JSON: what GET_TOPIC_CONFIG (351) answers.
std::string encode_topic(const TopicConfig& topic);
// The topics of a broker as JSON alone: what GET_ALL_TOPIC_CONFIG (21) answers, and what
// config/topics.json holds.
std::string encode_topic_table(const RegisterBrokerBody& topics);
// None if it is not the JSON of an object with a table of topics. In the order of their names.
std::optional<RegisterBrokerBody> decode_topic_table(std::string_view text);

enum class BodyForm : std::uint8_t { json, compressed };

// The JSON is one object; the compressed form is zlib's, of
//   { length:i32 version-JSON }  topics:i32 { length:i32 "name read write perm SINGLE_TAG {}" }
//   { length:i32 "[]" }  mappings:i32
// Worked example of one topic's text: "orders 8 8 6 SINGLE_TAG {}". Drawback: it has no room for
// the topic's flags, which become 0.
SharedBytes encode_register_broker_body(const RegisterBrokerBody& body, BodyForm form);
// None if it can't be read. Topics come in the order of their names from JSON, else as they stand.
std::optional<RegisterBrokerBody> decode_register_broker_body(std::span<const std::byte> body,
                                                              BodyForm form);

}  // namespace drydock
