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

bool is_everything(std::string_view expression) { return expression.empty() || expression == "*"; }

// Calls `visit` for each tag that is named.
template <class Visit>
void for_each_tag(std::string_view expression, Visit visit) {
  constexpr std::string_view kOr = "||";
  for (;;) {
    const std::size_t end = expression.find(kOr);
    const std::string_view tag = trimmed(expression.substr(0, end));
    if (!tag.empty()) visit(tag);
    if (end == std::string_view::npos) return;
    expression.remove_prefix(end + kOr.size());
  }
}

}  // namespace

std::optional<std::vector<std::int32_t>> parse_tag_expression(std::string_view text) {
  std::vector<std::int32_t> codes;
  if (is_everything(text)) return codes;
  if (text.size() > kTagExpressionBytesMax) return std::nullopt;
  for_each_tag(text, [&codes](std::string_view tag) { codes.push_back(java_string_hash(tag)); });
  if (codes.empty()) return std::nullopt;
  std::ranges::sort(codes);
  codes.erase(std::ranges::unique(codes).begin(), codes.end());
  return codes;
}

TagSet::TagSet(std::string_view expression) : all_(is_everything(expression)) {
  if (!all_) for_each_tag(expression, [this](std::string_view tag) { tags_.emplace(tag); });
}

}  // namespace drydock
