// Used: the list is a named container.
#include <vector>

#include "tests/compiler/task.hpp"

using namespace idiom;

Task<int> sum_of(std::vector<Tracked> values) {
  co_await Park();
  int sum = 0;
  for (const Tracked& value : values) sum += value.number();
  co_return sum;
}

Task<int> story() {
  const std::vector<Tracked> values{Tracked(1), Tracked(2)};
  const int sum = co_await sum_of(values);
  co_return sum;
}

int main() { return holds(story, 3) ? 0 : 1; }
