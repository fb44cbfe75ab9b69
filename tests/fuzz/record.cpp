// Records of a CommitLog that somebody else wrote, or a disk has damaged.
#include <cstdint>

#include "engine/wire/pull_message.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace drydock;
  const std::span<const std::byte> bytes(reinterpret_cast<const std::byte*>(data), size);
  for (const BodyCheck body_check : {BodyCheck::crc, BodyCheck::lengths_only}) {
    RecordView view;
    const RecordCheck check =
        check_record(bytes, static_cast<std::int64_t>(size), body_check, view);
    if (check.good()) ENSURE(static_cast<std::size_t>(check.size) <= size);
  }
  (void)first_store_timestamp(bytes);
  (void)for_each_record(bytes, [](std::span<const std::byte>, const RecordView&) {});
  return 0;
}
