#include "scenarios/audit/log_walk.hpp"

#include <charconv>
#include <string>

#include "scenarios/audit/record_decoder.hpp"
#include "scenarios/workload/bodies.hpp"

namespace drydock::scenarios {
namespace {

// A property that holds a decimal number and nothing else.
bool read_number(std::string_view text, std::uint64_t& number) {
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  return !text.empty() && error == std::errc() && end == text.data() + text.size();
}

reports::StoredCopy copy_of(const DecodedRecord& record, std::int64_t at, QueueNames& names) {
  reports::StoredCopy copy;
  copy.physical_offset = at;
  copy.record_bytes = record.total_bytes;
  copy.body_bytes = static_cast<std::int64_t>(record.body.size());
  copy.queue_id = record.queue_id;
  copy.queue_offset = record.queue_offset;
  copy.key_known = read_number(property(record.properties, "KEYS"), copy.key);
  if (!read_number(property(record.properties, "ATTEMPT"), copy.attempt)) copy.attempt = 0;
  const bool other = record.property_checksum == DecodedRecord::PropertyChecksum::wrong;
  copy.torn_properties = other || record.properties.find('\0') != std::string_view::npos;
  copy.intact =
      copy.key_known && record.body_checksum_right && !other && is_body_of(copy.key, record.body);
  if (record.has_queue_entry) copy.queue = names.index_of(record.topic, record.queue_id);
  return copy;
}

// What is wrong with the record that was found at `offset`, or empty.
std::string fault_of(const DecodedRecord& record, std::int64_t offset) {
  if (record.kind == DecodedRecord::Kind::message && record.physical_offset != offset) {
    return "the record says that it is at " + std::to_string(record.physical_offset);
  }
  return std::string(record.why);
}

}  // namespace

void walk_log_file(std::int64_t begin, std::span<const std::byte> bytes, QueueNames& names,
                   reports::FinalStore& store) {
  std::size_t at = 0;
  while (at < bytes.size()) {
    const std::int64_t offset = begin + static_cast<std::int64_t>(at);
    const DecodedRecord record = decode_record(bytes.subspan(at));
    const std::string why = fault_of(record, offset);
    if (!why.empty()) {
      const auto rest = static_cast<std::int64_t>(bytes.size() - at);
      store.damaged.push_back({offset, rest, why});
      return;
    }
    if (record.kind == DecodedRecord::Kind::message)
      store.copies.push_back(copy_of(record, offset, names));
    at += static_cast<std::size_t>(record.total_bytes);
  }
}

void add_message_at(std::int64_t offset, std::span<const std::byte> bytes, QueueNames& names,
                    reports::FinalStore& store) {
  const DecodedRecord record = decode_record(bytes);
  if (record.kind != DecodedRecord::Kind::message || !fault_of(record, offset).empty()) return;
  store.copies.push_back(copy_of(record, offset, names));
}

}  // namespace drydock::scenarios
