// Files that users name.
#pragma once

#include <cstdint>
#include <string>

namespace drydock::cli {

// More than anybody writes by hand: scenarios, broker.conf, profiles.
inline constexpr std::int64_t kInputBytesMax = std::int64_t{64} << 20;
// What programs write: results of fio, repro.json.
inline constexpr std::int64_t kWrittenInputBytesMax = std::int64_t{512} << 20;

// The whole content of a file or a pipe. Throws scenarios::InputError if it is neither, can't be
// read to its end, or has more than `bytes_max`.
std::string read_file(const std::string& path, std::int64_t bytes_max = kInputBytesMax);

}  // namespace drydock::cli
