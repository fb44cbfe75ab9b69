// Text in columns, for a terminal. Widths are counted in characters, not in bytes of UTF-8.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

namespace drydock::reports {

// Columns that a text takes: code points, not bytes.
std::size_t columns(const std::string& text);

std::string padded(const std::string& text, std::size_t width);
std::string padded_left(const std::string& text, std::size_t width);

// `label` and then `text`, broken between words, later lines indented alike.
std::string paragraph(const std::string& label, const std::string& text, std::size_t indent,
                      std::size_t width);

// A title and one indented paragraph per line; nothing at all without lines.
std::string list(const std::string& title, const std::vector<std::string>& lines,
                 std::size_t width);

}  // namespace drydock::reports
