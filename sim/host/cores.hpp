// The cores of a host: who computes, who waits for a core.
#pragma once

#include "engine/runtime/compute.hpp"
#include "engine/runtime/waiter.hpp"

namespace drydock::sim {

// First come, first served, one piece of work at a time per core, without preemption: pieces are
// microseconds long. Cores are shared by all processes of the host.
class Cores {
 public:
  explicit Cores(int count) : free_(count) { ENSURE(count > 0); }

  // Holds a core; gives it to the next waiter when destroyed, also by a kill.
  class [[nodiscard]] Lease {
   public:
    explicit Lease(Cores* cores) : cores_(cores) {}
    Lease(Lease&& other) noexcept : cores_(std::exchange(other.cores_, nullptr)) {}
    Lease& operator=(Lease&&) = delete;
    ~Lease() {
      if (cores_ != nullptr) cores_->give_back();
    }

   private:
    Cores* cores_;
  };

  class [[nodiscard]] Awaiter : public Waiter {
   public:
    explicit Awaiter(Cores& cores) : cores_(cores) {}
    ~Awaiter() {
      if (granted_) cores_.give_back();
    }
    bool await_ready() {
      if (cores_.free_ == 0) return false;
      --cores_.free_;
      granted_ = true;
      fulfil_at_once();
      return true;
    }
    template <class Promise>
    bool await_suspend(std::coroutine_handle<Promise> handle) {
      if (!suspend(handle)) return false;
      cores_.waiters_.push(*this);
      return true;
    }
    Result<Lease> await_resume() {
      if (!granted_) return result().error();
      granted_ = false;
      return Lease(&cores_);
    }

   private:
    friend class Cores;
    Cores& cores_;
    bool granted_ = false;
  };

  Awaiter acquire() { return Awaiter(*this); }

 private:
  void give_back() {
    ++free_;
    while (free_ > 0 && !waiters_.empty()) {
      auto& next = static_cast<Awaiter&>(waiters_.front());
      if (next.strand()->process().ending()) {
        next.place().unlink();  // Its frame goes soon; a core given to it would be lost.
        continue;
      }
      --free_;
      next.granted_ = true;
      next.complete();
    }
  }

  WaitList waiters_;
  int free_;
};

}  // namespace drydock::sim
