// Used: the handler takes note, the await follows it.
#include "tests/compiler/task.hpp"

using namespace idiom;

Task<int> number_of(Tracked value) {
  co_await Park();
  co_return value.number();
}

Task<int> story() {
  int noted = 0;
  try {
    throw 3;
  } catch (int thrown) {
    noted = thrown;
  }
  const int number = co_await number_of(Tracked(noted));
  co_return number;
}

int main() { return holds(story, 3) ? 0 : 1; }
