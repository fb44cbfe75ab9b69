// Refused: a co_await in the condition of an if whose branch leaves the coroutine.
// It goes wrong when the outermost block declares no local variable; one more declaration and the
// same line works, which is why nobody should have to think about it.
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

Task<int> story() {
  if (co_await is_held(7)) co_return 1;
  co_return 2;
}

int main() { return holds(story, 1) ? 0 : 1; }
