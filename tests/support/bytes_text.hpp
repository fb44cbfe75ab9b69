// Bytes as hexadecimal text, for golden values.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "engine/types/bytes.hpp"
#include "engine/wire/big_endian.hpp"

namespace drydock::test {

inline std::string hex(std::span<const std::byte> bytes) {
  constexpr std::string_view kDigits = "0123456789abcdef";
  std::string text;
  for (const std::byte b : bytes) {
    text += kDigits[std::to_integer<unsigned>(b) >> 4];
    text += kDigits[std::to_integer<unsigned>(b) & 15];
  }
  return text;
}

// Blanks between digits are skipped.
inline std::vector<std::byte> unhex(std::string_view text) {
  std::vector<std::byte> bytes;
  int high = -1;
  for (const char c : text) {
    if (c == ' ' || c == '\n') continue;
    const int digit = c <= '9' ? c - '0' : (c | 0x20) - 'a' + 10;
    if (high < 0) {
      high = digit;
    } else {
      bytes.push_back(static_cast<std::byte>(high * 16 + digit));
      high = -1;
    }
  }
  return bytes;
}

}  // namespace drydock::test
