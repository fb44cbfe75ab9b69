// Refused: an initializer_list of class values in the awaited call.
//
// Seen with g++ 12.2: -O0 no-build, -O2 no-build, -O2 sanitized no-build.
// Seen with clang++ 19: -O2 right, -O1 sanitized right.
// Lint: brace-in-await
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
  const int sum = co_await sum_of({Tracked(1), Tracked(2)});
  co_return sum;
}

int main() { return holds(story, 3) ? 0 : 1; }
