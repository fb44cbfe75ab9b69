#include "scenarios/drill/digest.hpp"

#define XXH_INLINE_ALL
#include <xxhash.h>

#include <array>
#include <cinttypes>
#include <cstdio>

namespace drydock::scenarios {

std::string digest(std::string_view text) {
  const XXH128_hash_t hash = XXH3_128bits(text.data(), text.size());
  std::array<char, 33> hex{};
  std::snprintf(hex.data(), hex.size(), "%016" PRIx64 "%016" PRIx64,
                static_cast<std::uint64_t>(hash.high64), static_cast<std::uint64_t>(hash.low64));
  return std::string(hex.data());
}

}  // namespace drydock::scenarios
