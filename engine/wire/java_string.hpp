// Pure: java.lang.String.hashCode of a text that came as UTF-8.
//
//   hash := 0; for each UTF-16 code unit u: hash := 31 · hash + u, in wrapping 32 bits
//
// RocketMQ files tags, index keys and locks by it. A character beyond U+FFFF counts as its two
// surrogates. What is no UTF-8 counts as Java's decoder replaces it: one U+FFFD for each longest
// piece that could have begun a character.
#pragma once

#include <cstdint>
#include <string_view>

namespace drydock {

// `front` is the hash of the text in front of this one, if there is any and the two meet between
// characters.
std::int32_t java_string_hash(std::string_view utf8, std::int32_t front = 0);

}  // namespace drydock
