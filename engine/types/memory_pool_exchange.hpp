// For a thread that takes over what another one ran, and gives it back: the pool of memory goes
// with it. No thread but those of a run loop on Linux needs this.
#pragma once

namespace drydock {

struct MemoryPool;

// The pool of the calling thread, as long as that lives.
MemoryPool* this_threads_pool();

// The calling thread gets what the other thread's pool holds, and that one what its own does. The
// other thread does not use its pool meanwhile.
void exchange_pools(MemoryPool& others);

}  // namespace drydock
