#include "tools/cli/terminal.hpp"

#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>

namespace drydock::cli {

std::size_t terminal_width() {
  constexpr std::size_t kDefault = 100;
  winsize size = {};
  if (::isatty(STDOUT_FILENO) != 1) return kDefault;
  if (::ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) != 0 || size.ws_col < 60) return kDefault;
  return std::min<std::size_t>(size.ws_col, 120);
}

// Beyond ASCII they are U+0080 to U+009F: two bytes, of which the first one is C2.
std::string printable(std::string text) {
  for (std::size_t i = 0; i < text.size(); ++i) {
    const auto byte = static_cast<unsigned char>(text[i]);
    const auto before = static_cast<unsigned char>(i == 0 ? ' ' : text[i - 1]);
    if (byte < 0x20 || byte == 0x7f) text[i] = '?';
    if (before == 0xc2 && byte < 0xa0) text.replace(i - 1, 2, "?");
  }
  return text;
}

std::string word(std::string_view text) {
  if (text.empty()) return "-";
  std::string shown = printable(std::string(text));
  for (char& c : shown) {
    if (c == ' ') c = '_';
  }
  return shown;
}

std::string quoted(std::string_view text) {
  constexpr std::string_view kDigits = "0123456789abcdef";
  std::string out = "\"";
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    if (c == '"' || c == '\\') {
      out += '\\';
      out += c;
    } else if (c == '\n') {
      out += "\\n";
    } else if (c == '\t') {
      out += "\\t";
    } else if (c == '\r') {
      out += "\\r";
    } else if (byte < 0x20 || byte >= 0x7f) {
      out += "\\x";
      out += kDigits[byte >> 4];
      out += kDigits[byte & 0xf];
    } else {
      out += c;
    }
  }
  return out + "\"";
}

}  // namespace drydock::cli
