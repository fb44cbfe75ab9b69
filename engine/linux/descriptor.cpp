#include "engine/linux/descriptor.hpp"

#include <unistd.h>

namespace drydock::on_linux {

void OwnedDescriptor::close() noexcept {
  // Linux frees the number even when close reports EINTR or EIO: a second try could close
  // another's.
  if (number_ >= 0) ::close(std::exchange(number_, -1));
}

}  // namespace drydock::on_linux
