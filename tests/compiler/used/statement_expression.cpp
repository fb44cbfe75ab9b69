// Used: plain statements.
#include "tests/compiler/task.hpp"

using namespace idiom;

Task<Tracked> copy_of(Tracked value) {
  co_await Park();
  co_return Tracked(value.number());
}

Task<int> story() {
  const Tracked answer = co_await copy_of(Tracked(3));
  if (answer.number() != 3) co_return 2;
  co_return answer.number();
}

int main() { return holds(story, 3) ? 0 : 1; }
