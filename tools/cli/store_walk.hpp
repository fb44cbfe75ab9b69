// A file of a commit log, cut into what it consists of. Pure; uses the judge's decoder, which
// shares nothing with the engine.
//
//   file := { message } ( blank | zeros | damage … )
//
//   message   a whole record that says itself that it is here, with the right body checksum
//   blank     closes a file; reaches to its end
//   zeros     to the end of the file: never written, or lost
//   damage    anything else, up to the next message that lies where it says it is, or to the last
//             byte that is not zero
//
// A message behind damage is either intact or left over from before an earlier recovery, which cuts
// a log by moving its end and leaves the bytes: bytes alone can't tell the two apart.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <string>

#include "scenarios/audit/record_decoder.hpp"

namespace drydock::cli {

struct LogPiece {
  enum class Kind : std::uint8_t { message, blank, zeros, damage };
  Kind kind = Kind::damage;
  std::int64_t offset = 0;  // Physical offset of its first byte.
  std::int64_t bytes = 0;
  scenarios::DecodedRecord record;  // Of a message; its views end with the visit.
  std::string why;                  // Of damage.
};

// Visits the pieces of one file, of which `begin` is the physical offset, in order.
void walk_pieces(std::int64_t begin, std::span<const std::byte> bytes,
                 const std::function<void(const LogPiece&)>& visit);

}  // namespace drydock::cli
