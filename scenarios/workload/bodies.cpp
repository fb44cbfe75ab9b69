#include "scenarios/workload/bodies.hpp"

#include <bit>
#include <cstring>

namespace drydock::scenarios {
namespace {

static_assert(std::endian::native == std::endian::little);

// Word `index` of the body: different constants of full period for key and place.
std::uint64_t word(std::uint64_t key, std::uint64_t index) {
  return (key + 1) * 0x9e3779b97f4a7c15 ^ (index + 1) * 0xd1b54a32d192ed03;
}

constexpr std::size_t kWord = sizeof(std::uint64_t);

}  // namespace

// Whole words apart from the rest: copies of a constant length are single instructions.
SharedBytes body_of(std::uint64_t key, std::size_t size) {
  SharedBytes body = SharedBytes::allocate(size);
  std::byte* at = body.writable().data();
  const std::size_t words = size / kWord;
  for (std::size_t i = 0; i < words; ++i, at += kWord) {
    const std::uint64_t value = word(key, i);
    std::memcpy(at, &value, kWord);
  }
  const std::uint64_t last = word(key, words);
  if (size % kWord != 0) std::memcpy(at, &last, size % kWord);
  return body;
}

bool is_body_of(std::uint64_t key, std::span<const std::byte> bytes) {
  const std::byte* at = bytes.data();
  const std::size_t words = bytes.size() / kWord;
  for (std::size_t i = 0; i < words; ++i, at += kWord) {
    std::uint64_t value = 0;
    std::memcpy(&value, at, kWord);
    if (value != word(key, i)) return false;
  }
  const std::uint64_t last = word(key, words);
  const std::size_t rest = bytes.size() % kWord;
  return rest == 0 || std::memcmp(at, &last, rest) == 0;
}

}  // namespace drydock::scenarios
