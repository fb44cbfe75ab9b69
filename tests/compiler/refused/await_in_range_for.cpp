// Refused: a range-for over what a co_await yields.
// No compiler of ours gets it wrong; the suspension hides in a line that is read as a loop header.
//
// Seen with g++ 12.2: -O0 right, -O2 right, -O2 sanitized right.
// Seen with clang++ 19: -O2 right, -O1 sanitized right.
// Lint: await-position
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
  for (const int number : co_await numbers()) {
    const int answer = co_await number_of(Tracked(number));
    sum += answer;
  }
  co_return sum;
}

int main() { return holds(story, 3) ? 0 : 1; }
