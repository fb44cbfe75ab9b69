// Refused: a co_await on the right of && in a condition.
//
// Seen with g++ 12.2: -O0 wrong, -O2 wrong, -O2 sanitized crash.
// Seen with clang++ 19: -O2 right, -O1 sanitized right.
// Lint: await-position
#include "tests/compiler/task.hpp"

using namespace idiom;

Task<bool> is_held(int token) {
  co_await Park();
  co_return token == 7;
}

bool willing = true;

Task<int> story() {
  if (willing && co_await is_held(7)) co_return 1;
  co_return 2;
}

int main() { return holds(story, 1) ? 0 : 1; }
