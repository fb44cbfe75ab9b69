// Used: an object with operator co_await, named and as a temporary.
#include "tests/compiler/task.hpp"

using namespace idiom;

class Signal {
 public:
  explicit Signal(int answer) : answer_(answer) {}
  Park operator co_await() const { return Park(answer_.number()); }

 private:
  Tracked answer_;
};

Task<int> story() {
  const Signal named(1);
  const int first = co_await named;
  const int second = co_await Signal(2);
  co_return first * 10 + second;
}

int main() { return holds(story, 12) ? 0 : 1; }
