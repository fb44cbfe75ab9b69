// Refused: ?: between class values as an argument of the awaited call.
//
// Seen with g++ 12.2: -O0 crash, -O2 crash, -O2 sanitized crash.
// Seen with clang++ 19: -O2 right, -O1 sanitized right.
// Lint: conditional-in-await
#include "tests/compiler/task.hpp"

using namespace idiom;

Task<int> number_of(Tracked value) {
  co_await Park();
  co_return value.number();
}

bool first = true;

Task<int> story() {
  const Tracked other(4);
  const int number = co_await number_of(first ? Tracked(3) : other);
  co_return number;
}

int main() { return holds(story, 3) ? 0 : 1; }
