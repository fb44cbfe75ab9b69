#include "engine/wire/message_batch.hpp"

namespace drydock {

namespace {

constexpr std::size_t kFixedBytes = 22;  // Of a message without body and properties.

void append_integer(std::string& text, auto value) {
  std::array<std::byte, sizeof(value)> bytes;
  write_big_endian(bytes.data(), value);
  text += as_text(bytes);
}

}  // namespace

bool BatchReader::next(BatchedMessage& message) {
  if (!ok_ || reader_.remaining() == 0) return false;
  reader_.integer<std::int32_t>();  // total
  reader_.integer<std::int32_t>();  // magic
  reader_.integer<std::int32_t>();  // crc
  message.flag = reader_.integer<std::int32_t>();
  message.body = reader_.bytes(reader_.integer<std::int32_t>());
  message.properties = reader_.bytes(reader_.integer<std::int16_t>());
  ok_ = reader_.ok();
  return ok_;
}

void append_to_batch(std::string& body, const BatchedMessage& message) {
  const std::size_t total = kFixedBytes + message.body.size() + message.properties.size();
  append_integer(body, static_cast<std::int32_t>(total));
  append_integer(body, std::int32_t{0});
  append_integer(body, std::int32_t{0});
  append_integer(body, message.flag);
  append_integer(body, static_cast<std::int32_t>(message.body.size()));
  body += as_text(message.body);
  append_integer(body, static_cast<std::int16_t>(message.properties.size()));
  body += as_text(message.properties);
}

}  // namespace drydock
