// Used: the range is a named local.
#include <array>

#include "tests/compiler/task.hpp"

using namespace idiom;

Task<int> number_of(Tracked value) {
  co_await Park();
  co_return value.number();
}

Task<std::array<int, 2>> numbers() {
  co_await Park();
  const std::array<int, 2> all{1, 2};
  co_return all;
}

Task<int> story() {
  int sum = 0;
  const std::array<int, 2> all = co_await numbers();
  for (const int number : all) {
    const int answer = co_await number_of(Tracked(number));
    sum += answer;
  }
  co_return sum;
}

int main() { return holds(story, 3) ? 0 : 1; }
