// A pool of workers with a bounded queue, as RocketMQ's thread pools: a fixed number of threads,
// the one that has been idle for longest takes the next piece of work.
//
// A piece of work in the queue gets a worker, first come, first served, or is taken out again: see
// fast_failure.hpp.
#pragma once

#include <deque>
#include <string>
#include <string_view>
#include <utility>

#include "engine/runtime/context.hpp"

namespace drydock {

class WorkerPool {
 public:
  // Workers are named `name`1, `name`2, … ; at most `queue_capacity` pieces of work wait for one.
  WorkerPool(Context& context, std::string_view name, int workers, std::size_t queue_capacity)
      : clock_(context.clock), queue_capacity_(queue_capacity) {
    for (int i = 1; i <= workers; ++i) {
      idle_.push_back(&context.workers.add(std::string(name) + std::to_string(i)));
    }
  }

  // A worker that is ours until destroyed.
  class [[nodiscard]] Lease {
   public:
    Lease() = default;
    Lease(WorkerPool& pool, Worker& worker) : pool_(&pool), worker_(&worker) {}
    Lease(Lease&& other) noexcept
        : pool_(std::exchange(other.pool_, nullptr)), worker_(other.worker_) {}
    Lease& operator=(Lease&& other) noexcept {
      std::swap(pool_, other.pool_);
      std::swap(worker_, other.worker_);
      return *this;
    }
    ~Lease() { release(); }
    void release() {
      if (pool_ != nullptr) std::exchange(pool_, nullptr)->take_back(*worker_);
    }
    explicit operator bool() const { return pool_ != nullptr; }
    Worker& worker() const { return *worker_; }

   private:
    WorkerPool* pool_ = nullptr;
    Worker* worker_ = nullptr;
  };

  // What a piece of work got: a worker, or a remark for whoever asked for it.
  struct Turn {
    Lease lease;
    std::string denied_because;
  };
  class Waiting;

  // `WorkerPool::Turn turn = co_await pool.turn();`
  // A worker at once or, first come, first served, after a while. None if the queue is full, the
  // work was taken out of it, or its scope was cancelled.
  inline Waiting turn();

  bool has_queue() const { return !queue_.empty(); }
  std::size_t queued() const { return queued_; }
  std::size_t queue_capacity() const { return queue_capacity_; }
  // How long the first in the queue has waited; only if there is one.
  inline Duration longest_wait();
  // Takes the first out of the queue. `remark(waited, queued behind it)` is what it is told.
  template <class Remark>
  void deny_first(Remark remark);
  // Set whenever a piece of work gets into the queue; for whoever looks after it, who resets it.
  Event& grew() { return grew_; }

 private:
  inline void take_back(Worker& worker);
  inline void serve();

  const Clock& clock_;
  std::deque<Worker*> idle_;
  std::size_t queue_capacity_;
  std::size_t queued_ = 0;
  WaitList queue_;
  Event grew_;
};

class [[nodiscard]] WorkerPool::Waiting : public Waiter {
 public:
  explicit Waiting(WorkerPool& pool) : pool_(pool) {}
  // If the frame is destroyed first, the worker that nobody collected goes back.
  ~Waiting() {
    if (abandoned()) return;
    if (worker_ != nullptr) pool_.take_back(*worker_);
    leave_queue();
  }

  bool await_ready() {
    if (!pool_.has_queue() && !pool_.idle_.empty()) {
      give(pool_);
    } else if (pool_.queued_ >= pool_.queue_capacity_) {
      denied_because_ = "[OVERLOAD]system busy, start flow control for a while";
    } else {
      return false;
    }
    fulfil_at_once();
    return true;
  }
  template <class Promise>
  bool await_suspend(std::coroutine_handle<Promise> handle) {
    if (!suspend(handle)) return false;
    since_ = pool_.clock_.now();
    in_queue_ = true;
    ++pool_.queued_;
    pool_.queue_.push(*this);
    pool_.grew_.set();
    return true;
  }
  Turn await_resume() {
    leave_queue();
    Turn turn;
    if (worker_ != nullptr) turn.lease = Lease(pool_, *std::exchange(worker_, nullptr));
    turn.denied_because = std::move(denied_because_);
    return turn;
  }

 private:
  friend class WorkerPool;
  void give(WorkerPool& pool) {
    worker_ = pool.idle_.front();
    pool.idle_.pop_front();
  }
  void leave_queue() {
    if (std::exchange(in_queue_, false)) --pool_.queued_;
  }

  WorkerPool& pool_;
  MonotonicTime since_;
  bool in_queue_ = false;
  Worker* worker_ = nullptr;
  std::string denied_because_;
};

inline WorkerPool::Waiting WorkerPool::turn() { return Waiting(*this); }

inline Duration WorkerPool::longest_wait() {
  return clock_.now() - static_cast<Waiting&>(queue_.front()).since_;
}

template <class Remark>
void WorkerPool::deny_first(Remark remark) {
  auto& first = static_cast<Waiting&>(queue_.front());
  first.leave_queue();
  first.denied_because_ = remark(clock_.now() - first.since_, queued_);
  first.complete();
}

inline void WorkerPool::take_back(Worker& worker) {
  idle_.push_back(&worker);
  serve();
}

inline void WorkerPool::serve() {
  while (has_queue() && !idle_.empty()) {
    auto& first = static_cast<Waiting&>(queue_.front());
    if (first.strand()->process().ending()) return;
    first.leave_queue();
    first.give(*this);
    first.complete();
  }
}

}  // namespace drydock
