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

}  // namespace drydock::cli
