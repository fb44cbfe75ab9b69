// Used: await_suspend starts the child and answers whether there is something to wait for: children
// that end at once use no stack, however many.
#include "tests/compiler/task.hpp"

using namespace idiom;

Task<int> nothing() { co_return 1; }

Task<int> story() {
  int count = 0;
  for (int i = 0; i < 1'000'000; ++i) {
    const int one = co_await nothing();
    count += one;
  }
  co_return count;
}

int main() { return holds(story, 1000000) ? 0 : 1; }
