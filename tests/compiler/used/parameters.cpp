// Used: parameters by value and by reference: the frame owns copies of the former, once.
#include "tests/compiler/task.hpp"

using namespace idiom;

Task<int> sum_of(Tracked by_value, const Tracked& by_reference, Tracked&& moved) {
  co_await Park();
  const Tracked taken = std::move(moved);
  co_await Park();
  co_return by_value.number() + by_reference.number() + taken.number();
}

template <class... Values>
Task<int> sum_of_all(Values... values) {
  co_await Park();
  co_return (values.number() + ...);
}

Task<int> story() {
  const Tracked first(1);
  const Tracked second(2);
  Tracked third(3);
  const int sum = co_await sum_of(first, second, std::move(third));
  const int more = co_await sum_of_all(Tracked(4), Tracked(5), first);
  co_return sum + more;
}

int main() { return holds(story, 16) ? 0 : 1; }
