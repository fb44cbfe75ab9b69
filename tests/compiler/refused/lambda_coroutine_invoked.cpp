// Refused: a capturing lambda that is a coroutine, called where it stands.
// The language gives this meaning: the closure, and what it captured, are gone when the task runs.
//
// Seen with g++ 12.2: -O0 wrong, -O2 wrong, -O2 sanitized wrong.
// Seen with clang++ 19: -O2 wrong, -O1 sanitized wrong.
// Lint: lambda-coroutine
#include "tests/compiler/task.hpp"

using namespace idiom;

Task<int> story() {
  const Tracked value(3);
  Task<int> task = [value]() -> Task<int> {
    co_await Park();
    co_return value.number();
  }();
  const int number = co_await std::move(task);
  co_return number;
}

int main() { return holds(story, 3) ? 0 : 1; }
