// Refused: a lambda with captures, written inside the awaited call.
//
// Seen with g++ 12.2: -O0 crash, -O2 crash, -O2 sanitized crash.
// Seen with clang++ 19: -O2 right, -O1 sanitized right.
// Lint: brace-in-await
#include "tests/compiler/task.hpp"

using namespace idiom;

template <class Function>
Task<int> call(Function function) {
  co_await Park();
  co_return function();
}

Task<int> story() {
  const Tracked value(3);
  const int number = co_await call([value] { return value.number(); });
  co_return number;
}

int main() { return holds(story, 3) ? 0 : 1; }
