// Refused: an aggregate made by parentheses in the awaited call: no brace in sight.
//
// Seen with g++ 12.2: -O0 crash, -O2 crash, -O2 sanitized crash.
// Seen with clang++ 19: -O2 right, -O1 sanitized right.
// Lint: aggregate-in-await
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
  const int sum = co_await acquire(Options(1, Tracked(2)));
  co_return sum;
}

int main() { return holds(story, 3) ? 0 : 1; }
