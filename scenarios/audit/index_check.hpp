// Whether the index leads to the messages that the log has (storage reference, section 4). Pure,
// but for what reads the files.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "engine/runtime/context.hpp"
#include "reports/record/final_store.hpp"

namespace drydock::scenarios {

inline constexpr std::int64_t kIndexFileBytesMax = std::int64_t{1}
                                                   << 28;  // Of what is used of one.

// Of a key as the index files it: Java's hash of "TOPIC#KEY" without its sign.
std::uint32_t index_hash(std::string_view topic, std::string_view key);

// How many entries a file counts, the one without a use in front included; none if `header`, its
// first 40 bytes, is no header of a file with so much room.
std::int64_t index_entries_used(std::span<const std::byte> header, std::int64_t entries_max);

enum class IndexWalk : std::uint8_t {
  found,    // An entry of the key's chain names the record.
  absent,   // The chain ends without.
  endless,  // The chain is longer than the file: whoever follows it never comes to an end.
};
// Follows the chain of a key as RocketMQ does, which ends it at a link to itself and at one behind
// the last entry. `file`: its header, `slots` slots, and entries as far as they are used.
IndexWalk look_up(std::span<const std::byte> file, std::int64_t slots, std::uint32_t hash,
                  std::int64_t physical_offset);

struct IndexRequest {
  std::string directory;         // Of the index files.
  std::int64_t slots = 0;        // maxHashSlotNum
  std::int64_t entries_max = 0;  // maxIndexNum
};
// Looks every message of `store.copies` that has a queue and a key of ours up by its key, in all
// files, and counts what comes of it. False: `store.note` says why the files could not be read.
Task<bool> check_index(Context& context, Worker& worker, IndexRequest request,
                       reports::FinalStore& store);

}  // namespace drydock::scenarios
