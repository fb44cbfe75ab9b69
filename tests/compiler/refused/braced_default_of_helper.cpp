// Refused: a plain function with a braced default argument, called in the awaited expression.
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

Task<int> number_of(Tracked value) {
  co_await Park();
  co_return value.number();
}

int weight_of(const Options& options = {}) { return options.key + options.label.number(); }

Task<int> story() {
  const int number = co_await number_of(Tracked(weight_of()));
  co_return number;
}

int main() { return holds(story, 3) ? 0 : 1; }
