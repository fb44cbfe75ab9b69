// A bounded queue between tasks of one process.
#pragma once

#include <deque>
#include <utility>

#include "engine/runtime/sync.hpp"

namespace drydock {

// Values come out in the order in which their `send` was called. After `close`, sends fail with
// end_of_stream; receives drain what is queued, then fail with end_of_stream.
template <class T>
class Channel {
 public:
  // `capacity` >= 1: sends wait while that many values are queued.
  explicit Channel(std::size_t capacity) : capacity_(capacity) { ENSURE(capacity > 0); }

  class [[nodiscard]] ReceiveAwaiter : public Waiter {
   public:
    ReceiveAwaiter(Channel& channel, Deadline deadline) : channel_(channel), deadline_(deadline) {}
    // A value that was handed over but never collected goes back to the front of the queue, which
    // may then hold more than its capacity.
    ~ReceiveAwaiter() {
      if (value_ && !abandoned()) channel_.return_to_front(std::move(*value_));
    }
    bool await_ready() { return !channel_.queue_.empty() || channel_.closed_; }
    template <class Promise>
    bool await_suspend(std::coroutine_handle<Promise> handle) {
      if (!suspend(handle, deadline_)) return false;
      channel_.receivers_.push(*this);
      return true;
    }
    Result<T> await_resume() {
      if (value_) {
        Result<T> taken(std::move(*value_));
        value_.reset();
        return taken;
      }
      if (outcome() == Outcome::timed_out || outcome() == Outcome::cancelled) {
        return result().error();
      }
      if (!channel_.queue_.empty()) return channel_.pop();
      return ErrorCode::end_of_stream;
    }

   private:
    friend class Channel;
    Channel& channel_;
    Deadline deadline_;
    std::optional<T> value_;
  };

  class [[nodiscard]] SendAwaiter : public Waiter {
   public:
    SendAwaiter(Channel& channel, T value, Deadline deadline)
        : channel_(channel), deadline_(deadline), value_(std::move(value)) {}
    bool await_ready() {
      if (channel_.closed_) return true;
      if (channel_.queue_.size() >= channel_.capacity_) return false;
      channel_.push(std::move(*value_));
      value_.reset();
      return true;
    }
    template <class Promise>
    bool await_suspend(std::coroutine_handle<Promise> handle) {
      if (!suspend(handle, deadline_)) return false;
      channel_.senders_.push(*this);
      return true;
    }
    // Ok: the value is queued. end_of_stream, timed_out, cancelled: it is not.
    Result<void> await_resume() {
      if (!value_) return {};
      if (outcome() == Outcome::timed_out || outcome() == Outcome::cancelled) return result();
      return ErrorCode::end_of_stream;
    }

   private:
    friend class Channel;
    Channel& channel_;
    Deadline deadline_;
    std::optional<T> value_;
  };

  ReceiveAwaiter receive(Deadline deadline = kNever) { return ReceiveAwaiter(*this, deadline); }
  SendAwaiter send(T value, Deadline deadline = kNever) {
    return SendAwaiter(*this, std::move(value), deadline);
  }
  // Queues at once, or returns false: full or closed.
  bool try_send(T value) {
    if (closed_ || queue_.size() >= capacity_) return false;
    push(std::move(value));
    return true;
  }
  std::optional<T> try_receive() {
    if (queue_.empty()) return std::nullopt;
    return pop();
  }
  void close() {
    closed_ = true;
    while (!receivers_.empty()) receivers_.front().complete();
    while (!senders_.empty()) senders_.front().complete();
  }
  bool closed() const { return closed_; }
  std::size_t size() const { return queue_.size(); }

 private:
  // Hands the value to the longest waiting receiver, or queues it.
  void push(T value) {
    if (!receivers_.empty()) {
      auto& receiver = static_cast<ReceiveAwaiter&>(receivers_.front());
      receiver.value_.emplace(std::move(value));
      receiver.complete();
      return;
    }
    queue_.push_back(std::move(value));
  }
  T pop() {
    T value = std::move(queue_.front());
    queue_.pop_front();
    if (!senders_.empty() && queue_.size() < capacity_) {
      auto& sender = static_cast<SendAwaiter&>(senders_.front());
      queue_.push_back(std::move(*sender.value_));
      sender.value_.reset();
      sender.complete();
    }
    return value;
  }
  void return_to_front(T value) {
    if (!receivers_.empty()) return push(std::move(value));
    queue_.push_front(std::move(value));
  }

  std::size_t capacity_;
  std::deque<T> queue_;
  WaitList receivers_;
  WaitList senders_;
  bool closed_ = false;
};

}  // namespace drydock
