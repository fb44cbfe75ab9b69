// Pure: the encodings that a configuration file may have.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace drydock {

// Well formed: no overlong form, no surrogate, nothing beyond U+10FFFF. ASCII is.
bool is_utf8(std::string_view bytes);

// Each byte is the character of its number.
std::string utf8_from_latin1(std::string_view bytes);

// `point`: at most 0x10ffff.
void append_utf8(std::string& out, std::uint32_t point);

}  // namespace drydock
