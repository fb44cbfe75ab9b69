// Used: the selector is a named local.
#include "tests/compiler/task.hpp"

using namespace idiom;

Task<int> number_of(Tracked value) {
  co_await Park();
  co_return value.number();
}

Task<int> story() {
  const int number = co_await number_of(Tracked(2));
  switch (number) {
    case 1: co_return 10;
    case 2: co_return 20;
    default: co_return 30;
  }
}

int main() { return holds(story, 20) ? 0 : 1; }
