#include "engine/wire/compression.hpp"

#include <zlib.h>

#include <algorithm>

namespace drydock {

namespace {

constexpr std::size_t kStepBytes = 64 * 1024;

const Bytef* as_zlib(std::span<const std::byte> bytes) {
  return reinterpret_cast<const Bytef*>(bytes.data());
}

}  // namespace

std::uint32_t body_crc(std::span<const std::byte> bytes) {
  return static_cast<std::uint32_t>(crc32_z(0, as_zlib(bytes), bytes.size())) & 0x7fff'ffff;
}

SharedBytes deflate_bytes(std::span<const std::byte> bytes) {
  uLongf size = compressBound(bytes.size());
  SharedBytes result = SharedBytes::allocate(size);
  auto* const into = reinterpret_cast<Bytef*>(result.writable().data());
  const int done = compress2(into, &size, as_zlib(bytes), bytes.size(), Z_BEST_COMPRESSION);
  ENSURE(done == Z_OK);
  return result.slice(0, size);
}

std::optional<std::string> inflate_bytes(std::span<const std::byte> bytes, std::size_t bytes_max) {
  z_stream stream{};
  if (inflateInit(&stream) != Z_OK) return std::nullopt;
  stream.next_in = const_cast<Bytef*>(as_zlib(bytes));
  stream.avail_in = static_cast<uInt>(bytes.size());
  std::string out;
  int state = Z_OK;
  while (state == Z_OK) {
    const std::size_t filled = out.size();
    const std::size_t room = std::min(kStepBytes, bytes_max - filled + 1);
    out.resize(filled + room);
    stream.next_out = reinterpret_cast<Bytef*>(out.data() + filled);
    stream.avail_out = static_cast<uInt>(room);
    state = inflate(&stream, Z_NO_FLUSH);
    out.resize(filled + room - stream.avail_out);
    if (out.size() > bytes_max) break;
  }
  inflateEnd(&stream);
  if (state != Z_STREAM_END || out.size() > bytes_max) return std::nullopt;
  return out;
}

}  // namespace drydock
