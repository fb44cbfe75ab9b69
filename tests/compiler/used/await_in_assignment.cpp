// Used: a new name, then a plain assignment.
#include "tests/compiler/task.hpp"

using namespace idiom;

Task<int> number_of(Tracked value) {
  co_await Park();
  co_return value.number();
}

Task<int> story() {
  int number = 0;
  const int answer = co_await number_of(Tracked(3));
  number = answer;
  co_return number;
}

int main() { return holds(story, 3) ? 0 : 1; }
