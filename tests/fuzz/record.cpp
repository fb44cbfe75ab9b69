// Records of a CommitLog that somebody else wrote, or a disk has damaged.
#include <cstdint>

#include "engine/wire/pull_message.hpp"
#include "tests/fuzz/fuzzer.hpp"

namespace drydock {

std::vector<std::string> fuzz::seeds() {
  const RecordContent content{.body = as_byte_span("body"),
                              .topic = as_byte_span("T"),
                              .properties = as_byte_span("KEYS\x01k\x02")};
  SharedBytes record = encode_record(content);
  place_record(record.writable(), {QueueOffset(3), PhysicalOffset(0), 1'700'000'000'000});
  const std::string one = fuzz::text_of(record.span());
  RecordContent covered = content;
  covered.property_crc = PropertyCrc::appended;
  SharedBytes whole = encode_record(covered);
  place_record(whole.writable(), {QueueOffset(3), PhysicalOffset(0), 1}, PropertyCrc::appended);
  std::string second = one;  // The same in version 2, whose topic has two bytes for its length.
  second[7] = '\xab';
  second.insert(92, 1, '\0');
  second[3] = static_cast<char>(second[3] + 1);
  return {one, one + one, second, one + fuzz::text_of(encode_blank(100)),
          fuzz::text_of(whole.span())};
}

}  // namespace drydock

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace drydock;
  const std::span<const std::byte> bytes(reinterpret_cast<const std::byte*>(data), size);
  for (const ContentCheck content_check :
       {ContentCheck::lengths_only, ContentCheck::body_crc, ContentCheck::property_crc}) {
    RecordView view;
    const RecordCheck check =
        check_record(bytes, static_cast<std::int64_t>(size), content_check, view);
    if (check.good()) ENSURE(static_cast<std::size_t>(check.size) <= size);
  }
  (void)first_store_timestamp(bytes);
  (void)for_each_record(bytes, [](std::span<const std::byte>, const RecordView&) {});
  return 0;
}
