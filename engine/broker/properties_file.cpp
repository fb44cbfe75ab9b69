#include "engine/broker/properties_file.hpp"

#include <algorithm>
#include <cstdint>
#include <optional>

#include "engine/broker/utf8.hpp"

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

constexpr std::string_view kByteOrderMark = "\xef\xbb\xbf";

// Reads what follows a backslash and a u.
class Escapes {
 public:
  bool malformed() const { return malformed_; }

  std::string unescape(std::string_view text) {
    std::string out;
    while (!text.empty()) {
      if (text.front() != '\\' || text.size() == 1) {
        out += text.front();
        text.remove_prefix(1);
      } else if (text[1] == 'u') {
        take_unicode(text, out);
      } else {
        out += plain(text[1]);
        text.remove_prefix(2);
      }
    }
    return out;
  }

 private:
  static char plain(char c) {
    switch (c) {
      case 't': return '\t';
      case 'n': return '\n';
      case 'r': return '\r';
      case 'f': return '\f';
      default: return c;
    }
  }

  // The unit that a text starting with \u names.
  static std::optional<std::uint32_t> unit_of(std::string_view text) {
    return text.starts_with("\\u") ? four_hex_digits(text.substr(2)) : std::nullopt;
  }

  void take_unicode(std::string_view& text, std::string& out) {
    const auto unit = unit_of(text);
    if (!unit) {
      malformed_ = true;
      out += 'u';
      text.remove_prefix(2);
      return;
    }
    text.remove_prefix(6);
    if (*unit < 0xd800 || *unit > 0xdfff) return append_utf8(out, *unit);
    const auto low = unit_of(text);
    if (*unit > 0xdbff || !low || *low < 0xdc00 || *low > 0xdfff) {
      out += '?';
      return;
    }
    text.remove_prefix(6);
    append_utf8(out, 0x10000 + ((*unit - 0xd800) << 10) + (*low - 0xdc00));
  }

  bool malformed_ = false;
};

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
  Escapes escapes;
  PropertyLine read;
  read.line = line;
  read.key = escapes.unescape(entry.substr(0, end));
  read.value = escapes.unescape(value);
  if (escapes.malformed()) read.fault = PropertyLine::Fault::malformed_escape;
  return read;
}

bool has_letters_beyond_ascii(std::string_view text) {
  return std::ranges::any_of(text, [](char c) { return static_cast<unsigned char>(c) >= 0x80; });
}

bool is_comment(std::string_view line) { return line.front() == '#' || line.front() == '!'; }

// Joins lines to entries. False at the end of the text.
bool next_entry(LineReader& lines, std::string& entry, int& number) {
  entry.clear();
  bool continued = false;
  std::string_view line;
  while (lines.next(line)) {
    line = skip_blanks(line);
    if (entry.empty()) {
      // Also behind a line that is nothing but a backslash.
      continued = false;
      if (line.empty() || is_comment(line)) continue;
      number = lines.number();
    }
    entry += line;
    continued = ends_in_open_backslash(entry);
    if (!continued) return true;
    entry.pop_back();
  }
  return continued;
}

}  // namespace

std::vector<PropertyLine> read_properties(std::string_view bytes) {
  const bool utf8 = is_utf8(bytes);
  const std::string converted = utf8 ? std::string() : utf8_from_latin1(bytes);
  const std::string_view text = utf8 ? bytes : std::string_view(converted);
  std::vector<PropertyLine> entries;
  LineReader lines(text);
  std::string entry;
  int number = 0;
  while (next_entry(lines, entry, number)) {
    PropertyLine read = split_entry(entry, number);
    read.utf8_letters = utf8 && has_letters_beyond_ascii(entry);
    if (utf8 && number == 1 && read.key.starts_with(kByteOrderMark)) {
      read.fault = PropertyLine::Fault::byte_order_mark;
    }
    entries.push_back(std::move(read));
  }
  return entries;
}

}  // namespace drydock
