// Refused: an aggregate with a member that has a destructor, braced in the awaited call.
//
// Seen with g++ 12.2: -O0 crash, -O2 crash, -O2 sanitized crash.
// Seen with clang++ 19: -O2 right, -O1 sanitized right.
// Lint: brace-in-await
#include "tests/compiler/task.hpp"

using namespace idiom;

struct Options {
  int key;
  Tracked label;
};

Task<int> acquire(Options options) {
  co_await Park();
  co_return options.key + options.label.number();
}

Task<int> story() {
  const int sum = co_await acquire({.key = 1, .label = Tracked(2)});
  co_return sum;
}

int main() { return holds(story, 3) ? 0 : 1; }
