#include "engine/wire/tag_expression.hpp"

#include <algorithm>

#include "engine/wire/java_string.hpp"

namespace drydock {

namespace {

// Java's trim.
std::string_view trimmed(std::string_view text) {
  const auto blank = [](char c) { return static_cast<unsigned char>(c) <= ' '; };
  while (!text.empty() && blank(text.front())) text.remove_prefix(1);
  while (!text.empty() && blank(text.back())) text.remove_suffix(1);
  return text;
}

}  // namespace

std::optional<std::vector<std::int32_t>> parse_tag_expression(std::string_view text) {
  constexpr std::string_view kOr = "||";
  std::vector<std::int32_t> codes;
  if (text.empty() || text == "*") return codes;
  for (;;) {
    const std::size_t end = text.find(kOr);
    const std::string_view tag = trimmed(text.substr(0, end));
    if (!tag.empty()) codes.push_back(java_string_hash(tag));
    if (end == std::string_view::npos) break;
    text.remove_prefix(end + kOr.size());
  }
  if (codes.empty()) return std::nullopt;
  std::ranges::sort(codes);
  codes.erase(std::ranges::unique(codes).begin(), codes.end());
  return codes;
}

}  // namespace drydock
