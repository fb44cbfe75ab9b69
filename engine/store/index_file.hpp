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
#include <optional>
#include <span>
#include <string>
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

// The keys under which a message is filed, one after the other: its unique key, then each word of
// KEYS. Both may be empty. The views that come out point into those that went in.
class IndexKeys {
 public:
  IndexKeys(std::string_view unique_key, std::string_view keys)
      : unique_key_(unique_key), keys_(keys) {}
  // False at the end.
  bool next(std::string_view& key);

 private:
  std::string_view unique_key_;
  std::string_view keys_;
};
// Of a message with these properties, in order. The views point into `properties`.
std::vector<std::string_view> index_keys_of(std::string_view properties);
// Whether a record is filed at all: not if it rolls a transaction back.
bool is_indexed(std::int32_t sys_flag);

// What filing one key of a message writes, in this order: the entry, its slot, the header.
struct IndexPut {
  std::int64_t entry_at = 0;
  std::array<std::byte, kIndexEntryBytes> entry;
  std::int64_t slot_at = 0;
  std::array<std::byte, kIndexSlotBytes> slot;
  IndexHeader header;  // As it is then.
};
struct IndexKeyPlace {
  std::int32_t key_hash = 0;
  PhysicalOffset physical;
  std::int64_t store_ms = 0;
};
// `slot` is what the file holds at sizes.slot_at(key_hash). The file is not full.
IndexPut put_index_entry(const IndexHeader& header, const IndexSizes& sizes,
                         const IndexKeyPlace& place, std::span<const std::byte> slot);

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

// What a file has for a key, newest first. The search says which bytes of the file it wants, and is
// given them, until it wants no more; whatever the file holds, this ends.
class IndexSearch {
 public:
  IndexSearch(const IndexHeader& header, const IndexSizes& sizes, const IndexQuery& query);

  struct Piece {
    std::int64_t at = 0;
    std::int64_t bytes = 0;
  };
  // `found`: how much the files searched so far have come to. None: the search has ended.
  std::optional<Piece> wanted(std::size_t found) const;
  // The bytes of the wanted piece. Adds to `found`.
  void take(std::span<const std::byte> piece, std::vector<PhysicalOffset>& found);
  // Whether older files may have more.
  bool goes_on(std::size_t found) const {
    return header_.begin_ms >= query_.begin_ms && found < query_.count_max;
  }

 private:
  void take_entry(std::span<const std::byte> piece, std::vector<PhysicalOffset>& found);

  const IndexHeader& header_;
  const IndexSizes& sizes_;
  const IndexQuery& query_;
  bool slot_read_ = false;
  std::int32_t number_ = 0;  // Of the entry to look at; 0: none.
  std::int32_t steps_ = 0;   // A damaged chain may lead in a circle.
};

// Adds to `found` what a file has for a key, newest first, until `count_max` are there. `file` is a
// whole file of these sizes. True: older files may have more.
bool query_index(std::span<const std::byte> file, const IndexSizes& sizes, const IndexQuery& query,
                 std::vector<PhysicalOffset>& found);

// The name of a file made at `now_ms` (wall time): yyyyMMddHHmmssSSS, in UTC. `last` is that of the
// newest file, or empty: the name is a later one in any case.
std::string index_file_name(std::int64_t now_ms, std::string_view last);

}  // namespace drydock
