// Headers and bodies of requests that strangers send: sends and batches, queries, lookups by time.
#include <cstdint>

#include "engine/store/batch_encoder.hpp"
#include "engine/wire/message_batch.hpp"
#include "engine/wire/query_message.hpp"
#include "engine/wire/send_message.hpp"
#include "tests/fuzz/fuzzer.hpp"

namespace drydock {

std::vector<std::string> fuzz::seeds() {
  std::string batch;
  append_to_batch(batch, {.flag = 1, .body = as_byte_span("hi")});
  append_to_batch(batch, {.body = as_byte_span("ho"), .properties = as_byte_span("TAGS\x01t\x02")});
  const std::string fields(
      "\0\1a\0\0\0\1P\0\1b\0\0\0\1T\0\1e\0\0\0\1"
      "0",
      25);
  return {batch, fields};
}

}  // namespace drydock

namespace drydock {

// What is a batch becomes records that are good, each of the size that was told.
static void make_records(std::span<const std::byte> bytes, PropertyCrc crc) {
  const bool covered = crc == PropertyCrc::appended;
  const RecordContent common{
      .topic = as_byte_span("T"), .properties = as_byte_span("WAIT\x01t\x02"), .property_crc = crc};
  EncodedBatch batch = encode_batch(common, bytes, 1 << 20);
  if (batch.status != PutStatus::put_ok) return;
  std::span<std::byte> rest = batch.records.writable();
  for (const std::int32_t record_bytes : batch.record_bytes) {
    const auto length = static_cast<std::int64_t>(rest.size());
    const std::span<std::byte> one = rest.first(static_cast<std::size_t>(record_bytes));
    place_record(one, {QueueOffset(3), PhysicalOffset(0), 1}, crc);
    RecordView record;
    const ContentCheck how = covered ? ContentCheck::property_crc : ContentCheck::body_crc;
    const RecordCheck check = check_record(rest, length, how, record);
    ENSURE(check.good());
    ENSURE(check.size == record_bytes);
    rest = rest.subspan(one.size());
  }
  ENSURE(rest.empty());
}

}  // namespace drydock

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace drydock;
  const std::span<const std::byte> bytes(reinterpret_cast<const std::byte*>(data), size);
  SendMessageHeader send;
  (void)decode_send_message_header(bytes, send);
  (void)decode_send_message_v1_header(bytes, send);
  QueryMessageHeader query;
  (void)decode_query_message_header(bytes, query);
  ViewMessageHeader view;
  (void)decode_view_message_header(bytes, view);
  SearchOffsetHeader search;
  (void)decode_search_offset_header(bytes, search);

  for (const PropertyCrc crc : {PropertyCrc::none, PropertyCrc::appended}) make_records(bytes, crc);
  return 0;
}
