#include "engine/wire/send_message.hpp"

namespace drydock {

namespace {

constexpr std::string_view kRequired = "abcdefgh";

// False if the value is not what the field demands. Unknown fields are fine, and so are names of
// topics: their length is refused with a code of its own.
bool read_field(char name, std::string_view value, SendMessageHeader& header) {
  switch (name) {
    case 'a': return read_name(value, header.producer_group);
    case 'b': header.topic = value; return true;
    case 'c': header.default_topic = value; return true;
    case 'd': return read_number(value, header.default_topic_queue_nums);
    case 'e': return read_number(value, header.queue_id);
    case 'f': return read_number(value, header.sys_flag);
    case 'g': return read_number(value, header.born_timestamp_ms);
    case 'h': return read_number(value, header.flag);
    case 'i': header.properties = value; return true;
    case 'j': return read_number(value, header.reconsume_times);
    case 'k': header.unit_mode = value == "true"; return true;
    case 'l':
      header.max_reconsume_times = parse_decimal<std::int32_t>(value);
      return header.max_reconsume_times.has_value() || value.empty();
    case 'm': header.batch = value == "true"; return true;
    default: return true;
  }
}

}  // namespace

HeaderFault decode_send_message_header(std::span<const std::byte> ext_fields,
                                       SendMessageHeader& header) {
  std::uint32_t seen = 0;
  ExtFieldReader fields(ext_fields);
  std::string_view key;
  std::string_view value;
  while (fields.next(key, value)) {
    if (key.size() != 1 || key[0] < 'a' || key[0] > 'z') continue;
    if (!read_field(key[0], value, header)) return {key};
    if (!value.empty()) seen |= 1u << (key[0] - 'a');
  }
  for (const char& name : kRequired) {
    if ((seen & (1u << (name - 'a'))) == 0) return {{&name, 1}};
  }
  return {};
}

std::optional<SendMessageReceipt> decode_send_message_response(
    std::span<const std::byte> ext_fields) {
  SendMessageReceipt receipt;
  bool has_id = false;
  bool has_queue = false;
  std::int64_t offset = -1;
  ExtFieldReader fields(ext_fields);
  std::string_view key;
  std::string_view value;
  while (fields.next(key, value)) {
    if (key == "msgId") {
      const auto id = decode_offset_message_id(value);
      if (!id) return std::nullopt;
      receipt.message_id = *id;
      has_id = true;
    } else if (key == "queueId") {
      has_queue = read_number(value, receipt.queue_id);
    } else if (key == "queueOffset") {
      if (!read_number(value, offset)) return std::nullopt;
    }
  }
  if (!has_id || !has_queue || offset < 0) return std::nullopt;
  receipt.queue_offset = QueueOffset(offset);
  return receipt;
}

}  // namespace drydock
