#include "scenarios/audit/log_walk.hpp"

#include <charconv>
#include <string>

#include "scenarios/audit/record_decoder.hpp"
#include "scenarios/workload/bodies.hpp"

namespace drydock::scenarios {
namespace {

reports::StoredCopy copy_of(const DecodedRecord& record, std::int64_t at) {
  reports::StoredCopy copy;
  copy.physical_offset = at;
  copy.body_bytes = static_cast<std::int64_t>(record.body.size());
  const std::string_view keys = property(record.properties, "KEYS");
  const auto [end, error] = std::from_chars(keys.data(), keys.data() + keys.size(), copy.key);
  copy.key_known = !keys.empty() && error == std::errc() && end == keys.data() + keys.size();
  copy.intact = copy.key_known && record.body_checksum_right && is_body_of(copy.key, record.body);
  return copy;
}

}  // namespace

void walk_log_file(std::int64_t begin, std::span<const std::byte> bytes,
                   reports::FinalStore& store) {
  std::size_t at = 0;
  while (at < bytes.size()) {
    const std::int64_t offset = begin + static_cast<std::int64_t>(at);
    const DecodedRecord record = decode_record(bytes.subspan(at));
    std::string why(record.why);
    if (record.kind == DecodedRecord::Kind::message && record.physical_offset != offset) {
      why = "the record says that it is at " + std::to_string(record.physical_offset);
    }
    if (!why.empty()) {
      const auto rest = static_cast<std::int64_t>(bytes.size() - at);
      store.damaged.push_back({offset, rest, why});
      return;
    }
    if (record.kind == DecodedRecord::Kind::message)
      store.copies.push_back(copy_of(record, offset));
    at += static_cast<std::size_t>(record.total_bytes);
  }
}

}  // namespace drydock::scenarios
