// One command of the remoting protocol as values: codes, head, ext fields. Pure: how it becomes
// bytes is the business of remoting_frame and json_header.
#pragma once

#include <array>
#include <charconv>
#include <concepts>
#include <cstdint>
#include <optional>
#include <string_view>

#include "engine/types/bytes.hpp"
#include "engine/wire/big_endian.hpp"

namespace drydock {

inline constexpr std::int16_t kVersion533 = 479;  // What RocketMQ 5.3.3 announces.
inline constexpr std::int16_t kVersion494 = 401;  // From here on clients read standard JSON.

// How the header of a command is written. Both ends tell it per frame.
enum class SerializeType : std::uint8_t { json = 0, rocketmq = 1 };

// In the order of their numbers in the binary header; the JSON header has their names.
enum class Language : std::uint8_t {
  java,
  cpp,
  dotnet,
  python,
  delphi,
  erlang,
  ruby,
  other,
  http,
  go,
  php,
  oms,
  rust,
  node_js,
  count_,
};

// The request codes that the engine knows.
enum class RequestCode : std::int32_t {
  send_message = 10,
  pull_message = 11,
  query_message = 12,
  query_consumer_offset = 14,
  update_consumer_offset = 15,
  update_and_create_topic = 17,
  get_all_topic_config = 21,
  get_broker_runtime_info = 28,
  search_offset_by_timestamp = 29,
  get_max_offset = 30,
  get_min_offset = 31,
  get_earliest_msg_storetime = 32,
  view_message_by_id = 33,
  heart_beat = 34,
  unregister_client = 35,
  consumer_send_msg_back = 36,
  end_transaction = 37,
  get_consumer_list_by_group = 38,
  check_transaction_state = 39,      // A broker asks a producer.
  notify_consumer_ids_changed = 40,  // A broker tells the members of a group.
  lock_batch_mq = 41,
  unlock_batch_mq = 42,
  get_all_consumer_offset = 43,
  get_all_delay_offset = 45,
  register_broker = 103,
  unregister_broker = 104,
  get_route_info_by_topic = 105,
  get_broker_cluster_info = 106,
  get_all_subscription_groups = 201,  // GET_ALL_SUBSCRIPTIONGROUP_CONFIG
  get_topic_stats_info = 202,
  get_consume_stats = 208,
  delete_topic_in_broker = 215,
  send_message_v2 = 310,
  send_batch_message = 320,
  delete_expired_commitlog = 329,
  get_topic_config = 351,
  lite_pull_message = 361,  // As pull_message; RocketMQ has other threads for it.
  broker_heartbeat = 904,
};

enum class ResponseCode : std::int32_t {
  success = 0,
  system_error = 1,
  system_busy = 2,
  request_code_not_supported = 3,
  flush_disk_timeout = 10,
  slave_not_available = 11,
  flush_slave_timeout = 12,
  message_illegal = 13,
  service_not_available = 14,
  no_permission = 16,
  topic_not_exist = 17,
  pull_not_found = 19,
  pull_retry_immediately = 20,
  pull_offset_moved = 21,
  query_not_found = 22,
  subscription_parse_failed = 23,
  subscription_not_exist = 24,
  subscription_not_latest = 25,
  subscription_group_not_exist = 26,
  invalid_parameter = 29,
  no_buyer_id = 204,  // Two codes that only the client's list of retries names.
  not_in_current_unit = 205,
  illegal_operation = 604,
  go_away = 1500,
};

inline constexpr std::int32_t kFlagResponse = 1;
inline constexpr std::int32_t kFlagOneWay = 2;

// One command without its variable parts.
struct CommandHead {
  std::int32_t code = 0;  // The binary header has room for 16 bits of it.
  Language language = Language::java;
  std::int16_t version = kVersion533;
  std::int32_t opaque = 0;
  std::int32_t flag = 0;
  SerializeType serialize_type = SerializeType::rocketmq;
  // JSON that says so when there is nothing: `"extFields":{}`, `"remark":""`.
  bool empty_fields = false;
  bool empty_remark = false;
};

// The head of a request of ours.
inline CommandHead request_head(RequestCode code, std::int32_t opaque) {
  CommandHead head;
  head.code = static_cast<std::int32_t>(code);
  head.language = Language::cpp;
  head.opaque = opaque;
  return head;
}
// The head of a response. It is written as the request was, which the sender can certainly read;
// RocketMQ's servers use the type that they are configured with.
inline CommandHead response_head(const CommandHead& request, ResponseCode code) {
  CommandHead head;
  head.code = static_cast<std::int32_t>(code);
  head.opaque = request.opaque;
  head.flag = kFlagResponse;
  head.serialize_type = request.serialize_type;
  return head;
}

// One command as it was received. The parts of a binary frame share its memory.
struct RemotingCommand {
  CommandHead head;
  SharedBytes remark;
  SharedBytes ext_fields;  // Encoded pairs, checked by the decoder; read with ExtFieldReader.
  SharedBytes body;

