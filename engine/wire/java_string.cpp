#include "engine/wire/java_string.hpp"

namespace drydock {

namespace {

constexpr std::uint32_t kReplacement = 0xfffd;

// The range in which the second byte of a character must lie, by its first: neither overlong, nor a
// surrogate, nor beyond U+10FFFF.
bool is_second(unsigned char first, unsigned char second) {
  const unsigned char low = first == 0xe0 ? 0xa0 : first == 0xf0 ? 0x90 : 0x80;
  const unsigned char high = first == 0xed ? 0x9f : first == 0xf4 ? 0x8f : 0xbf;
  return second >= low && second <= high;
}

// How many bytes follow the first one; -1 if no character starts so.
int following(unsigned char first) {
  if (first < 0x80) return 0;
  if (first >= 0xc2 && first <= 0xdf) return 1;
  if (first >= 0xe0 && first <= 0xef) return 2;
  if (first >= 0xf0 && first <= 0xf4) return 3;
  return -1;
}

// Takes one character, or one malformed piece, off the front.
std::uint32_t take_code_point(std::string_view& text) {
  const auto first = static_cast<unsigned char>(text.front());
  text.remove_prefix(1);
  const int count = following(first);
  if (count < 0) return kReplacement;
  std::uint32_t point = count == 0 ? first : first & (0x3fu >> count);
  for (int i = 0; i < count; ++i) {
    if (text.empty()) return kReplacement;
    const auto next = static_cast<unsigned char>(text.front());
    if (i == 0 ? !is_second(first, next) : (next & 0xc0) != 0x80) return kReplacement;
    point = point << 6 | (next & 0x3fu);
    text.remove_prefix(1);
  }
  return point;
}

}  // namespace

std::int32_t java_string_hash(std::string_view utf8, std::int32_t front) {
  auto hash = static_cast<std::uint32_t>(front);
  while (!utf8.empty()) {
    const std::uint32_t point = take_code_point(utf8);
    if (point > 0xffff) {
      hash = 31 * hash + (0xd800 + ((point - 0x10000) >> 10));
      hash = 31 * hash + (0xdc00 + ((point - 0x10000) & 0x3ff));
    } else {
      hash = 31 * hash + point;
    }
  }
  return static_cast<std::int32_t>(hash);
}

}  // namespace drydock
