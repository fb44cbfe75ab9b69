// drydock store dump: every record of a commit log, a line each; store_dump_parts has the rest.
#include <time.h>

#include <cstdio>

#include "scenarios/drill/drill.hpp"
#include "tools/cli/commands.hpp"
#include "tools/cli/store_dump_parts.hpp"
#include "tools/cli/store_files.hpp"
#include "tools/cli/store_walk.hpp"
#include "tools/cli/terminal.hpp"

namespace drydock::cli {
namespace {

using Kind = LogPiece::Kind;
using PropertyChecksum = scenarios::DecodedRecord::PropertyChecksum;

// "2026-11-30T07:48:12.345Z"; milliseconds as they are if no calendar reaches so far.
std::string text_of_time(std::int64_t ms) {
  const time_t seconds = ms / 1000;
  struct tm parts = {};
  char text[64];
  if (ms < 0 || ::gmtime_r(&seconds, &parts) == nullptr) return std::to_string(ms) + "ms";
  const std::size_t length = ::strftime(text, sizeof text, "%Y-%m-%dT%H:%M:%S", &parts);
  char fraction[8];
  std::snprintf(fraction, sizeof fraction, ".%03dZ", static_cast<int>(ms % 1000));
  return std::string(text, length) + fraction;
}

const char* shown(PropertyChecksum checksum) {
  switch (checksum) {
    case PropertyChecksum::absent: return "";
    case PropertyChecksum::right: return " (property CRC right)";
    case PropertyChecksum::wrong: return " (damaged: property CRC wrong)";
  }
  return "";
}

void print_message(const LogPiece& piece) {
  const scenarios::DecodedRecord& record = piece.record;
  const std::string key = printable(std::string(scenarios::property(record.properties, "KEYS")));
  std::printf("%20lld %10lld %s %d %lld %s %s%s\n", static_cast<long long>(piece.offset),
              static_cast<long long>(piece.bytes), word(record.topic).c_str(), record.queue_id,
              static_cast<long long>(record.queue_offset), text_of_time(record.store_ms).c_str(),
              key.empty() ? "-" : key.c_str(), shown(record.property_checksum));
}

void print_other(const LogPiece& piece) {
  std::string what = "(zeros to the end of the file)";
  if (piece.kind == Kind::blank) what = "(blank: the rest of the file is unused)";
  if (piece.kind == Kind::damage) what = "(damaged: " + piece.why + ")";
  std::printf("%20lld %10lld %s\n", static_cast<long long>(piece.offset),
              static_cast<long long>(piece.bytes), what.c_str());
}

// What is wrong with a file as a whole, in a line. `next`: where it should begin; none: anywhere.
bool print_file_damage(const StoreFiles& store, const LogFile& file,
                       std::optional<std::int64_t> next) {
  const bool missing = next && *file.begin != *next;
  if (missing) {
    std::printf("# (damaged: the file at %lld is missing)\n", static_cast<long long>(*next));
  }
  const bool wrong_size = file.bytes != store.file_bytes;
  if (wrong_size) {
    std::printf("# %s: (damaged: has %lld bytes, not %lld)\n", printable(file.path).c_str(),
                static_cast<long long>(file.bytes), static_cast<long long>(store.file_bytes));
  }
  return missing || wrong_size;
}

}  // namespace

int store_dump(const StoreDumpOptions& options) {
  if (options.part != kDumpParts[0]) return dump_part(options);
  const StoreFiles store = list_store(options.store.directory, options.store.conf);
  std::printf("#%19s %10s topic queue queue-offset store-time key\n", "offset", "size");
  bool damaged = false;
  std::optional<std::int64_t> next;
  for (const std::string& path : store.blocked) {
    std::printf("# %s: (damaged: is a directory)\n", printable(path).c_str());
    damaged = true;
  }
  for (const LogFile& file : store.files) {
    if (file.bytes == 0 && &file == &store.files.back()) {
      std::printf("# %s: (empty: a broker removes it at start)\n", printable(file.path).c_str());
      break;
    }
    if (!file.begin) {
      std::printf("# %s: not named by an offset, left out\n", printable(file.path).c_str());
      damaged = true;
      continue;
    }
    if (print_file_damage(store, file, next)) damaged = true;
    next = *file.begin + store.file_bytes;
    const MappedInput input(file.path);
    walk_pieces(*file.begin, input.bytes(), [&damaged](const LogPiece& piece) {
      if (piece.kind == Kind::damage) damaged = true;
      if (piece.record.property_checksum == PropertyChecksum::wrong) damaged = true;
      piece.kind == Kind::message ? print_message(piece) : print_other(piece);
    });
  }
  return damaged ? kDamageFound : 0;
}

}  // namespace drydock::cli
