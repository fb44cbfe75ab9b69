// The records of a bare writer: fixed size, one behind the other from the start of its file.
//
//   8 bytes   the key, little endian, never 0
//   the rest  the body of that key
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "engine/runtime/context.hpp"
#include "scenarios/drill/drill.hpp"

namespace drydock::scenarios {

SharedBytes record_of(std::uint64_t key, std::size_t size);
// The key, if the bytes are exactly a record.
std::optional<std::uint64_t> key_of_record(std::span<const std::byte> bytes);

// A record that is whole.
struct FoundRecord {
  std::int64_t offset = 0;
  std::uint64_t key = 0;
};
struct RecordFile {
  std::string path;
  std::int64_t record_bytes = 0;
  Caching caching = Caching::buffered;  // Of who reads. Direct: records are multiples of 4 KiB.
};
// Reads the file through, from its begin to its end. A file that is missing has none.
Task<Result<std::vector<FoundRecord>>> find_records(Context& context, Worker& worker,
                                                    RecordFile file);

}  // namespace drydock::scenarios
