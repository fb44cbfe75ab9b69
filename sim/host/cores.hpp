// The cores of a host: who computes, who waits for a core.
//
// A piece of work is in one of these states:
//
//   computing  it has a core; its timer is armed for the end of the work.
//   in line    all cores are taken, or its process has used up its quota.
//   halted     its process is stopped or dying: it has neither a core nor a place in line. What is
//              left of it gets in line, at the end, when the process proceeds.
//
// Who is next is decided between processes first: the one that has had the least time for its
// weight, a newcomer counting as having had as much as the least of those that are active. Within a
// process it is first come, first served.
//
// Invariants:
//   - Nobody whose process may compute is in line while a core is free, but for the rest of the
//     moment in which it became so.
//   - While several processes want more than there is, the times that any two of them have had for
//     their weights since both began to want it differ by at most a slice of each per core (by a
//     piece of work, where there are no slices).
//   - In no period does a process get more than its quota.
//
// Sources: kernel documentation cgroup-v2 (cpu.weight, cpu.max), sched-bwc (slices of 5 ms).
#pragma once

#include <algorithm>

#include "engine/runtime/compute.hpp"
#include "engine/runtime/waiter.hpp"

namespace drydock::sim {

// What a process may have of its host's cores.
struct CpuShare {
  std::int64_t weight = 100;  // cpu.weight, 1 to 10,000.
  // cpu.max: so much time of cores in each period. 0: no limit.
  Duration quota;
  Duration period = Duration::ms(100);
};

// Cores are shared by all processes of the host; a stopped process computes nothing (SIGSTOP, a
// frozen cgroup, a safepoint: none of them is runnable for the kernel).
class Cores {
 public:
  class Work;
  class Share;

  // `slice`: work that has had a core for so long gives it to others that wait; 0: never, for
  // pieces are microseconds long.
  Cores(Executor& executor, std::uint32_t host_id, int count, Duration slice)
      : free_(count), slice_(slice), hand_over_(*this, executor, host_id) {
    ENSURE(count > 0);
  }

 private:
  // A core is given to those that wait at the end of the moment in which it became free: a thread
  // that has more to do competes for it.
  class HandOver : public Wakeup {
   public:
    HandOver(Cores& cores, Executor& executor, std::uint32_t host_id)
        : Wakeup(&HandOver::on_run, EventKind::host, host_id), cores_(cores), executor_(executor) {}
    void post() {
      if (!linked()) executor_.post(*this);
    }

   private:
    static void on_run(Wakeup& wakeup) { static_cast<HandOver&>(wakeup).cores_.dispatch(); }
    Cores& cores_;
    Executor& executor_;
  };

  inline void enter(Work& work);
  inline void begin(Work& work);
  inline void give_back(int count);
  void wait_in_line(Work& work);
  // Gives free cores to those that wait.
  void dispatch();
  // Who is next; null if nobody may compute.
  Share* next();
  // Somebody waits: work that runs longer than a slice gives way in time.
  void cut_long_works(MonotonicTime now);

  __extension__ using Wide = __int128;

  int free_;
  Duration slice_;
  Wide floor_ = 0;         // Time by weight that a process counts as having had at least.
  IntrusiveList active_;   // Shares that have work, as Share::InList.
  IntrusiveList waiting_;  // Those of them that have work in line, by arrival of the first.
  IntrusiveList long_;     // Work that computes longer than a slice, as Work::InList.
  HandOver hand_over_;
};

// The work of one process.
class Cores::Share {
 public:
  Share(Cores& cores, Clock& clock, std::uint32_t process_id)
      : cores_(cores), clock_(clock), refill_(*this, process_id) {}

  // Before there is work.
  void limit(CpuShare limits);
  // The process is stopped or dying: its cores go to others. Idempotent.
  void halt();
  void proceed();

 private:
  friend class Cores;
  friend class Work;
  class InList : public ListLink {
   public:
    explicit InList(Share& share) : share_(share) {}
    Share& share() const { return share_; }

   private:
    Share& share_;
  };
  // The next period begins while work waits for it.
  class Refill : public Wakeup {
   public:
    Refill(Share& share, std::uint32_t process_id)
        : Wakeup(&Refill::on_run, EventKind::timer, process_id), share_(share) {}

   private:
    static void on_run(Wakeup& wakeup) { static_cast<Refill&>(wakeup).share_.cores_.dispatch(); }
    Share& share_;
  };
  template <class Visit>
  void for_each(Visit visit);

