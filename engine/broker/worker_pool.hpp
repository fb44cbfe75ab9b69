// A pool of workers with a bounded queue, as RocketMQ's thread pools: a fixed number of threads,
// the one that has been idle for longest takes the next piece of work.
#pragma once

#include <deque>
#include <string_view>
#include <utility>

#include "engine/runtime/context.hpp"

namespace drydock {

class WorkerPool {
 public:
  // Workers are named `name`1, `name`2, … ; at most `queue_capacity` pieces of work wait for one.
  WorkerPool(Context& context, std::string_view name, int workers, std::size_t queue_capacity)
      : free_(static_cast<std::uint64_t>(workers)), queue_capacity_(queue_capacity) {
    for (int i = 1; i <= workers; ++i) {
      idle_.push_back(&context.workers.add(std::string(name) + std::to_string(i)));
    }
  }

  // A worker that is ours until destroyed.
  class [[nodiscard]] Lease {
   public:
    Lease() = default;
    Lease(WorkerPool& pool, Semaphore::Permit permit)
        : pool_(&pool), worker_(pool.idle_.front()), permit_(std::move(permit)) {
      pool.idle_.pop_front();
    }
    Lease(Lease&& other) noexcept
        : pool_(std::exchange(other.pool_, nullptr)),
          worker_(other.worker_),
          permit_(std::move(other.permit_)) {}
    Lease& operator=(Lease&& other) noexcept {
      std::swap(pool_, other.pool_);
      std::swap(worker_, other.worker_);
      std::swap(permit_, other.permit_);
      return *this;
    }
    ~Lease() { release(); }
    void release() {
      if (pool_ == nullptr) return;
      std::exchange(pool_, nullptr)->idle_.push_back(worker_);
      permit_.release();
    }
    explicit operator bool() const { return pool_ != nullptr; }
    Worker& worker() const { return *worker_; }

   private:
    WorkerPool* pool_ = nullptr;
    Worker* worker_ = nullptr;
    Semaphore::Permit permit_;
  };

  // A worker at once, or an empty lease.
  Lease try_lease() {
    Semaphore::Permit permit = free_.try_acquire();
    if (!permit) return {};
    return Lease(*this, std::move(permit));
  }
  // A worker, first come, first served. Errors: cancelled; no_space if the queue is full.
  Task<Result<Lease>> lease() {
    if (queue_full()) co_return ErrorCode::no_space;
    ++waiting_;
    Result<Semaphore::Permit> permit = co_await free_.acquire();
    --waiting_;
    if (!permit) co_return permit.error();
    co_return Lease(*this, std::move(*permit));
  }
  bool queue_full() const { return waiting_ >= queue_capacity_; }

 private:
  Semaphore free_;
  std::deque<Worker*> idle_;
  std::size_t queue_capacity_;
  std::size_t waiting_ = 0;
};

}  // namespace drydock
