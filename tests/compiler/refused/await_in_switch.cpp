// Refused: a co_await as what a switch selects by.
//
// Seen with g++ 12.2: -O0 wrong, -O2 wrong, -O2 sanitized crash.
// Seen with clang++ 19: -O2 right, -O1 sanitized right.
// Lint: await-position
#include "tests/compiler/task.hpp"

using namespace idiom;

Task<int> number_of(Tracked value) {
  co_await Park();
  co_return value.number();
}

Task<int> story() {
  switch (co_await number_of(Tracked(2))) {
    case 1: co_return 10;
    case 2: co_return 20;
    default: co_return 30;
  }
}

int main() { return holds(story, 20) ? 0 : 1; }
