// Used: a named local, moved into the call.
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
  Options options{1, Tracked(2)};
  const int sum = co_await acquire(std::move(options));
  co_return sum;
}

int main() { return holds(story, 3) ? 0 : 1; }
