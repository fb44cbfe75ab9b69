// Used: awaited before, moved in.
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
  Tracked label = co_await copy_of(Tracked(2));
  const Options options{1, std::move(label)};
  co_return options.key + options.label.number();
}

int main() { return holds(story, 3) ? 0 : 1; }
