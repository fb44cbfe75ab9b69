#include "scenarios/workload/bodies.hpp"

#include <algorithm>
#include <bit>
#include <cstring>

namespace drydock::scenarios {
namespace {

static_assert(std::endian::native == std::endian::little);

// Word `index` of the body: different constants of full period for key and place.
std::uint64_t word(std::uint64_t key, std::uint64_t index) {
  return (key + 1) * 0x9e3779b97f4a7c15 ^ (index + 1) * 0xd1b54a32d192ed03;
}

}  // namespace

SharedBytes body_of(std::uint64_t key, std::size_t size) {
  SharedBytes body = SharedBytes::allocate(size);
  const std::span<std::byte> bytes = body.writable();
  for (std::size_t at = 0; at < size; at += sizeof(std::uint64_t)) {
    const std::uint64_t value = word(key, at / sizeof(std::uint64_t));
    std::memcpy(bytes.data() + at, &value, std::min(sizeof(value), size - at));
  }
  return body;
}

bool is_body_of(std::uint64_t key, std::span<const std::byte> bytes) {
  for (std::size_t at = 0; at < bytes.size(); at += sizeof(std::uint64_t)) {
    const std::uint64_t value = word(key, at / sizeof(std::uint64_t));
    const std::size_t length = std::min(sizeof(value), bytes.size() - at);
    if (std::memcmp(bytes.data() + at, &value, length) != 0) return false;
  }
  return true;
}

}  // namespace drydock::scenarios
