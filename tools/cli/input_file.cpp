#include "tools/cli/input_file.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

#include "engine/linux/descriptor.hpp"
#include "scenarios/drill/drill.hpp"

namespace drydock::cli {
namespace {

using scenarios::InputError;

[[noreturn]] void refuse_unreadable(const std::string& path) {
  throw InputError(path + ": cannot be read: " + std::strerror(errno));
}

[[noreturn]] void refuse_long(const std::string& path, std::int64_t bytes_max) {
  throw InputError(path + ": is longer than " + std::to_string(bytes_max >> 20) + " MiB");
}

}  // namespace

std::string read_file(const std::string& path, std::int64_t bytes_max) {
  const on_linux::OwnedDescriptor file(::open(path.c_str(), O_RDONLY | O_CLOEXEC));
  struct stat status = {};
  if (!file || ::fstat(file.get(), &status) != 0) refuse_unreadable(path);
  if (S_ISDIR(status.st_mode)) throw InputError(path + ": is a directory");
  if (!S_ISREG(status.st_mode) && !S_ISFIFO(status.st_mode)) {
    throw InputError(path + ": is neither a file nor a pipe");
  }
  if (status.st_size > bytes_max) refuse_long(path, bytes_max);
  std::string text;
  char piece[65536];
  for (;;) {
    const ssize_t got = ::read(file.get(), piece, sizeof piece);
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) refuse_unreadable(path);
    if (got == 0) return text;
    text.append(piece, static_cast<std::size_t>(got));
    // What a pipe gives, and a file that grows or does not know its size.
    if (static_cast<std::int64_t>(text.size()) > bytes_max) refuse_long(path, bytes_max);
  }
}

}  // namespace drydock::cli
