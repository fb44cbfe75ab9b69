// A short name for a text: equal texts, equal names.
#pragma once

#include <string>
#include <string_view>

namespace drydock::scenarios {

// XXH3, 128 bits, as 32 hexadecimal digits.
std::string digest(std::string_view text);

}  // namespace drydock::scenarios
