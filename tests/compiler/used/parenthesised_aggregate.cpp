// Used: a function returns the aggregate.
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

Options options_for(int key) { return Options{key, Tracked(2)}; }

Task<int> story() {
  const int sum = co_await acquire(options_for(1));
  co_return sum;
}

int main() { return holds(story, 3) ? 0 : 1; }
