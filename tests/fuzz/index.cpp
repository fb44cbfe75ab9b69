// Index files that somebody else wrote, or a disk has damaged: every search ends, that of the
// broker and that of the judge.
#include <algorithm>
#include <cstdint>
#include <vector>

#include "engine/store/index_file.hpp"
#include "engine/types/ensure.hpp"
#include "scenarios/audit/index_check.hpp"
#include "tests/fuzz/fuzzer.hpp"

namespace drydock {

std::vector<std::string> fuzz::seeds() {
  constexpr IndexSizes kSizes{.slots = 4, .entries = 16};
  std::vector<std::byte> file(static_cast<std::size_t>(kSizes.file_bytes()));
  for (std::int32_t hash = 0; hash < 9; ++hash) {
    (void)put_index_key(file, kSizes, hash, PhysicalOffset(100 * hash), 1'700'000'000'000);
  }
  return {std::string(file.size(), '\0'), fuzz::text_of(file)};
}

}  // namespace drydock

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace drydock;
  const std::span<const std::byte> bytes(reinterpret_cast<const std::byte*>(data), size);
  constexpr IndexSizes kSizes{.slots = 4, .entries = 16};
  ENSURE(scenarios::index_entries_used(bytes, kSizes.entries) <= kSizes.entries);
  for (std::uint32_t hash = 0; hash < 9; ++hash) {
    (void)scenarios::look_up(bytes, kSizes.slots, hash, 100);
  }
  std::vector<std::byte> file(static_cast<std::size_t>(kSizes.file_bytes()));
  std::ranges::copy(bytes.first(std::min(bytes.size(), file.size())), file.begin());
  for (std::int32_t hash = 0; hash < kSizes.slots; ++hash) {
    std::vector<PhysicalOffset> found;
    (void)query_index(file, kSizes, {.key_hash = hash, .count_max = 64, .begin_ms = -1}, found);
    ENSURE(found.size() <= static_cast<std::size_t>(kSizes.entries));
    (void)put_index_key(file, kSizes, hash, PhysicalOffset(1), 1);
  }
  return 0;
}
