// What the terminal can show.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace drydock::cli {

// Columns of the standard output, within what can be read; a fixed number if it is no terminal.
std::size_t terminal_width();

// A terminal obeys control characters: those of a user's file become question marks.
std::string printable(std::string text);
// One word, whatever the text holds; "-" if it is empty.
std::string word(std::string_view text);
// In quotes; what is no printable character of ASCII becomes \n, \t, \r or \xNN, and two
// different texts never look alike.
std::string quoted(std::string_view text);

}  // namespace drydock::cli
