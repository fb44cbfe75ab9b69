// What the terminal can show.
#pragma once

#include <cstddef>

namespace drydock::cli {

// Columns of the standard output, within what can be read; a fixed number if it is no terminal.
std::size_t terminal_width();

}  // namespace drydock::cli
