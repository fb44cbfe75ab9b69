// Refused: a co_await as the argument of a checking macro, which hides an if.
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

#define CHECK_OR_LEAVE(condition)  \
  do {                             \
    if (!(condition)) co_return 2; \
  } while (false)

Task<int> story() {
  CHECK_OR_LEAVE(co_await is_held(7));
  co_return 1;
}

int main() { return holds(story, 1) ? 0 : 1; }
