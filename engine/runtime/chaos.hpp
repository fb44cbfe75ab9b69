// Named places at which a world may crash the process or send it down a rarer path.
#pragma once

#include <array>

#include "engine/runtime/sync.hpp"
#include "engine/types/events.hpp"

namespace drydock {

// The engine writes `co_await chaos.reach(CrashPoint::store_after_append);`. Unless the world has
// armed that point this is a load and a branch. Pure code names no points. On Linux nothing is ever
// armed.
class Chaos {
 public:
  virtual ~Chaos() = default;

  class [[nodiscard]] ReachAwaiter : public Waiter {
   public:
    ReachAwaiter(Chaos& chaos, CrashPoint point)
        : Waiter(Kind::killable), chaos_(chaos), point_(point) {}
    bool await_ready() { return !chaos_.armed_[static_cast<std::size_t>(point_)]; }
    template <class Promise>
    bool await_suspend(std::coroutine_handle<Promise> handle) {
      ENSURE(suspend(handle));
      chaos_.reached(point_, *this);
      return true;
    }
    void await_resume() const {}

   private:
    Chaos& chaos_;
    CrashPoint point_;
  };

  // Suspends only if the point is armed; the world then decides: it resumes the coroutine, or kills
  // the process or its host instead.
  ReachAwaiter reach(CrashPoint point) { return ReachAwaiter(*this, point); }

  // True if the caller should take its rarer path this time. False in every world that was not told
  // otherwise.
  bool fire(BuggifySite site) { return buggify_[static_cast<std::size_t>(site)] && decide(site); }

 protected:
  // The waiter was kept: the world completes it, or the process dies.
  virtual void reached(CrashPoint point, Waiter& waiter) = 0;
  virtual bool decide(BuggifySite site) = 0;

  std::array<bool, static_cast<std::size_t>(CrashPoint::count_)> armed_{};
  std::array<bool, static_cast<std::size_t>(BuggifySite::count_)> buggify_{};
};

}  // namespace drydock
