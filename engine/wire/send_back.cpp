#include "engine/wire/send_back.hpp"

namespace drydock {

HeaderFault decode_send_back_header(std::span<const std::byte> ext_fields, SendBackHeader& header) {
  std::optional<std::int64_t> offset;
  std::optional<std::int32_t> level;
  ExtFieldReader fields(ext_fields);
  std::string_view key;
  std::string_view value;
  while (fields.next(key, value)) {
    if (key == "offset") offset = parse_decimal<std::int64_t>(value);
    if (key == "delayLevel") level = parse_decimal<std::int32_t>(value);
    if (key == "group" && !read_name(value, header.group)) return {key};
    if (key == "originMsgId" && !read_name(value, header.origin_message_id)) return {key};
    if (key == "originTopic" && !read_name(value, header.origin_topic)) return {key};
    if (key == "maxReconsumeTimes" && !value.empty()) {
      header.max_reconsume_times = parse_decimal<std::int32_t>(value);
      if (!header.max_reconsume_times) return {key};
    }
  }
  if (!offset || *offset < 0) return {"offset"};
  if (header.group.empty()) return {"group"};
  if (!level) return {"delayLevel"};
  header.offset = PhysicalOffset(*offset);
  header.delay_level = *level;
  return {};
}

}  // namespace drydock
