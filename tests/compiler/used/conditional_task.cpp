// Used: an if awaits the one or the other.
#include "tests/compiler/task.hpp"

using namespace idiom;

Task<int> number_of(Tracked value) {
  co_await Park();
  co_return value.number();
}

bool first = true;

Task<int> story() {
  if (!first) co_return co_await number_of(Tracked(4));
  co_return co_await number_of(Tracked(3));
}

int main() { return holds(story, 3) ? 0 : 1; }