  inline void add(Work& work);
  void activate();
  void catch_up(MonotonicTime now);
  void work_is_over();
  // Time of cores by weight, with what work that computes has had so far.
  Wide had(MonotonicTime now) const {
    return had_ + (static_cast<Wide>(computing_) * now.count_ns() - began_) * per_ns_;
  }
  // How long a piece may compute now that has so much left.
  Duration grant(Duration wanted, MonotonicTime now);
  void roll(MonotonicTime now);
  bool may_compute(MonotonicTime now);
  MonotonicTime period_end() const { return period_begin_ + limits_.period; }

  static constexpr std::int64_t kScale = 1'000'000;

  Cores& cores_;
  Clock& clock_;
  CpuShare limits_;
  std::int64_t per_ns_ = kScale / CpuShare().weight;
  Wide had_ = 0;       // Time of cores, by weight, of work that does not compute now.
  int computing_ = 0;  // How much work computes,
  Wide began_ = 0;     // and the sum of the times at which it began, ns.
  MonotonicTime idle_since_ = kNever;  // The last time at which it had no work any more.
  Duration used_;                      // Of the quota, in the present period.
  MonotonicTime period_begin_;
  IntrusiveList works_;  // As Work::InShare, in order of arrival.
  WaitList line_;
  InList in_active_{*this};
  InList in_waiting_{*this};
  Refill refill_;
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
    share_.add(*this);
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
  class InList : public ListLink {
   public:
    explicit InList(Work& work) : work_(work) {}
    Work& work() const { return work_; }

   private:
    Work& work_;
  };
  // It has to give its core to others, or its process may not compute any more.
  class Cut : public Wakeup {
   public:
    explicit Cut(Work& work)
        : Wakeup(&Cut::on_run, EventKind::timer,
                 static_cast<std::uint32_t>(work.worker_.id().value() >> 32)),
          work_(work) {}

   private:
    static void on_run(Wakeup& wakeup) { static_cast<Cut&>(wakeup).work_.cut(); }
    Work& work_;
  };

  // Neither computing nor in line any more.
  void release() {
    if (!in_share_.linked()) return;
    in_share_.unlink();
    place().unlink();
    worker_.set_wait(WaitPlace::none, share_.clock_.now());
    const bool computed = leave_core();
    if (share_.works_.empty()) share_.work_is_over();
    if (computed) share_.cores_.give_back(1);
  }
  // Whether it had one. What it did not use of it counts as not had.
  bool leave_core() {
    if (!std::exchange(computing_, false)) return false;
    in_long_.unlink();
    cut_.unlink();
    const MonotonicTime now = share_.clock_.now();
    remaining_ = std::max(end_ - now, Duration());
    share_.had_ += static_cast<Wide>((now - began_).count_ns()) * share_.per_ns_;
    --share_.computing_;
    share_.began_ -= began_.count_ns();
    share_.used_ -= std::max(granted_to_ - now, Duration());
    return true;
  }
  void cut();

  Share& share_;
  Worker& worker_;
  Duration remaining_;
  // While it has a core:
  MonotonicTime began_;
  MonotonicTime granted_to_;  // At most to here of the quota.
  MonotonicTime end_;         // Of the work.
  bool computing_ = false;
  InList in_share_{*this};
  InList in_long_{*this};
  Cut cut_{*this};
};

inline void Cores::Share::add(Work& work) {
  if (!in_active_.linked()) activate();
  works_.push_back(work.in_share_);
}

inline void Cores::enter(Work& work) {
  const bool nobody_waits = free_ > 0 && waiting_.empty();
  if (nobody_waits && work.share_.may_compute(work.share_.clock_.now())) return begin(work);
  wait_in_line(work);
  if (free_ > 0) hand_over_.post();
}

inline void Cores::begin(Work& work) {
  Share& share = work.share_;
  const MonotonicTime now = share.clock_.now();
  --free_;
  work.place().unlink();
  work.computing_ = true;
  work.began_ = now;
  work.end_ = now + work.remaining_;
  work.granted_to_ = work.end_;
  ++share.computing_;
  share.began_ += now.count_ns();
  work.worker_.set_wait(WaitPlace::none, now);
  share.clock_.arm(work, work.end_);
  if (share.limits_.quota > Duration()) {
    work.granted_to_ = now + share.grant(work.remaining_, now);
    if (work.granted_to_ < work.end_) share.clock_.arm(work.cut_, work.granted_to_);
  }
  if (slice_ == Duration() || work.remaining_ <= slice_) return;
  long_.push_back(work.in_long_);
  if (!waiting_.empty()) cut_long_works(now);
}

inline void Cores::give_back(int count) {
  free_ += count;
  if (!waiting_.empty()) hand_over_.post();
}

}  // namespace drydock::sim
