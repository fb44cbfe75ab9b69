// Used: the answer has a name; the binding refers to it.
#include "tests/compiler/task.hpp"

using namespace idiom;

struct Two {
  Tracked first;
  Tracked second;
};

Task<Two> both() {
  co_await Park();
  Two two{Tracked(1), Tracked(2)};
  co_return two;
}

Task<int> story() {
  const Two two = co_await both();
  const auto& [first, second] = two;
  co_await Park();
  co_return first.number() + second.number();
}

int main() { return holds(story, 3) ? 0 : 1; }
