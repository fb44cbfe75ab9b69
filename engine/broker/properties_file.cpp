#include "engine/broker/properties_file.hpp"

#include <cstdint>
#include <optional>

namespace drydock {

namespace {

bool is_blank(char c) { return c == ' ' || c == '\t' || c == '\f'; }

std::string_view skip_blanks(std::string_view text) {
  while (!text.empty() && is_blank(text.front())) text.remove_prefix(1);
  return text;
}

bool ends_in_open_backslash(std::string_view line) {
  std::size_t count = 0;
  while (count < line.size() && line[line.size() - 1 - count] == '\\') ++count;
  return count % 2 == 1;
}

// Splits a text into lines, whatever ends them.
class LineReader {
 public:
  explicit LineReader(std::string_view text) : rest_(text) {}
  bool next(std::string_view& line) {
    if (rest_.empty()) return false;
    ++number_;
    const std::size_t end = rest_.find_first_of("\r\n");
    line = rest_.substr(0, end);
    if (end == std::string_view::npos) {
      rest_ = {};
      return true;
    }
    const bool two = rest_[end] == '\r' && end + 1 < rest_.size() && rest_[end + 1] == '\n';
    rest_.remove_prefix(end + (two ? 2 : 1));
    return true;
  }
  int number() const { return number_; }

 private:
  std::string_view rest_;
  int number_ = 0;
};

std::optional<std::uint32_t> four_hex_digits(std::string_view text) {
  if (text.size() < 4) return std::nullopt;
  std::uint32_t value = 0;
  for (const char c : text.substr(0, 4)) {
    const bool digit = c >= '0' && c <= '9';
    const bool lower = c >= 'a' && c <= 'f';
    const bool upper = c >= 'A' && c <= 'F';
    if (!digit && !lower && !upper) return std::nullopt;
    value = value * 16 + static_cast<std::uint32_t>(digit ? c - '0' : (c | 0x20) - 'a' + 10);
  }
  return value;
}

void append_utf8(std::string& out, std::uint32_t point) {
  if (point < 0x80) {
    out += static_cast<char>(point);
  } else if (point < 0x800) {
    out += static_cast<char>(0xc0 | (point >> 6));
    out += static_cast<char>(0x80 | (point & 0x3f));
  } else {
    out += static_cast<char>(0xe0 | (point >> 12));
    out += static_cast<char>(0x80 | ((point >> 6) & 0x3f));
    out += static_cast<char>(0x80 | (point & 0x3f));
  }
}

std::string unescape(std::string_view text) {
  std::string out;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] != '\\' || i + 1 == text.size()) {
      out += text[i];
      continue;
    }
    const char c = text[++i];
    if (c == 'u') {
      const auto point = four_hex_digits(text.substr(i + 1));
      if (point) {
        append_utf8(out, *point);
        i += 4;
        continue;
      }
    }
    switch (c) {
      case 't': out += '\t'; break;
      case 'n': out += '\n'; break;
      case 'r': out += '\r'; break;
      case 'f': out += '\f'; break;
      default: out += c;
    }
  }
  return out;
}

PropertyLine split_entry(std::string_view entry, int line) {
  std::size_t end = 0;
  while (end < entry.size() && entry[end] != '=' && entry[end] != ':' && !is_blank(entry[end])) {
    end += entry[end] == '\\' ? 2 : 1;
  }
  if (end > entry.size()) end = entry.size();
  std::string_view value = skip_blanks(entry.substr(end));
  if (!value.empty() && (value.front() == '=' || value.front() == ':')) {
    value = skip_blanks(value.substr(1));
  }
  return {line, unescape(entry.substr(0, end)), unescape(value)};
}

}  // namespace

std::vector<PropertyLine> read_properties(std::string_view text) {
  if (text.starts_with("\xef\xbb\xbf")) text.remove_prefix(3);
  std::vector<PropertyLine> entries;
  LineReader lines(text);
  std::string_view line;
  while (lines.next(line)) {
    line = skip_blanks(line);
    if (line.empty() || line.front() == '#' || line.front() == '!') continue;
    const int number = lines.number();
    std::string entry(line);
    while (ends_in_open_backslash(entry)) {
      entry.pop_back();
      std::string_view more;
      if (!lines.next(more)) break;
      entry += skip_blanks(more);
    }
    entries.push_back(split_entry(entry, number));
  }
  return entries;
}

}  // namespace drydock
