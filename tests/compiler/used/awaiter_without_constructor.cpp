// Used: an awaiter has a constructor, and takes itself off the list in its destructor.
#include "tests/compiler/task.hpp"

using namespace idiom;

class Turn {
 public:
  explicit Turn(Tracked value) : value_(std::move(value)) {}
  Turn(const Turn&) = delete;
  ~Turn() {
    if (parked == self_) parked = nullptr;
  }
  bool await_ready() const { return false; }
  void await_suspend(std::coroutine_handle<> handle) { parked = self_ = handle; }
  int await_resume() const { return value_.number(); }

 private:
  std::coroutine_handle<> self_;
  Tracked value_;
};

Task<int> story() {
  const int number = co_await Turn(Tracked(3));
  co_return number;
}

int main() { return holds(story, 3) ? 0 : 1; }
