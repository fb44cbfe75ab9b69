// Used: the lambda is a named local.
#include "tests/compiler/task.hpp"

using namespace idiom;

template <class Function>
Task<int> call(Function function) {
  co_await Park();
  co_return function();
}

Task<int> story() {
  const Tracked value(3);
  const auto number_of_value = [value] { return value.number(); };
  const int number = co_await call(number_of_value);
  co_return number;
}

int main() { return holds(story, 3) ? 0 : 1; }
