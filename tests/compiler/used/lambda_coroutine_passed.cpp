// Used: what the coroutine needs are its parameters, held by its frame.
#include "tests/compiler/task.hpp"

using namespace idiom;

template <class Function>
Task<int> started_by(const Function& function) {
  return function();
}

Task<int> story() {
  const Tracked value(3);
  const auto wait = [](Tracked held) -> Task<int> {
    co_await Park();
    co_return held.number();
  };
  Task<int> task = wait(value);
  const int number = co_await std::move(task);
  co_return number;
}

int main() { return holds(story, 3) ? 0 : 1; }
