// Used: an endless loop that asks, then leaves.
#include "tests/compiler/task.hpp"

using namespace idiom;

Task<bool> is_held(int token) {
  co_await Park();
  co_return token == 7;
}

Task<int> story() {
  for (;;) {
    const bool held = co_await is_held(7);
    if (!held) break;
    co_return 1;
  }
  co_return 2;
}

int main() { return holds(story, 1) ? 0 : 1; }
