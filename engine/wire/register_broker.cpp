#include "engine/wire/register_broker.hpp"

namespace drydock {

namespace {

// False if the value is not what the field demands.
bool read_identity_field(std::string_view key, std::string_view value, BrokerIdentity& identity) {
  if (key == "brokerName") return read_name(value, identity.broker_name);
  if (key == "brokerAddr") return read_name(value, identity.broker_addr);
  if (key == "clusterName") return read_name(value, identity.cluster_name);
  return key != "brokerId" || read_number(value, identity.broker_id);
}

HeaderFault missing_of(const BrokerIdentity& identity, bool has_id) {
  if (identity.broker_name.empty()) return {"brokerName"};
  if (identity.broker_addr.empty()) return {"brokerAddr"};
  if (identity.cluster_name.empty()) return {"clusterName"};
  if (!has_id || identity.broker_id < 0) return {"brokerId"};
  return {};
}

bool read_register_field(std::string_view key, std::string_view value,
                         RegisterBrokerHeader& header) {
  if (key == "haServerAddr") return read_name(value, header.ha_server_addr);
  if (key == "enableActingMaster") header.enable_acting_master = value == "true";
  if (key == "compressed") header.compressed = value == "true";
  if (key == "heartbeatTimeoutMillis") {
    header.heartbeat_timeout_ms = parse_decimal<std::int64_t>(value);
    return header.heartbeat_timeout_ms.has_value();
  }
  return key != "bodyCrc32" || read_number(value, header.body_crc);
}

}  // namespace

HeaderFault decode_broker_identity(std::span<const std::byte> ext_fields,
                                   BrokerIdentity& identity) {
  ExtFieldReader fields(ext_fields);
  std::string_view key;
  std::string_view value;
  bool has_id = false;
  while (fields.next(key, value)) {
    if (!read_identity_field(key, value, identity)) return {key};
    has_id = has_id || key == "brokerId";
  }
  return missing_of(identity, has_id);
}

HeaderFault decode_register_broker_header(std::span<const std::byte> ext_fields,
                                          RegisterBrokerHeader& header) {
  const HeaderFault fault = decode_broker_identity(ext_fields, header.broker);
  if (!fault.ok()) return fault;
  ExtFieldReader fields(ext_fields);
  std::string_view key;
  std::string_view value;
  while (fields.next(key, value)) {
    if (!read_register_field(key, value, header)) return {key};
  }
  if (header.ha_server_addr.empty()) return {"haServerAddr"};
  return {};
}

std::optional<std::int64_t> decode_heartbeat_timeout(std::span<const std::byte> ext_fields) {
  ExtFieldReader fields(ext_fields);
  std::string_view key;
  std::string_view value;
  while (fields.next(key, value)) {
    if (key == "heartbeatTimeoutMills") return parse_decimal<std::int64_t>(value);
  }
  return std::nullopt;
}

RegisterBrokerResponse decode_register_broker_response(std::span<const std::byte> ext_fields) {
  RegisterBrokerResponse response;
  ExtFieldReader fields(ext_fields);
  std::string_view key;
  std::string_view value;
  while (fields.next(key, value)) {
    if (key == "haServerAddr") response.ha_server_addr = value;
    if (key == "masterAddr") response.master_addr = value;
  }
  return response;
}

}  // namespace drydock
