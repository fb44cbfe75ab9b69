// scenarios/workload is what the clients of a drill do.
//
//   bodies     the bytes of a message as a function of its key
//   recorder   the history: what was invoked, and how it ended
//   producer   the program of a producer process
//   consumer   the program of a consumer process
//   pace       when the bytes of an open loop are due
//   records    the records of a bare writer, and how they are found again
//   writer     the program of a bare writer: a file, no broker
//   reader     the program of a bare reader, which disturbs others
//
// This file: bodies. Nobody stores them: the judge makes them again from the key.
#pragma once

#include <cstdint>
#include <span>

#include "engine/types/bytes.hpp"

namespace drydock::scenarios {

// `size` bytes that differ between keys, and between any two 8-byte words of one body.
SharedBytes body_of(std::uint64_t key, std::size_t size);

// Whether `bytes` are exactly `body_of(key, bytes.size())`.
bool is_body_of(std::uint64_t key, std::span<const std::byte> bytes);

}  // namespace drydock::scenarios
