#include "engine/store/index_file.hpp"

#include <algorithm>
#include <limits>
#include <string>

#include "engine/wire/big_endian.hpp"
#include "engine/wire/java_string.hpp"
#include "engine/wire/message_properties.hpp"
#include "engine/wire/message_record.hpp"

namespace drydock {

namespace {

struct Entry {
  std::int32_t key_hash = 0;
  std::int64_t physical = 0;
  std::int32_t seconds = 0;
  std::int32_t previous = 0;
};

std::span<std::byte> part(std::span<std::byte> file, std::int64_t at, std::int64_t bytes) {
  return file.subspan(static_cast<std::size_t>(at), static_cast<std::size_t>(bytes));
}
std::span<const std::byte> part(std::span<const std::byte> file, std::int64_t at,
                                std::int64_t bytes) {
  return file.subspan(static_cast<std::size_t>(at), static_cast<std::size_t>(bytes));
}

void write_entry(std::span<std::byte> bytes, const Entry& entry) {
  BigEndianWriter writer(bytes);
  writer.integer(entry.key_hash);
  writer.integer(entry.physical);
  writer.integer(entry.seconds);
  writer.integer(entry.previous);
}

Entry read_entry(std::span<const std::byte> bytes) {
  BigEndianReader reader(bytes);
  Entry entry;
  entry.key_hash = reader.integer<std::int32_t>();
  entry.physical = reader.integer<std::int64_t>();
  entry.seconds = reader.integer<std::int32_t>();
  entry.previous = reader.integer<std::int32_t>();
  return entry;
}

// An entry's number as a slot or an entry tells it; 0 if it can't be one.
std::int32_t number_if_used(std::int32_t number, const IndexHeader& header) {
  return number <= 0 || number > header.count ? 0 : number;
}

std::int32_t seconds_since(std::int64_t begin_ms, std::int64_t store_ms) {
  if (begin_ms <= 0) return 0;
  constexpr std::int64_t kMax = std::numeric_limits<std::int32_t>::max();
  return static_cast<std::int32_t>(std::clamp<std::int64_t>((store_ms - begin_ms) / 1000, 0, kMax));
}

// Whether a file's times and the asked ones have any in common.
bool overlaps(const IndexHeader& header, const IndexQuery& query) {
  return query.begin_ms <= header.end_ms && query.end_ms >= header.begin_ms;
}

}  // namespace

std::array<std::byte, kIndexHeaderBytes> encode_index_header(const IndexHeader& header) {
  std::array<std::byte, kIndexHeaderBytes> bytes;
  BigEndianWriter writer(bytes);
  writer.integer(header.begin_ms);
  writer.integer(header.end_ms);
  writer.integer(header.begin_physical);
  writer.integer(header.end_physical);
  writer.integer(header.used_slots);
  writer.integer(header.count);
  return bytes;
}

IndexHeader decode_index_header(std::span<const std::byte> bytes) {
  BigEndianReader reader(bytes);
  IndexHeader header;
  header.begin_ms = reader.integer<std::int64_t>();
  header.end_ms = reader.integer<std::int64_t>();
  header.begin_physical = reader.integer<std::int64_t>();
  header.end_physical = reader.integer<std::int64_t>();
  header.used_slots = reader.integer<std::int32_t>();
  header.count = std::max(reader.integer<std::int32_t>(), 1);
  return header;
}

IndexHeader next_index_header(const IndexHeader& last) {
  return {.begin_ms = last.end_ms,
          .end_ms = last.end_ms,
          .begin_physical = last.end_physical,
          .end_physical = last.end_physical};
}

std::int32_t index_key_hash(std::string_view topic, std::string_view key) {
  std::string text(topic);
  text += '#';
  text += key;
  const std::int32_t hash = java_string_hash(text);
  if (hash == std::numeric_limits<std::int32_t>::min()) return 0;
  return hash < 0 ? -hash : hash;
}

std::vector<std::string_view> index_keys_of(std::string_view properties) {
  std::vector<std::string_view> keys;
  const std::string_view unique = find_property(properties, property::kUniqueKey);
  if (!unique.empty()) keys.push_back(unique);
  std::string_view rest = find_property(properties, property::kKeys);
  while (!rest.empty()) {
    const std::size_t end = std::min(rest.find(' '), rest.size());
    if (end > 0) keys.push_back(rest.substr(0, end));
    rest.remove_prefix(std::min(end + 1, rest.size()));
  }
  return keys;
}

bool is_indexed(std::int32_t flags) {
  return (flags & sys_flag::kTransactionMask) != sys_flag::kTransactionRollback;
}

bool put_index_key(std::span<std::byte> file, const IndexSizes& sizes, std::int32_t key_hash,
                   PhysicalOffset physical, std::int64_t store_ms) {
  IndexHeader header = decode_index_header(file);
  if (header.full(sizes)) return false;
  std::byte* const slot = part(file, sizes.slot_at(key_hash), kIndexSlotBytes).data();
  const std::int32_t previous = number_if_used(read_big_endian<std::int32_t>(slot), header);
  const Entry entry{key_hash, physical.value(), seconds_since(header.begin_ms, store_ms), previous};
  write_entry(part(file, sizes.entry_at(header.count), kIndexEntryBytes), entry);
  write_big_endian(slot, header.count);
  if (header.count <= 1) {
    header.begin_physical = physical.value();
    header.begin_ms = store_ms;
  }
  if (previous == 0) ++header.used_slots;
  ++header.count;
  header.end_physical = physical.value();
  header.end_ms = store_ms;
  std::ranges::copy(encode_index_header(header), file.begin());
  return true;
}

bool query_index(std::span<const std::byte> file, const IndexSizes& sizes, const IndexQuery& query,
                 std::vector<PhysicalOffset>& found) {
  const IndexHeader header = decode_index_header(file);
  const bool goes_on = header.begin_ms >= query.begin_ms;
  if (!overlaps(header, query) || header.count <= 1) return goes_on;
  const std::byte* const slot = part(file, sizes.slot_at(query.key_hash), kIndexSlotBytes).data();
  std::int32_t number = number_if_used(read_big_endian<std::int32_t>(slot), header);
  // A damaged chain may lead in a circle; an entry's number is below `entries`.
  for (std::int32_t step = 0; number != 0 && step < sizes.entries; ++step) {
    if (found.size() >= query.count_max || number >= sizes.entries) break;
    const Entry entry = read_entry(part(file, sizes.entry_at(number), kIndexEntryBytes));
    if (entry.seconds < 0) break;
    const std::int64_t stored_ms = header.begin_ms + std::int64_t{entry.seconds} * 1000;
    const bool in_time = stored_ms >= query.begin_ms && stored_ms <= query.end_ms;
    if (entry.key_hash == query.key_hash && in_time) {
      found.push_back(PhysicalOffset(entry.physical));
    }
    const std::int32_t next = number_if_used(entry.previous, header);
    if (next == number || stored_ms < query.begin_ms) break;
    number = next;
  }
  return goes_on && found.size() < query.count_max;
}

}  // namespace drydock
