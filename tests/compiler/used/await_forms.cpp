// Used: the three forms of an await: a statement, a named local, the operand of co_return; the
// first also as the only statement of a branch or loop, and with its result dropped by (void).
#include "tests/compiler/task.hpp"

using namespace idiom;

Task<int> number_of(Tracked value) {
  co_await Park();
  co_return value.number();
}

Task<int> answer() { co_return co_await number_of(Tracked(3)); }

Task<int> story() {
  co_await Park();
  for (int i = 0; i < 2; ++i) co_await Park();
  const int number = co_await answer();
  if (number == 3) {
    (void)co_await number_of(Tracked(4));
  } else {
    co_await Park();
  }
  co_return number;
}

int main() { return holds(story, 3) ? 0 : 1; }
