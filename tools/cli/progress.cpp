#include "tools/cli/progress.hpp"

#include <unistd.h>

#include <cinttypes>
#include <cstdio>

namespace drydock::cli {

Progress::Progress(std::uint64_t total)
    : total_(total), terminal_(::isatty(STDERR_FILENO) == 1), started_(Clock::now()) {}

Progress::~Progress() {
  if (shown_) std::fprintf(stderr, "\r\033[K");
}

void Progress::step() {
  ++done_;
  const auto now = Clock::now();
  if (!terminal_ || now - printed_ < std::chrono::milliseconds(100)) return;
  printed_ = now;
  shown_ = true;
  const auto elapsed =
      std::chrono::duration_cast<std::chrono::milliseconds>(now - started_).count();
  const std::uint64_t per_second =
      elapsed > 0 ? done_ * 1000 / static_cast<std::uint64_t>(elapsed) : 0;
  std::fprintf(stderr, "\r\033[K%" PRIu64 " of %" PRIu64 " runs, %" PRIu64 "/s", done_, total_,
               per_second);
}

}  // namespace drydock::cli
