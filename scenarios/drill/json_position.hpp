// Where in a scenario's text something stands. The parser doesn't say, so the text is walked again
// when a refusal needs it.
#pragma once

#include <cstddef>
#include <string_view>

namespace drydock::scenarios {

// From 1. Columns count bytes.
struct TextPosition {
  std::size_t line = 1;
  std::size_t column = 1;
};

// Where the value with this path ("/topology/hosts/h", "/faults/kill/0") begins; of a member of an
// object, where its key does. `text` is JSON with comments. What the path names beyond what the
// text has is ignored: then it is the place of the part that is there.
TextPosition position_of(std::string_view text, std::string_view path);

// The position of a byte.
TextPosition position_at(std::string_view text, std::size_t offset);

}  // namespace drydock::scenarios
