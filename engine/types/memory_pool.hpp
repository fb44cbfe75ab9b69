// Memory for coroutine frames, byte blocks and small kernel nodes.
//
// Size classes of 64 bytes up to 2 KiB with a free list each; larger sizes go to the allocator of
// the language. Memory that a run gave back stays in the lists, so the next run of the same process
// starts with warm memory: this is the "arena that is kept and reset between runs".
//
// The free lists belong to the thread. That is the one exception to "no thread-locals": like the
// allocator below it, the pool holds no state that any decision can read. Under an address
// sanitizer the lists are bypassed, so that use after free is seen.
#pragma once

#include <cstddef>

namespace drydock {

// Returns memory for `size` bytes, aligned for any fundamental type. Never null: running out of
// memory ends the process.
void* pool_allocate(std::size_t size);

// Gives memory back; `size` is the size that was asked for. May be called on the same thread only.
void pool_free(void* memory, std::size_t size) noexcept;

// Bytes handed out on this thread and not yet given back: 0 between two runs, or something leaked.
std::size_t pool_bytes_in_use();

}  // namespace drydock
