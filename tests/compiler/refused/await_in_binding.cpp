// Refused: a structured binding made directly from a co_await.
// No compiler of ours gets it wrong; the hidden object behind such a binding is what others stumble
// on.
//
// Seen with g++ 12.2: -O0 right, -O2 right, -O2 sanitized right.
// Seen with clang++ 19: -O2 right, -O1 sanitized right.
// Lint: await-position
#include "tests/compiler/task.hpp"

using namespace idiom;

struct Two {
  Tracked first;
  Tracked second;
};

Task<Two> both() {
  co_await Park();
  Two two{Tracked(1), Tracked(2)};
  co_return two;
}

Task<int> story() {
  auto [first, second] = co_await both();
  co_await Park();
  co_return first.number() + second.number();
}

int main() { return holds(story, 3) ? 0 : 1; }
