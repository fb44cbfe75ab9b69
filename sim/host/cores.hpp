// The cores of a host: who computes, who waits for a core.
//
// A piece of work is in one of these states:
//
//   computing  it has a core; its timer is armed for the end of the work.
//   in line    all cores are taken.
//   halted     its process is stopped or dying: it has neither a core nor a place in line. What is
//              left of it gets in line, at the end, when the process proceeds.
//
// Invariant: nobody is in line while a core is free.
#pragma once

#include <algorithm>

#include "engine/runtime/compute.hpp"
#include "engine/runtime/waiter.hpp"

namespace drydock::sim {

// First come, first served, one piece of work at a time per core, without preemption: pieces are
// microseconds long. Cores are shared by all processes of the host; a stopped process computes
// nothing (SIGSTOP, a frozen cgroup, a safepoint: none of them is runnable for the kernel).
class Cores {
 public:
  class Work;
  class Share;

  explicit Cores(int count) : free_(count) { ENSURE(count > 0); }

 private:
  inline void enter(Work& work);
  inline void begin(Work& work);
  inline void give_back(int count);

  WaitList line_;
  int free_;
};

// The work of one process.
class Cores::Share {
 public:
  Share(Cores& cores, const Clock& clock) : cores_(cores), clock_(clock) {}

  // The process is stopped or dying: its cores go to others. Idempotent.
  inline void halt();
  inline void proceed();

 private:
  friend class Cores;
  friend class Work;
  template <class Visit>
  void for_each(Visit visit);

  Cores& cores_;
  const Clock& clock_;
  IntrusiveList works_;  // As Work::InShare, in order of arrival.
};

// `Result<void> spent = co_await Cores::Work(share, worker, cpu);`
// Waits for a core, then for `cpu` to pass on the host's clock. Error: cancelled.
class [[nodiscard]] Cores::Work : public Waiter {
 public:
  Work(Share& share, Worker& worker, Duration cpu)
      : share_(share), worker_(worker), remaining_(cpu) {}
  ~Work() { release(); }
  bool await_ready() const { return false; }
  template <class Promise>
  bool await_suspend(std::coroutine_handle<Promise> handle) {
    if (!suspend(handle)) return false;
    share_.works_.push_back(in_share_);
    share_.cores_.enter(*this);
    return true;
  }
  Result<void> await_resume() {
    release();
    const bool over = outcome() == Outcome::timed_out;  // Its timer: the work is done.
    if (over) return {};
    return result();
  }

 private:
  friend class Cores;
  class InShare : public ListLink {
   public:
    explicit InShare(Work& work) : work_(work) {}
    Work& work() const { return work_; }

   private:
    Work& work_;
  };

  // Neither computing nor in line any more.
  void release() {
    in_share_.unlink();
    place().unlink();
    worker_.set_wait(WaitPlace::none, share_.clock_.now());
    if (std::exchange(computing_, false)) share_.cores_.give_back(1);
  }

  Share& share_;
  Worker& worker_;
  Duration remaining_;
  MonotonicTime end_;  // Of the work, while it has a core.
  bool computing_ = false;
  InShare in_share_{*this};
};

inline void Cores::enter(Work& work) {
  if (free_ > 0) return begin(work);
  work.worker_.set_wait(WaitPlace::cpu, work.share_.clock_.now());
  line_.push(work);
}

inline void Cores::begin(Work& work) {
  Clock& clock = work.strand()->process().clock();
  --free_;
  work.place().unlink();
  work.computing_ = true;
  work.end_ = clock.now() + work.remaining_;
  work.worker_.set_wait(WaitPlace::none, clock.now());
  clock.arm(work, work.end_);
}

inline void Cores::give_back(int count) {
  free_ += count;
  while (free_ > 0 && !line_.empty()) begin(static_cast<Work&>(line_.front()));
}

template <class Visit>
void Cores::Share::for_each(Visit visit) {
  ListLink* link = works_.empty() ? nullptr : works_.front();
  for (; link != nullptr; link = works_.after(link)) {
    visit(static_cast<Work::InShare*>(link)->work());
  }
}

inline void Cores::Share::halt() {
  int given_back = 0;
  for_each([this, &given_back](Work& work) {
    work.place().unlink();
    if (!std::exchange(work.computing_, false)) return;
    ++given_back;
    if (!work.waiting()) return;  // Cancelled: on its way to say so.
    work.unlink();
    work.remaining_ = std::max(work.end_ - clock_.now(), Duration());
  });
  cores_.give_back(given_back);
}

inline void Cores::Share::proceed() {
  for_each([this](Work& work) {
    if (work.waiting()) cores_.enter(work);
  });
}

}  // namespace drydock::sim
