// What zlib does for bodies. Pure.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>

#include "engine/types/bytes.hpp"

namespace drydock {

// RocketMQ's check sum, mostly of a body: CRC-32 as zlib computes it, without its top bit.
std::uint32_t body_crc(std::span<const std::byte> bytes);

// In zlib's format, at its best level.
SharedBytes deflate_bytes(std::span<const std::byte> bytes);
// None if the bytes are not zlib's, end early, or would become more than `bytes_max`.
std::optional<std::string> inflate_bytes(std::span<const std::byte> bytes, std::size_t bytes_max);

}  // namespace drydock
