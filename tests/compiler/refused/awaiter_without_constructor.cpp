// Refused: an awaiter that is an aggregate, made by braces where it is awaited.
//
// Seen with g++ 12.2: -O0 crash, -O2 crash, -O2 sanitized crash.
// Seen with clang++ 19: -O2 right, -O1 sanitized right.
// Lint: awaiter-constructor
#include "tests/compiler/task.hpp"

using namespace idiom;

struct Turn {
  ~Turn() {
    if (parked == self) parked = nullptr;
  }
  bool await_ready() const { return false; }
  void await_suspend(std::coroutine_handle<> handle) { parked = self = handle; }
  int await_resume() const { return value.number(); }

  Tracked value;
  std::coroutine_handle<> self;
};

Task<int> story() {
  const int number = co_await Turn{Tracked(3), nullptr};
  co_return number;
}

int main() { return holds(story, 3) ? 0 : 1; }
