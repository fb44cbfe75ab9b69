// Refused: a co_await inside the braces that initialise an aggregate.
//
// Seen with g++ 12.2: -O0 crash, -O2 crash, -O2 sanitized crash.
// Seen with clang++ 19: -O2 right, -O1 sanitized right.
// Lint: await-position
#include "tests/compiler/task.hpp"

using namespace idiom;

struct Options {
  int key;
  Tracked label;
};

Task<Tracked> copy_of(Tracked value) {
  co_await Park();
  co_return Tracked(value.number());
}

Task<int> story() {
  const Options options{1, co_await copy_of(Tracked(2))};
  co_return options.key + options.label.number();
}

int main() { return holds(story, 3) ? 0 : 1; }
