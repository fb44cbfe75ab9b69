#include "engine/wire/send_message.hpp"

#include <algorithm>
#include <iterator>

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

// The letter under which SEND_MESSAGE_V2 has the field of this name; 0: it is none of those above.
char letter_of(std::string_view name) {
  static constexpr std::string_view kNames[] = {
      "producerGroup", "topic",          "defaultTopic",  "defaultTopicQueueNums",
      "queueId",       "sysFlag",        "bornTimestamp", "flag",
      "properties",    "reconsumeTimes", "unitMode",      "maxReconsumeTimes",
      "batch"};
  const auto found = std::ranges::find(kNames, name);
  if (found == std::end(kNames)) return 0;
  return static_cast<char>('a' + (found - std::begin(kNames)));
}

char single_letter(std::string_view name) {
  return name.size() == 1 && name[0] >= 'a' && name[0] <= 'z' ? name[0] : 0;
}

template <class Letter>
HeaderFault decode_header(std::span<const std::byte> ext_fields, SendMessageHeader& header,
                          Letter letter_of_name) {
  std::uint32_t seen = 0;
  ExtFieldReader fields(ext_fields);
  std::string_view key;
  std::string_view value;
  while (fields.next(key, value)) {
    const char letter = letter_of_name(key);
    if (letter == 0) continue;
    if (!read_field(letter, value, header)) return {key};
    if (!value.empty()) seen |= 1u << (letter - 'a');
  }
  for (const char& name : kRequired) {
    if ((seen & (1u << (name - 'a'))) == 0) return {{&name, 1}};
  }
  return {};
}

}  // namespace

HeaderFault decode_send_message_header(std::span<const std::byte> ext_fields,
                                       SendMessageHeader& header) {
  return decode_header(ext_fields, header, &single_letter);
}

HeaderFault decode_send_message_v1_header(std::span<const std::byte> ext_fields,
                                          SendMessageHeader& header) {
  return decode_header(ext_fields, header, &letter_of);
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
