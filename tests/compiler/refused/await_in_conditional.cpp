// Refused: a co_await as one side of ?: that yields a class.
//
// Seen with g++ 12.2: -O0 crash, -O2 crash, -O2 sanitized crash.
// Seen with clang++ 19: -O2 right, -O1 sanitized right.
// Lint: await-position
#include "tests/compiler/task.hpp"

using namespace idiom;

Task<Tracked> copy_of(Tracked value) {
  co_await Park();
  co_return Tracked(value.number());
}

bool ask = false;

Task<int> story() {
  const Tracked value = ask ? co_await copy_of(Tracked(1)) : Tracked(3);
  co_return value.number();
}

int main() { return holds(story, 3) ? 0 : 1; }
