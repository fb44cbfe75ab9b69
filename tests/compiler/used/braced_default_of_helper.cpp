// Used: the call stands in a line of its own.
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
  const int weight = weight_of();
  const int number = co_await number_of(Tracked(weight));
  co_return number;
}

int main() { return holds(story, 3) ? 0 : 1; }
