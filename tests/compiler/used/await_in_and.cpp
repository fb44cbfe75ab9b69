// Used: the left side is asked first, in a statement of its own.
#include "tests/compiler/task.hpp"

using namespace idiom;

Task<bool> is_held(int token) {
  co_await Park();
  co_return token == 7;
}

bool willing = true;

Task<int> story() {
  if (!willing) co_return 2;
  const bool held = co_await is_held(7);
  if (held) co_return 1;
  co_return 2;
}

int main() { return holds(story, 1) ? 0 : 1; }
