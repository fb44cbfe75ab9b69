// Used: such a thing lives on the heap, where its alignment is kept.
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
  const auto block = std::make_unique<Block>();
  co_await Park();
  co_return block->aligned() ? 1 : 0;
}

int main() { return holds(story, 1) ? 0 : 1; }
