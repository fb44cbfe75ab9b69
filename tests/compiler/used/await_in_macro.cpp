// Used: the macro checks a named local.
#include "tests/compiler/task.hpp"

using namespace idiom;

Task<bool> is_held(int token) {
  co_await Park();
  co_return token == 7;
}

#define CHECK_OR_LEAVE(condition)  \
  do {                             \
    if (!(condition)) co_return 2; \
  } while (false)

Task<int> story() {
  const bool held = co_await is_held(7);
  CHECK_OR_LEAVE(held);
  co_return 1;
}

int main() { return holds(story, 1) ? 0 : 1; }
