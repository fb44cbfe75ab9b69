#include "scenarios/drill/json_position.hpp"

#include <algorithm>
#include <charconv>

namespace drydock::scenarios {
namespace {

// Walks well-formed JSON. On anything else it stops early, and never leaves the text.
class Walk {
 public:
  explicit Walk(std::string_view text) : text_(text) {}

  std::size_t find(std::string_view path) {
    skip_blanks();
    std::size_t found = at_;
    while (!path.empty()) {
      path.remove_prefix(1);  // The slash.
      const std::size_t slash = std::min(path.find('/'), path.size());
      const std::string_view name = path.substr(0, slash);
      path.remove_prefix(slash);
      if (!(peek() == '{' ? enter_member(name) : enter_element(name))) break;
      found = found_;
    }
    return found;
  }

 private:
  char peek() const { return at_ < text_.size() ? text_[at_] : '\0'; }

  void skip_blanks() {
    for (;;) {
      while (at_ < text_.size() && std::string_view(" \t\r\n").contains(text_[at_])) ++at_;
      const std::string_view rest = text_.substr(at_);
      if (rest.starts_with("//")) {
        at_ = std::min(text_.find('\n', at_), text_.size());
      } else if (rest.starts_with("/*")) {
        const std::size_t end = text_.find("*/", at_ + 2);
        at_ = end == std::string_view::npos ? text_.size() : end + 2;
      } else {
        return;
      }
    }
  }

  // The string at the cursor without its quotes; escapes stay as they are.
  std::string_view take_string() {
    const std::size_t begin = ++at_;
    while (at_ < text_.size() && text_[at_] != '"') at_ += text_[at_] == '\\' ? 2 : 1;
    at_ = std::min(at_, text_.size());
    const std::string_view content = text_.substr(begin, at_ - begin);
    if (at_ < text_.size()) ++at_;
    return content;
  }

  void skip_value() {
    int depth = 0;
    do {
      skip_blanks();
      const char c = peek();
      if (c == '"') {
        take_string();
      } else if (c != '\0') {
        if (c == '{' || c == '[') ++depth;
        if (c == '}' || c == ']') --depth;
        const bool scalar = depth == 0 && !std::string_view("{}[]").contains(c);
        ++at_;
        while (scalar && at_ < text_.size() && !std::string_view(",]} \t\r\n/").contains(peek())) {
          ++at_;
        }
      }
    } while (depth > 0 && at_ < text_.size());
  }

  // To the next member or element. False: there is none.
  bool next() {
    skip_blanks();
    if (peek() != ',') return false;
    ++at_;
    skip_blanks();
    return true;
  }

  // From an object to the value of a member.
  bool enter_member(std::string_view name) {
    if (peek() != '{') return false;
    ++at_;
    skip_blanks();
    do {
      if (peek() != '"') return false;
      const std::size_t key_at = at_;
      const std::string_view key = take_string();
      skip_blanks();
      if (peek() != ':') return false;
      ++at_;
      skip_blanks();
      if (key == name) {
        found_ = key_at;
        return true;
      }
      skip_value();
    } while (next());
    return false;
  }

  // From an array to its element of that number.
  bool enter_element(std::string_view name) {
    std::size_t wanted = 0;
    const auto [end, error] = std::from_chars(name.data(), name.data() + name.size(), wanted);
    if (peek() != '[' || error != std::errc() || end != name.data() + name.size()) return false;
    ++at_;
    skip_blanks();
    for (std::size_t i = 0; i < wanted; ++i) {
      skip_value();
      if (!next()) return false;
    }
    found_ = at_;
    return true;
  }

  std::string_view text_;
  std::size_t at_ = 0;
  std::size_t found_ = 0;
};

}  // namespace

TextPosition position_at(std::string_view text, std::size_t offset) {
  const std::string_view before = text.substr(0, std::min(offset, text.size()));
  const auto lines = static_cast<std::size_t>(std::ranges::count(before, '\n'));
  const std::size_t newline = before.rfind('\n');
  const std::size_t line_begin = newline == std::string_view::npos ? 0 : newline + 1;
  return {lines + 1, before.size() - line_begin + 1};
}

TextPosition position_of(std::string_view text, std::string_view path) {
  return position_at(text, Walk(text).find(path));
}

}  // namespace drydock::scenarios
