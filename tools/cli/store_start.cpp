#include "tools/cli/store_start.hpp"

#include <algorithm>
#include <filesystem>

namespace drydock::cli {
namespace {

constexpr std::size_t kUnitBytes = 20;
constexpr std::int64_t kPreBlankSize = 0x7fffffff;  // Of units in front of a queue's first one.
constexpr std::int64_t kMarginMs = 3'000;
constexpr std::size_t kFrontBytes = 76;  // Up to the store time, whatever the born host.

// The end of the record that the last valid unit of a queue's file points to; -1: none.
std::int64_t known_to_of(std::span<const std::byte> units) {
  std::int64_t known = -1;
  for (std::size_t at = 0; at + kUnitBytes <= units.size(); at += kUnitBytes) {
    const std::int64_t physical = integer_at(units, at);
    const std::int64_t size = integer_at(units, at + 8) >> 32;
    if (physical < 0 || size <= 0) break;
    if (size != kPreBlankSize) known = physical + size;
  }
  return known;
}

// The largest of all queues.
std::int64_t known_to(const std::string& root) {
  std::int64_t known = -1;
  std::error_code error;
  for (std::filesystem::recursive_directory_iterator entry(root + "/consumequeue", error), end;
       !error && entry != end; entry.increment(error)) {
    std::error_code unknown;
    if (!entry->is_regular_file(unknown)) continue;
    const MappedInput input(entry->path().string());
    known = std::max(known, known_to_of(input.bytes()));
  }
  return known;
}

// min(physical, logics) less the margin; 0 without a checkpoint.
std::int64_t checkpoint_ms(const std::string& root) {
  const std::string path = root + "/checkpoint";
  std::error_code missing;
  if (!std::filesystem::exists(path, missing)) return 0;
  const MappedInput input(path);
  if (input.bytes().size() < 16) return 0;
  const std::int64_t newest = std::min(integer_at(input.bytes(), 0), integer_at(input.bytes(), 8));
  return std::max<std::int64_t>(0, newest - kMarginMs);
}

// Whether a file's first bytes are of a record that was stored by then. Source: storage reference,
// 2.1: magic at 4, flags at 36, store time behind the born host of 8 or 20 bytes.
bool begins_by(const LogFile& file, std::int64_t ms) {
  const MappedInput input(file.path);
  if (input.bytes().size() < kFrontBytes || input.bytes()[4] != std::byte{0xda}) return false;
  const bool six = (input.bytes()[39] & std::byte{0x10}) != std::byte{0};
  const std::int64_t stored = integer_at(input.bytes(), six ? 68 : 56);
  return stored != 0 && stored <= ms;
}

}  // namespace

std::size_t recovery_start(const StoreFiles& store, bool crashed) {
  const std::int64_t limit = crashed ? checkpoint_ms(store.root) : known_to(store.root);
  for (std::size_t i = store.files.size(); i-- > 1;) {
    const LogFile& file = store.files[i];
    if (!file.begin) continue;
    if (crashed ? begins_by(file, limit) : *file.begin <= limit) return i;
  }
  return 0;
}

}  // namespace drydock::cli
