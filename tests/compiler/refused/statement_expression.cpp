// Refused: a statement expression that leaves the coroutine, as "try" macros are built.
//
// Seen with g++ 12.2: -O0 no-build, -O2 no-build, -O2 sanitized no-build.
// Seen with clang++ 19: -O2 right, -O1 sanitized right.
// Lint: statement-expression
#include "tests/compiler/task.hpp"

using namespace idiom;

Task<Tracked> copy_of(Tracked value) {
  co_await Park();
  co_return Tracked(value.number());
}

Task<int> story() {
  const int number = ({
    const Tracked answer = co_await copy_of(Tracked(3));
    if (answer.number() != 3) co_return 2;
    answer.number();
  });
  co_return number;
}

int main() { return holds(story, 3) ? 0 : 1; }
