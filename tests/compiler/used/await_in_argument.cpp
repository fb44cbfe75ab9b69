// Used: one suspension per line.
#include "tests/compiler/task.hpp"

using namespace idiom;

Task<int> number_of(Tracked value) {
  co_await Park();
  co_return value.number();
}

Task<int> story() {
  const int first = co_await number_of(Tracked(3));
  const int second = co_await number_of(Tracked(first));
  co_return second;
}

int main() { return holds(story, 3) ? 0 : 1; }
