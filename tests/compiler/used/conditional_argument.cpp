// Used: the choice has a name.
#include "tests/compiler/task.hpp"

using namespace idiom;

Task<int> number_of(Tracked value) {
  co_await Park();
  co_return value.number();
}

bool first = true;

Task<int> story() {
  const Tracked other(4);
  const Tracked chosen = first ? Tracked(3) : other;
  const int number = co_await number_of(chosen);
  co_return number;
}

int main() { return holds(story, 3) ? 0 : 1; }
