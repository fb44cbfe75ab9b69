#include "engine/store/batch_encoder.hpp"

#include <string>

#include "engine/wire/message_batch.hpp"
#include "engine/wire/message_properties.hpp"

namespace drydock {

namespace {

// The properties of one message: its own, then those of the batch.
class JoinedProperties {
 public:
  JoinedProperties(std::span<const std::byte> common, PropertyCrc crc)
      : common_(common), crc_(crc) {}

  // How many bytes a record has for them.
  std::size_t size_with(std::span<const std::byte> own) const {
    const std::span<const std::byte> last = common_.empty() ? own : common_;
    const std::size_t behind = stored_properties_bytes(last, crc_) - last.size();
    return own.size() + common_.size() + (needs_end(own) ? 1 : 0) + behind;
  }
  // Valid until the next call.
  std::span<const std::byte> with(std::span<const std::byte> own) {
    text_ = as_text(own);
    if (needs_end(own)) text_ += kPropertyEnd;
    text_ += as_text(common_);
    return as_byte_span(text_);
  }

 private:
  bool needs_end(std::span<const std::byte> own) const {
    return !own.empty() && !common_.empty() && own.back() != std::byte{kPropertyEnd};
  }
  std::span<const std::byte> common_;
  PropertyCrc crc_;
  std::string text_;
};

}  // namespace

EncodedBatch encode_batch(const RecordContent& common, std::span<const std::byte> body,
                          std::int64_t records_bytes_max) {
  EncodedBatch batch;
  JoinedProperties properties(common.properties, common.property_crc);
  const std::size_t fixed_bytes = kRecordBytesMin + common.topic.size();
  std::int64_t total = 0;
  BatchedMessage message;
  BatchReader sizes(body);
  while (sizes.next(message)) {
    const std::size_t property_bytes = properties.size_with(message.properties);
    if (property_bytes > kPropertiesBytesMax) {
      batch.status = PutStatus::properties_size_exceeded;
      return batch;
    }
    const auto bytes =
        static_cast<std::int32_t>(fixed_bytes + message.body.size() + property_bytes);
    batch.record_bytes.push_back(bytes);
    total += bytes;
    if (total > records_bytes_max) {
      batch.status = PutStatus::message_illegal;
      return batch;
    }
  }
  if (!sizes.ok() || total == 0) return batch;
  batch.records = SharedBytes::allocate(static_cast<std::size_t>(total));
  std::span<std::byte> rest = batch.records.writable();
  RecordContent content = common;
  BatchReader messages(body);
  while (messages.next(message)) {
    content.flag = message.flag;
    content.body = message.body;
    content.properties = properties.with(message.properties);
    const std::size_t bytes = record_bytes(content);
    write_record(rest.first(bytes), content);
    rest = rest.subspan(bytes);
  }
  batch.status = PutStatus::put_ok;
  return batch;
}

}  // namespace drydock
