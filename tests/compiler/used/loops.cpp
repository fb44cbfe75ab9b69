// Used: awaits in loop bodies, over a temporary range, with break and continue, and names that
// return in sibling scopes.
#include <array>

#include "tests/compiler/task.hpp"

using namespace idiom;

Task<int> number_of(Tracked value) {
  co_await Park();
  co_return value.number();
}

std::array<Tracked, 3> values() { return {Tracked(1), Tracked(2), Tracked(3)}; }

Task<int> story() {
  int sum = 0;
  for (const Tracked& value : values()) {
    const int number = co_await number_of(value);
    if (number == 2) continue;
    sum += number;
  }
  for (;;) {
    const Tracked value(10);
    const int number = co_await number_of(value);
    sum += number;
    if (sum > 20) break;
  }
  {
    const Tracked value(100);
    const int number = co_await number_of(value);
    sum += number;
  }
  co_return sum;
}

int main() { return holds(story, 124) ? 0 : 1; }
