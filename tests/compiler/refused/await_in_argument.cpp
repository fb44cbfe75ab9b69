// Refused: a co_await as the argument of another awaited call: two suspensions in one line.
// No compiler of ours gets it wrong; the rule is for the reader, and keeps the lint simple.
//
// Seen with g++ 12.2: -O0 right, -O2 right, -O2 sanitized right.
// Seen with clang++ 19: -O2 right, -O1 sanitized right.
// Lint: await-position
#include "tests/compiler/task.hpp"

using namespace idiom;

Task<int> number_of(Tracked value) {
  co_await Park();
  co_return value.number();
}

Task<int> story() {
  const int number = co_await number_of(Tracked(co_await number_of(Tracked(3))));
  co_return number;
}

int main() { return holds(story, 3) ? 0 : 1; }