  bool is_response() const { return (head.flag & kFlagResponse) != 0; }
  bool is_one_way() const { return (head.flag & kFlagOneWay) != 0; }
  bool is(RequestCode code) const { return head.code == static_cast<std::int32_t>(code); }
  bool is(ResponseCode code) const { return head.code == static_cast<std::int32_t>(code); }
};

// Walks encoded ext fields. The views point into the bytes that were given.
class ExtFieldReader {
 public:
  explicit ExtFieldReader(std::span<const std::byte> encoded) : reader_(encoded) {}
  // False at the end, or where the bytes stop making sense (then `ok` is false).
  bool next(std::string_view& key, std::string_view& value) {
    if (reader_.remaining() == 0) return false;
    key = as_text(reader_.bytes(reader_.integer<std::int16_t>()));
    value = as_text(reader_.bytes(reader_.integer<std::int32_t>()));
    return reader_.ok();
  }
  bool ok() const { return reader_.ok(); }

 private:
  BigEndianReader reader_;
};

inline std::size_t ext_field_bytes(std::string_view key, std::string_view value) {
  return 2 + key.size() + 4 + value.size();
}
inline void write_ext_field(BigEndianWriter& writer, std::string_view key, std::string_view value) {
  writer.integer(static_cast<std::int16_t>(key.size()));
  writer.text(key);
  writer.integer(static_cast<std::int32_t>(value.size()));
  writer.text(value);
}

// For commands without ext fields.
struct NoFields {
  template <class Visit>
  void for_each(Visit) const {}
};

// An integer as the decimal text that ext fields carry, without allocation.
class DecimalText {
 public:
  explicit DecimalText(std::integral auto value) {
    const auto written = std::to_chars(text_.data(), text_.data() + text_.size(), value);
    size_ = static_cast<std::size_t>(written.ptr - text_.data());
  }
  std::string_view view() const { return {text_.data(), size_}; }

 private:
  std::array<char, 20> text_;
  std::size_t size_;
};

// Reads all of `text` as a decimal integer; none if it is anything else or out of range.
template <std::integral T>
std::optional<T> parse_decimal(std::string_view text) {
  T value{};
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc{} || end != text.data() + text.size()) return std::nullopt;
  return value;
}

// Reads all of `value` as a number into `into`; false, and `into` unchanged, if it is none.
template <std::integral T>
bool read_number(std::string_view value, T& into) {
  const std::optional<T> number = parse_decimal<T>(value);
  if (number) into = *number;
  return number.has_value();
}

// The longest name of a topic, group, broker or cluster, and the longest address, that a header may
// hold: the largest of RocketMQ's limits, that of groups and of their %RETRY% topics.
inline constexpr std::size_t kWireNameBytesMax = 255;

// Reads a name; false if it is too long.
inline bool read_name(std::string_view value, std::string_view& into) {
  into = value;
  return value.size() <= kWireNameBytesMax;
}

// A text that somebody sent, as an answer repeats it: cut to 200 bytes.
inline std::string_view repeatable(std::string_view text) { return text.substr(0, 200); }

// What is wrong with a header: empty if nothing, else the name of the first field that is required
// and missing, not a number, or too long.
struct HeaderFault {
  std::string_view field;
  bool ok() const { return field.empty(); }
};

}  // namespace drydock
