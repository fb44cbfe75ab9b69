#include "reports/render/layout.hpp"

#include <algorithm>

namespace drydock::reports {

std::size_t columns(const std::string& text) {
  return static_cast<std::size_t>(
      std::count_if(text.begin(), text.end(), [](char c) { return (c & 0xc0) != 0x80; }));
}

std::string padded(const std::string& text, std::size_t width) {
  const std::size_t used = columns(text);
  return used >= width ? text : text + std::string(width - used, ' ');
}

std::string padded_left(const std::string& text, std::size_t width) {
  const std::size_t used = columns(text);
  return used >= width ? text : std::string(width - used, ' ') + text;
}

std::string paragraph(const std::string& label, const std::string& text, std::size_t indent,
                      std::size_t width) {
  std::string out = padded(label, indent);
  std::size_t column = indent;
  std::size_t begin = 0;
  while (begin < text.size()) {
    const std::size_t end = std::min(text.find(' ', begin), text.size());
    const std::string word = text.substr(begin, end - begin);
    if (column > indent && column + 1 + columns(word) > width) {
      out += "\n" + std::string(indent, ' ');
      column = indent;
    }
    if (column > indent) {
      out += " ";
      ++column;
    }
    out += word;
    column += columns(word);
    begin = end + 1;
  }
  return out + "\n";
}

std::string list(const std::string& title, const std::vector<std::string>& lines,
                 std::size_t width) {
  if (lines.empty()) return "";
  std::string out = title + "\n";
  for (const std::string& line : lines) out += paragraph("  -", line, 4, width);
  return out;
}

}  // namespace drydock::reports
