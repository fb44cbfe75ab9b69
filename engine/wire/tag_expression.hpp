// Which messages a consumer wants: "*", or tags with || between (storage reference, 3.5). Pure.
#pragma once

#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace drydock {

// The longest expression that is understood: as long as a message's properties may be.
inline constexpr std::size_t kTagExpressionBytesMax = 32'767;

// Java's hashes of the tags, each once, in the order of their numbers; empty: every message. None
// if the text names no tag at all ("||"), or is too long. Blanks around a tag don't count.
std::optional<std::vector<std::int32_t>> parse_tag_expression(std::string_view text);

// The tags themselves: different ones may have the same hash, which is all that a broker looks at.
class TagSet {
 public:
  // Of an expression that parse_tag_expression takes.
  explicit TagSet(std::string_view expression);
  bool contains(std::string_view tag) const { return all_ || tags_.contains(tag); }

 private:
  bool all_ = false;
  std::set<std::string, std::less<>> tags_;
};

}  // namespace drydock
