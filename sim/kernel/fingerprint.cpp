#include "sim/kernel/fingerprint.hpp"

#define XXH_INLINE_ALL
#include <xxhash.h>

#include <cinttypes>
#include <cstdio>

namespace drydock::sim {
namespace {

Digest extend(const Digest& before, std::span<const EventRecord> records) {
  const XXH64_hash_t seed = before.low ^ (before.high * 0x9e3779b97f4a7c15);
  const XXH128_hash_t hash = XXH3_128bits_withSeed(records.data(), records.size_bytes(), seed);
  return {hash.low64 + before.high, hash.high64 ^ before.low};
}

}  // namespace

std::string Digest::hex() const {
  std::array<char, 33> text{};
  std::snprintf(text.data(), text.size(), "%016" PRIx64 "%016" PRIx64, high, low);
  return std::string(text.data());
}

void Fingerprint::flush() {
  const std::span<const EventRecord> records(ring_.data(), filled_);
  if (sink_) sink_(records, flushed_);
  digest_ = extend(digest_, records);
  flushed_ += filled_;
  filled_ = 0;
}

Digest Fingerprint::digest() const { return extend(digest_, pending()); }

}  // namespace drydock::sim
