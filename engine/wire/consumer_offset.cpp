#include "engine/wire/consumer_offset.hpp"

namespace drydock {

namespace {

// False if the value is not what the field demands. Unknown fields are fine.
bool read_field(std::string_view key, std::string_view value, ConsumerOffsetHeader& header) {
  if (key == "consumerGroup") return read_name(value, header.consumer_group);
  if (key == "topic") return read_name(value, header.queue.topic);
  if (key == "queueId") return read_number(value, header.queue.queue_id);
  if (key == "setZeroIfNotFound") header.set_zero_if_not_found = value != "false";
  if (key != "commitOffset") return true;
  header.commit_offset = parse_decimal<std::int64_t>(value);
  return header.commit_offset.has_value();
}

HeaderFault read_fields(std::span<const std::byte> ext_fields, ConsumerOffsetHeader& header) {
  ExtFieldReader fields(ext_fields);
  std::string_view key;
  std::string_view value;
  bool has_queue = false;
  while (fields.next(key, value)) {
    if (!read_field(key, value, header)) return {key};
    has_queue = has_queue || key == "queueId";
  }
  if (header.queue.topic.empty()) return {"topic"};
  if (!has_queue) return {"queueId"};
  return {};
}

}  // namespace

HeaderFault decode_queue_header(std::span<const std::byte> ext_fields, QueueHeader& header) {
  ConsumerOffsetHeader whole;
  const HeaderFault fault = read_fields(ext_fields, whole);
  header = whole.queue;
  return fault;
}

HeaderFault decode_consumer_offset_header(std::span<const std::byte> ext_fields,
                                          ConsumerOffsetHeader& header) {
  const HeaderFault fault = read_fields(ext_fields, header);
  if (!fault.ok()) return fault;
  if (header.consumer_group.empty()) return {"consumerGroup"};
  return {};
}

std::optional<QueueOffset> decode_offset_response(std::span<const std::byte> ext_fields) {
  ExtFieldReader fields(ext_fields);
  std::string_view key;
  std::string_view value;
  while (fields.next(key, value)) {
    if (key != "offset") continue;
    const auto offset = parse_decimal<std::int64_t>(value);
    if (offset) return QueueOffset(*offset);
  }
  return std::nullopt;
}

}  // namespace drydock
