// A wake-up of the run loop that calls a function.
#pragma once

#include <functional>
#include <utility>

#include "engine/runtime/wakeup.hpp"

namespace drydock::on_linux::test {

class Action : public Wakeup {
 public:
  explicit Action(std::function<void()> action)
      : Wakeup(&Action::on_run, EventKind::user, 0), action_(std::move(action)) {}

 private:
  static void on_run(Wakeup& wakeup) { static_cast<Action&>(wakeup).action_(); }
  std::function<void()> action_;
};

}  // namespace drydock::on_linux::test
