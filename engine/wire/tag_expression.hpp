// Which messages a consumer wants: "*", or tags with || between (storage reference, 3.5). Pure.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

namespace drydock {

// Java's hashes of the tags, each once, in the order of their numbers; empty: every message. None
// if the text names no tag at all ("||"). Blanks around a tag don't count.
std::optional<std::vector<std::int32_t>> parse_tag_expression(std::string_view text);

}  // namespace drydock
