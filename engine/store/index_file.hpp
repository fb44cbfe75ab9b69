// One file of the index by message keys, as bytes (storage reference, section 4). Pure.
//
//   file   := header slot* entry*          slots · 4 + entries · 20 + 40 bytes; all of it is made
//   at once header := begin_ms:i64 end_ms:i64 begin_physical:i64 end_physical:i64 used_slots:i32
//   count:i32 slot   := entry_number:i32             the newest entry of its chain, 0: none entry
//   := key_hash:i32 physical_offset:i64 seconds:i32 previous_entry_number:i32
//
// A key is filed by the hash of "topic#key"; its slot is the hash modulo the number of slots, and
// the entries of a slot are a chain from the newest to the oldest. `count` is the number of the
// next entry and begins with 1, so entry 0 is never used and a file takes one entry less than it
// has room for. `seconds` counts from begin_ms as it was in front of the entry: the first entry of
// a file counts from the end of the file before.
//
// Worked example: the key `TopicTest#k1` has the hash 2746024, with 5,000,000 slots that slot, at
// byte 40 + 10984096 of the file.
//
// Drawbacks that readers must know: equal hashes are not told apart, times are whole seconds.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "engine/types/ids.hpp"

namespace drydock {

inline constexpr std::int64_t kIndexHeaderBytes = 40;
inline constexpr std::int64_t kIndexSlotBytes = 4;
inline constexpr std::int64_t kIndexEntryBytes = 20;

// Both at least 1.
struct IndexSizes {
  std::int32_t slots = 5'000'000;     // maxHashSlotNum
  std::int32_t entries = 20'000'000;  // maxIndexNum

  std::int64_t file_bytes() const {
    return kIndexHeaderBytes + slots * kIndexSlotBytes + entries * kIndexEntryBytes;
  }
  std::int64_t slot_at(std::int32_t hash) const {
    return kIndexHeaderBytes + hash % slots * kIndexSlotBytes;
  }
  std::int64_t entry_at(std::int32_t number) const {
    return kIndexHeaderBytes + slots * kIndexSlotBytes + number * kIndexEntryBytes;
  }
};

struct IndexHeader {
  std::int64_t begin_ms = 0;  // Store timestamps of the first and the last message.
  std::int64_t end_ms = 0;
  std::int64_t begin_physical = 0;
  std::int64_t end_physical = 0;
  std::int32_t used_slots = 0;
  std::int32_t count = 1;

  bool full(const IndexSizes& sizes) const { return count >= sizes.entries; }
  friend bool operator==(const IndexHeader&, const IndexHeader&) = default;
};

std::array<std::byte, kIndexHeaderBytes> encode_index_header(const IndexHeader& header);
// `bytes` has at least kIndexHeaderBytes bytes.
IndexHeader decode_index_header(std::span<const std::byte> bytes);
// The header of the file behind one with this header; of the first file: of IndexHeader().
IndexHeader next_index_header(const IndexHeader& last);

// Never negative.
std::int32_t index_key_hash(std::string_view topic, std::string_view key);

// The keys under which a message is filed, in order: its unique key, then each word of KEYS. The
// views point into `properties`.
std::vector<std::string_view> index_keys_of(std::string_view properties);
// Whether a record is filed at all: not if it rolls a transaction back.
bool is_indexed(std::int32_t sys_flag);

// Files one key of a message: changes entry, slot and header in `file`, a whole file of these
// sizes. False, and nothing is changed, if the file is full.
bool put_index_key(std::span<std::byte> file, const IndexSizes& sizes, std::int32_t key_hash,
                   PhysicalOffset physical, std::int64_t store_ms);

struct IndexQuery {
  std::int32_t key_hash = 0;
  std::size_t count_max = 32;
  std::int64_t begin_ms = 0;
  std::int64_t end_ms = INT64_MAX;
};

// Adds to `found` what a file has for a key, newest first, until `count_max` are there. `file` is a
// whole file of these sizes; whatever it holds, this ends. True: older files may have more.
bool query_index(std::span<const std::byte> file, const IndexSizes& sizes, const IndexQuery& query,
                 std::vector<PhysicalOffset>& found);

}  // namespace drydock
