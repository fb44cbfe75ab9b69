// Copying from and to mapped files, where a page may turn out not to exist.
#pragma once

#include <cstddef>

namespace drydock::on_linux {

// As memcpy. False: the kernel raised SIGBUS (the file was truncated under the mapping, no space
// for a hole, a failed read); a prefix may have been copied then. On any thread. The first call
// installs a handler for SIGBUS; a SIGBUS that comes from elsewhere goes to the handler before it.
bool guarded_copy(std::byte* to, const std::byte* from, std::size_t size) noexcept;

}  // namespace drydock::on_linux
