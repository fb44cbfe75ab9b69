// Refused: a braced default argument of a coroutine: the brace is in the declaration.
//
// Seen with g++ 12.2: -O0 crash, -O2 crash, -O2 sanitized crash.
// Seen with clang++ 19: -O2 right, -O1 sanitized right.
// Lint: braced-default
#include "tests/compiler/task.hpp"

using namespace idiom;

struct Options {
  int key = 1;
  Tracked label = Tracked(2);
};

Task<int> acquire(Options options = {}) {
  co_await Park();
  co_return options.key + options.label.number();
}

Task<int> story() {
  const int sum = co_await acquire();
  co_return sum;
}

int main() { return holds(story, 3) ? 0 : 1; }
