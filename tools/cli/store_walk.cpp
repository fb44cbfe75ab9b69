#include "tools/cli/store_walk.hpp"

#include <algorithm>
#include <cstring>

#include "tools/cli/store_files.hpp"

namespace drydock::cli {
namespace {

using scenarios::DecodedRecord;
using Kind = LogPiece::Kind;

// Places in a record. Source: storage reference, 2.1.
constexpr std::size_t kMagicAt = 4;
constexpr std::size_t kPhysicalOffsetAt = 28;
constexpr int kMagicFirstByte = 0xda;  // Of both versions.

// The piece at `at`, except that damage is not measured yet.
LogPiece piece_at(std::int64_t begin, std::span<const std::byte> bytes, std::size_t at) {
  const std::span<const std::byte> rest = bytes.subspan(at);
  LogPiece piece;
  piece.offset = begin + static_cast<std::int64_t>(at);
  piece.record = scenarios::decode_record(rest);
  piece.bytes = piece.record.total_bytes;
  piece.why = piece.record.why;
  switch (piece.record.kind) {
    case DecodedRecord::Kind::damaged: break;
    case DecodedRecord::Kind::blank:
      piece.kind = Kind::blank;
      if (piece.bytes != static_cast<std::int64_t>(rest.size())) {
        piece.kind = Kind::damage;
        piece.why = "a blank that does not reach to the end of the file";
      }
      break;
    case DecodedRecord::Kind::message:
      piece.kind = Kind::message;
      if (piece.record.physical_offset != piece.offset) {
        piece.kind = Kind::damage;
        piece.why = "a record that says it is at " + std::to_string(piece.record.physical_offset);
      } else if (!piece.record.body_checksum_right) {
        piece.kind = Kind::damage;
        piece.why =
            "a record of " + std::to_string(piece.bytes) + " bytes whose body has another checksum";
      }
      break;
  }
  return piece;
}

// Where the next intact message begins, from `at` on; the size of `bytes` if there is none.
std::size_t next_message(std::int64_t begin, std::span<const std::byte> bytes, std::size_t at) {
  while (at + kPhysicalOffsetAt + 8 <= bytes.size()) {
    const std::span<const std::byte> from = bytes.subspan(at + kMagicAt);
    const void* const found = std::memchr(from.data(), kMagicFirstByte, from.size());
    if (found == nullptr) break;
    at += static_cast<std::size_t>(static_cast<const std::byte*>(found) - from.data());
    if (at + kPhysicalOffsetAt + 8 > bytes.size()) break;
    const std::int64_t place = begin + static_cast<std::int64_t>(at);
    const bool says_so = integer_at(bytes, at + kPhysicalOffsetAt) == place;
    if (says_so && piece_at(begin, bytes, at).kind == Kind::message) return at;
    ++at;
  }
  return bytes.size();
}

// Measures the damage that begins at `at`. Zeros at its end that go to the end of the file are no
// part of it.
void measure(LogPiece& piece, std::int64_t begin, std::span<const std::byte> bytes,
             std::size_t at) {
  std::size_t end = next_message(begin, bytes, at + 1);
  if (end == bytes.size()) {
    while (bytes[end - 1] == std::byte{0}) --end;
  }
  piece.bytes = static_cast<std::int64_t>(end - at);
  if (all_zero(bytes.subspan(at, std::min<std::size_t>(8, end - at)))) {
    piece.why = "zeros, and something behind them";
  }
}

}  // namespace

void walk_pieces(std::int64_t begin, std::span<const std::byte> bytes,
                 const std::function<void(const LogPiece&)>& visit) {
  std::size_t at = 0;
  while (at < bytes.size()) {
    LogPiece piece = piece_at(begin, bytes, at);
    if (piece.kind == Kind::damage) {
      if (all_zero(bytes.subspan(at))) {
        piece.kind = Kind::zeros;
        piece.bytes = static_cast<std::int64_t>(bytes.size() - at);
      } else {
        measure(piece, begin, bytes, at);
      }
    }
    visit(piece);
    at += static_cast<std::size_t>(piece.bytes);
  }
}

}  // namespace drydock::cli
