// Used: an if decides who is awaited.
#include "tests/compiler/task.hpp"

using namespace idiom;

Task<Tracked> copy_of(Tracked value) {
  co_await Park();
  co_return Tracked(value.number());
}

bool ask = false;

Task<int> story() {
  if (!ask) co_return 3;
  const Tracked value = co_await copy_of(Tracked(1));
  co_return value.number();
}

int main() { return holds(story, 3) ? 0 : 1; }
