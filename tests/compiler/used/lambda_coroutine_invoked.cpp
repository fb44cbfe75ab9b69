// Used: the lambda is a named local and outlives its task.
#include "tests/compiler/task.hpp"

using namespace idiom;

Task<int> story() {
  const Tracked value(3);
  const auto wait = [value]() -> Task<int> {
    co_await Park();
    co_return value.number();
  };
  Task<int> task = wait();
  const int number = co_await std::move(task);
  co_return number;
}

int main() { return holds(story, 3) ? 0 : 1; }
