// Used: a temporary with a constructor as an argument of the awaited call.
#include "tests/compiler/task.hpp"

using namespace idiom;

Task<int> number_of(Tracked value) {
  co_await Park();
  co_return value.number();
}

Task<int> story() {
  const int number = co_await number_of(Tracked(3));
  co_return number;
}

int main() { return holds(story, 3) ? 0 : 1; }
