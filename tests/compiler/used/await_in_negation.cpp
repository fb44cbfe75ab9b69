// Used: the negation is applied to the named answer.
#include "tests/compiler/task.hpp"

using namespace idiom;

Task<bool> is_held(int token) {
  co_await Park();
  co_return token == 7;
}

Task<int> story() {
  const bool held = co_await is_held(8);
  if (!held) co_return 1;
  co_return 2;
}

int main() { return holds(story, 1) ? 0 : 1; }
