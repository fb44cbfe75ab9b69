// Used: an overload without the parameter, which names its options.
#include "tests/compiler/task.hpp"

using namespace idiom;

struct Options {
  int key = 1;
  Tracked label = Tracked(2);
};

Task<int> acquire(Options options) {
  co_await Park();
  co_return options.key + options.label.number();
}

Task<int> acquire() {
  const Options options;
  return acquire(options);
}

Task<int> story() {
  const int sum = co_await acquire();
  co_return sum;
}

int main() { return holds(story, 3) ? 0 : 1; }
