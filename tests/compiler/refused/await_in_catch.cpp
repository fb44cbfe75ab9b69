// Refused: a co_await in a handler. The language forbids it; the lint says what to write.
//
// Seen with g++ 12.2: -O0 no-build, -O2 no-build, -O2 sanitized no-build.
// Seen with clang++ 19: -O2 no-build, -O1 sanitized no-build.
// Lint: await-in-catch
#include "tests/compiler/task.hpp"

using namespace idiom;

Task<int> number_of(Tracked value) {
  co_await Park();
  co_return value.number();
}

Task<int> story() {
  int number = 0;
  try {
    throw 3;
  } catch (int thrown) {
    number = co_await number_of(Tracked(thrown));
  }
  co_return number;
}

int main() { return holds(story, 3) ? 0 : 1; }
