// Used: a member function as a coroutine, on a named object and on a temporary.
#include "tests/compiler/task.hpp"

using namespace idiom;

class Counter {
 public:
  explicit Counter(int start) : value_(start) {}
  Task<int> next() {
    co_await Park();
    const int number = value_.number() + steps_;
    steps_ += 1;
    co_return number;
  }

 private:
  Tracked value_;
  int steps_ = 0;
};

Task<int> story() {
  Counter counter(1);
  const int first = co_await counter.next();
  const int second = co_await counter.next();
  const int third = co_await Counter(5).next();
  co_return first * 100 + second * 10 + third;
}

int main() { return holds(story, 125) ? 0 : 1; }
