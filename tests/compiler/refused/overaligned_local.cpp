// Refused: a local that wants more alignment than operator new gives, in a coroutine frame.
// Both compilers place it as if the frame were aligned; a luckily placed frame hides that.
//
// Seen with g++ 12.2: -O0 wrong, -O2 wrong, -O2 sanitized crash.
// Seen with clang++ 19: -O2 wrong, -O1 sanitized wrong.
// Lint: overaligned-local
#include <cstdint>
#include <memory>

#include "tests/compiler/task.hpp"

using namespace idiom;

struct alignas(512) Block {
  // volatile: the answer must come from the address, not from what the compiler promises.
  bool aligned() const {
    const void* volatile address = this;
    return reinterpret_cast<std::uintptr_t>(address) % 512 == 0;
  }
  char bytes[512] = {};
};

Task<int> story() {
  const Block block;
  co_await Park();
  co_return block.aligned() ? 1 : 0;
}

int main() { return holds(story, 1) ? 0 : 1; }
