#include "engine/store/index_file.hpp"

#include <algorithm>
#include <chrono>
#include <limits>
#include <utility>

#include "engine/wire/big_endian.hpp"
#include "engine/wire/java_string.hpp"
#include "engine/wire/message_properties.hpp"
#include "engine/wire/message_record.hpp"
#include "engine/wire/remoting_command.hpp"

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
  if (begin_ms <= 0 || store_ms <= begin_ms) return 0;
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
  const std::int32_t hash = java_string_hash(key, java_string_hash("#", java_string_hash(topic)));
  if (hash == std::numeric_limits<std::int32_t>::min()) return 0;
  return hash < 0 ? -hash : hash;
}

bool IndexKeys::next(std::string_view& key) {
  if (!unique_key_.empty()) {
    key = std::exchange(unique_key_, {});
    return true;
  }
  while (!keys_.empty()) {
    const std::size_t end = std::min(keys_.find(' '), keys_.size());
    key = keys_.substr(0, end);
    keys_.remove_prefix(std::min(end + 1, keys_.size()));
    if (!key.empty()) return true;
  }
  return false;
}

std::vector<std::string_view> index_keys_of(std::string_view properties) {
  std::vector<std::string_view> all;
  IndexKeys keys(find_property(properties, property::kUniqueKey),
                 find_property(properties, property::kKeys));
  std::string_view key;
  while (keys.next(key)) all.push_back(key);
  return all;
}

bool is_indexed(std::int32_t flags) {
  return (flags & sys_flag::kTransactionMask) != sys_flag::kTransactionRollback;
}

IndexPut put_index_entry(const IndexHeader& header, const IndexSizes& sizes,
                         const IndexKeyPlace& place, std::span<const std::byte> slot) {
  IndexPut put;
  const std::int32_t previous = number_if_used(read_big_endian<std::int32_t>(slot.data()), header);
  const Entry entry{place.key_hash, place.physical.value(),
                    seconds_since(header.begin_ms, place.store_ms), previous};
  put.entry_at = sizes.entry_at(header.count);
  write_entry(put.entry, entry);
  put.slot_at = sizes.slot_at(place.key_hash);
  write_big_endian(put.slot.data(), header.count);
  put.header = header;
  if (header.count <= 1) {
    put.header.begin_physical = place.physical.value();
    put.header.begin_ms = place.store_ms;
  }
  if (previous == 0) ++put.header.used_slots;
  ++put.header.count;
  put.header.end_physical = place.physical.value();
  put.header.end_ms = place.store_ms;
  return put;
}

bool put_index_key(std::span<std::byte> file, const IndexSizes& sizes, std::int32_t key_hash,
                   PhysicalOffset physical, std::int64_t store_ms) {
  const IndexHeader header = decode_index_header(file);
  if (header.full(sizes)) return false;
  const IndexKeyPlace place{key_hash, physical, store_ms};
  const std::span<std::byte> slot = part(file, sizes.slot_at(key_hash), kIndexSlotBytes);
  const IndexPut put = put_index_entry(header, sizes, place, slot);
  std::ranges::copy(put.entry, part(file, put.entry_at, kIndexEntryBytes).begin());
  std::ranges::copy(put.slot, slot.begin());
  std::ranges::copy(encode_index_header(put.header), file.begin());
  return true;
}

IndexSearch::IndexSearch(const IndexHeader& header, const IndexSizes& sizes,
                         const IndexQuery& query)
    : header_(header), sizes_(sizes), query_(query) {
  slot_read_ = !overlaps(header, query) || header.count <= 1;
}

std::optional<IndexSearch::Piece> IndexSearch::wanted(std::size_t found) const {
  if (!slot_read_) return Piece{sizes_.slot_at(query_.key_hash), kIndexSlotBytes};
  const bool ended = number_ == 0 || steps_ >= sizes_.entries || number_ >= sizes_.entries;
  if (ended || found >= query_.count_max) return std::nullopt;
  return Piece{sizes_.entry_at(number_), kIndexEntryBytes};
}

void IndexSearch::take(std::span<const std::byte> piece, std::vector<PhysicalOffset>& found) {
  if (slot_read_) {
    take_entry(piece, found);
  } else {
    slot_read_ = true;
    number_ = number_if_used(read_big_endian<std::int32_t>(piece.data()), header_);
  }
}

void IndexSearch::take_entry(std::span<const std::byte> piece, std::vector<PhysicalOffset>& found) {
  const Entry entry = read_entry(piece);
  const std::int32_t number = std::exchange(number_, 0);
  ++steps_;
  if (entry.seconds < 0) return;
  // A damaged header may say any time: the sum wraps, as in Java.
  const auto begin_ms = static_cast<std::uint64_t>(header_.begin_ms);
  const auto seconds = static_cast<std::uint64_t>(entry.seconds);
  const auto stored_ms = static_cast<std::int64_t>(begin_ms + seconds * 1000);
  const bool in_time = stored_ms >= query_.begin_ms && stored_ms <= query_.end_ms;
  if (entry.key_hash == query_.key_hash && in_time) {
    found.push_back(PhysicalOffset(entry.physical));
  }
  const std::int32_t next = number_if_used(entry.previous, header_);
  if (next != number && stored_ms >= query_.begin_ms) number_ = next;
}

bool query_index(std::span<const std::byte> file, const IndexSizes& sizes, const IndexQuery& query,
                 std::vector<PhysicalOffset>& found) {
  const IndexHeader header = decode_index_header(file);
  IndexSearch search(header, sizes, query);
  while (const auto wanted = search.wanted(found.size())) {
    search.take(part(file, wanted->at, wanted->bytes), found);
  }
  return search.goes_on(found.size());
}

std::string index_file_name(std::int64_t now_ms, std::string_view last) {
  const std::chrono::sys_time<std::chrono::milliseconds> now{std::chrono::milliseconds(now_ms)};
  const auto day = std::chrono::floor<std::chrono::days>(now);
  const std::chrono::year_month_day date(day);
  const std::chrono::hh_mm_ss time(now - day);
  std::int64_t digits = static_cast<int>(date.year());
  digits = digits * 100 + static_cast<unsigned>(date.month());
  digits = digits * 100 + static_cast<unsigned>(date.day());
  digits = digits * 100 + time.hours().count();
  digits = digits * 100 + time.minutes().count();
  digits = digits * 100 + time.seconds().count();
  digits = digits * 1000 + time.subseconds().count();
  if (const auto before = parse_decimal<std::int64_t>(last)) digits = std::max(digits, *before + 1);
  return std::string(DecimalText(digits).view());
}

}  // namespace drydock
