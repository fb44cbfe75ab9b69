// Used: an exception passes through awaits; temporaries and frames are destroyed once.
#include "tests/compiler/task.hpp"

using namespace idiom;

Task<int> throws_late(Tracked value) {
  co_await Park();
  throw value.number();
  co_return 0;
}

Task<int> throws_early(Tracked value) {
  throw value.number();
  co_return 0;
}

Task<int> between(bool late) {
  const Tracked local(9);
  if (late) co_return co_await throws_late(Tracked(1));
  const int never = co_await throws_early(Tracked(2));
  co_return never;
}

Task<int> caught(bool late) {
  int number = 0;
  try {
    const int never = co_await between(late);
    number = never;
  } catch (int thrown) {
    number = thrown;
  }
  co_return number;
}

Task<int> story() {
  const int first = co_await caught(true);
  const int second = co_await caught(false);
  co_return first * 10 + second;
}

int main() { return holds(story, 12) ? 0 : 1; }
