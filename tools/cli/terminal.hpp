// What the terminal can show.
#pragma once

#include <cstddef>
#include <string>

namespace drydock::cli {

// Columns of the standard output, within what can be read; a fixed number if it is no terminal.
std::size_t terminal_width();

// A terminal obeys control characters: those of a user's file become question marks.
std::string printable(std::string text);

}  // namespace drydock::cli
