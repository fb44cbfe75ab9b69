#include "engine/broker/utf8.hpp"

namespace drydock {

namespace {

// How many bytes a character has by its first byte; 0 if none starts so.
std::size_t length_by_first(unsigned char first) {
  if (first < 0x80) return 1;
  if (first >= 0xc2 && first <= 0xdf) return 2;  // C0 and C1 would be overlong.
  if (first >= 0xe0 && first <= 0xef) return 3;
  if (first >= 0xf0 && first <= 0xf4) return 4;
  return 0;
}

// The second byte also says that the character is not overlong, no surrogate and not too large.
bool is_second(unsigned char first, unsigned char second) {
  const unsigned char low = first == 0xe0 ? 0xa0 : first == 0xf0 ? 0x90 : 0x80;
  const unsigned char high = first == 0xed ? 0x9f : first == 0xf4 ? 0x8f : 0xbf;
  return second >= low && second <= high;
}

char continuation(std::uint32_t bits) { return static_cast<char>(0x80 | (bits & 0x3f)); }

}  // namespace

bool is_utf8(std::string_view bytes) {
  while (!bytes.empty()) {
    const auto first = static_cast<unsigned char>(bytes[0]);
    const std::size_t length = length_by_first(first);
    if (length == 0 || length > bytes.size()) return false;
    for (std::size_t i = 1; i < length; ++i) {
      const auto next = static_cast<unsigned char>(bytes[i]);
      if (i == 1 ? !is_second(first, next) : (next & 0xc0) != 0x80) return false;
    }
    bytes.remove_prefix(length);
  }
  return true;
}

std::string utf8_from_latin1(std::string_view bytes) {
  std::string out;
  for (const char c : bytes) append_utf8(out, static_cast<unsigned char>(c));
  return out;
}

void append_utf8(std::string& out, std::uint32_t point) {
  if (point < 0x80) {
    out += static_cast<char>(point);
  } else if (point < 0x800) {
    out += static_cast<char>(0xc0 | (point >> 6));
    out += continuation(point);
  } else if (point < 0x10000) {
    out += static_cast<char>(0xe0 | (point >> 12));
    out += continuation(point >> 6);
    out += continuation(point);
  } else {
    out += static_cast<char>(0xf0 | (point >> 18));
    out += continuation(point >> 12);
    out += continuation(point >> 6);
    out += continuation(point);
  }
}

}  // namespace drydock
