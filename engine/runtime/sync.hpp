// Waiting for one another inside a process: sleep, Event, Mutex, Semaphore. All first come, first
// served; all waits take a deadline on the process's clock and end when their scope is cancelled.
// None of them crosses a process: what processes share is a stream or a file.
#pragma once

#include "engine/runtime/waiter.hpp"

namespace drydock {

// `Result<void> slept = co_await sleep_until(clock, deadline);`
// Ok once the deadline has passed; `cancelled` otherwise. Costs no coroutine frame.
class [[nodiscard]] SleepAwaiter : public Waiter {
 public:
  explicit SleepAwaiter(Deadline deadline) : deadline_(deadline) {}
  bool await_ready() const { return false; }
  template <class Promise>
  bool await_suspend(std::coroutine_handle<Promise> handle) {
    return suspend(handle, deadline_);
  }
  Result<void> await_resume() const {
    if (outcome() == Outcome::timed_out) return {};
    return result();
  }

 private:
  Deadline deadline_;
};

inline SleepAwaiter sleep_until(Deadline deadline) { return SleepAwaiter(deadline); }
inline SleepAwaiter sleep_for(const Clock& clock, Duration length) {
  return SleepAwaiter(clock.now() + length);
}

// A flag that can be waited for. `set` wakes every waiter, each once; it stays set until `reset`.
class Event {
 public:
  class [[nodiscard]] Awaiter : public Waiter {
   public:
    Awaiter(Event& event, Deadline deadline) : event_(event), deadline_(deadline) {}
    bool await_ready() {
      if (!event_.set_) return false;
      fulfil_at_once();
      return true;
    }
    template <class Promise>
    bool await_suspend(std::coroutine_handle<Promise> handle) {
      if (!suspend(handle, deadline_)) return false;
      event_.waiters_.push(*this);
      return true;
    }
    Result<void> await_resume() const { return result(); }

   private:
    Event& event_;
    Deadline deadline_;
  };

  bool is_set() const { return set_; }
  void set() {
    set_ = true;
    while (!waiters_.empty()) waiters_.front().complete();
  }
  void reset() { set_ = false; }
  // Ok when the event is set; timed_out, cancelled.
  Awaiter wait(Deadline deadline = kNever) { return Awaiter(*this, deadline); }

 private:
  WaitList waiters_;
  bool set_ = false;
};

// Counts units. A waiter takes all the units it asked for, or none; nobody overtakes the first
// waiter, so a large request is not starved by small ones.
class Semaphore {
 public:
  explicit Semaphore(std::uint64_t units) : free_(units) {}

  // Units that are held; given back by the destructor. Movable, like a unique pointer.
  class [[nodiscard]] Permit {
   public:
    Permit() = default;
    Permit(Semaphore& semaphore, std::uint64_t units) : semaphore_(&semaphore), units_(units) {}
    Permit(Permit&& other) noexcept
        : semaphore_(std::exchange(other.semaphore_, nullptr)), units_(other.units_) {}
    Permit& operator=(Permit other) noexcept {
      std::swap(semaphore_, other.semaphore_);
      std::swap(units_, other.units_);
      return *this;
    }
    ~Permit() { release(); }
    void release() {
      if (semaphore_ != nullptr) std::exchange(semaphore_, nullptr)->give_back(units_);
    }
    explicit operator bool() const { return semaphore_ != nullptr; }

   private:
    Semaphore* semaphore_ = nullptr;
    std::uint64_t units_ = 0;
  };

  class [[nodiscard]] Awaiter : public Waiter {
   public:
    Awaiter(Semaphore& semaphore, std::uint64_t units, Deadline deadline)
        : semaphore_(semaphore), units_(units), deadline_(deadline) {}
    // If the frame is destroyed first, a grant that nobody collected goes back, and those behind us
    // may be served.
    ~Awaiter() {
      if (abandoned()) return;
      if (granted_) {
        semaphore_.give_back(units_);
      } else if (strand() != nullptr) {
        place().unlink();
        semaphore_.grant_waiting();
      }
    }
    bool await_ready() {
      if (!semaphore_.waiters_.empty() || semaphore_.free_ < units_) return false;
      semaphore_.free_ -= units_;
      granted_ = true;
      fulfil_at_once();
      return true;
    }
    template <class Promise>
    bool await_suspend(std::coroutine_handle<Promise> handle) {
      if (!suspend(handle, deadline_)) return false;
      semaphore_.waiters_.push(*this);
      return true;
    }
    Result<Permit> await_resume() {
      if (!granted_) {
        semaphore_.grant_waiting();  // We may have been the first, too large to be served.
        return result().error();
      }
      granted_ = false;
      return Permit(semaphore_, units_);
    }

   private:
    friend class Semaphore;
    void grant() {
      granted_ = true;
      complete();
    }
    Semaphore& semaphore_;
    std::uint64_t units_;
    Deadline deadline_;
    bool granted_ = false;
  };

  std::uint64_t free() const { return free_; }
  // `units` units, once they are free and everybody before us was served; timed_out, cancelled.
  Awaiter acquire(std::uint64_t units = 1, Deadline deadline = kNever) {
    return Awaiter(*this, units, deadline);
  }
  // Units at once, or an empty permit.
  Permit try_acquire(std::uint64_t units = 1) {
    if (!waiters_.empty() || free_ < units) return {};
    free_ -= units;
    return Permit(*this, units);
  }

 private:
  void give_back(std::uint64_t units) {
    free_ += units;
    grant_waiting();
  }
  void grant_waiting() {
    while (!waiters_.empty()) {
      auto& first = static_cast<Awaiter&>(waiters_.front());
      if (first.strand()->process().ending() || free_ < first.units_) return;
      free_ -= first.units_;
      first.grant();
    }
  }

  WaitList waiters_;
  std::uint64_t free_;
};

// Mutual exclusion between coroutines across their waits. `lock` gives a permit; its destruction
// hands the lock to the longest waiter.
class Mutex {
 public:
  using Permit = Semaphore::Permit;
  Semaphore::Awaiter lock(Deadline deadline = kNever) { return one_.acquire(1, deadline); }
  Permit try_lock() { return one_.try_acquire(1); }
  bool locked() const { return one_.free() == 0; }

 private:
  Semaphore one_{1};
};

}  // namespace drydock
