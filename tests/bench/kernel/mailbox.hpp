// Where a node awaits its messages. A message that arrives resumes the coroutine that waits, in the
// same event, as the arrival of a segment does in sim/net.
#pragma once

#include <vector>

#include "engine/runtime/waiter.hpp"

namespace drydock::bench {

// At most one coroutine receives. A message that finds nobody waiting is queued.
template <class Message>
class Mailbox {
 public:
  class [[nodiscard]] ReceiveAwaiter : public Waiter {
   public:
    ReceiveAwaiter(Mailbox& mailbox, Deadline deadline) : mailbox_(mailbox), deadline_(deadline) {}
    ~ReceiveAwaiter() {
      if (mailbox_.receiver_ == this) mailbox_.receiver_ = nullptr;
    }
    bool await_ready() {
      if (mailbox_.queued_.empty()) return false;
      message_ = mailbox_.queued_.front();
      mailbox_.queued_.erase(mailbox_.queued_.begin());
      fulfil_at_once();
      return true;
    }
    template <class Promise>
    bool await_suspend(std::coroutine_handle<Promise> handle) {
      if (!suspend(handle, deadline_)) return false;
      mailbox_.receiver_ = this;
      return true;
    }
    Result<Message> await_resume() {
      mailbox_.receiver_ = nullptr;
      if (outcome() != Outcome::signalled) return result().error();
      return message_;
    }

   private:
    friend class Mailbox;
    Mailbox& mailbox_;
    Deadline deadline_;
    Message message_{};
  };

  // The next message; timed_out, cancelled.
  ReceiveAwaiter receive(Deadline deadline) { return ReceiveAwaiter(*this, deadline); }

  // For Wakeup::set_hint.
  Waiter* const* receiver() const { return &receiver_; }

  // Only from an event, as its last act.
  void deliver(const Message& message) {
    if (receiver_ == nullptr) {
      queued_.push_back(message);
      return;
    }
    static_cast<ReceiveAwaiter*>(receiver_)->message_ = message;
    receiver_->complete_now();
  }

 private:
  Waiter* receiver_ = nullptr;   // A ReceiveAwaiter.
  std::vector<Message> queued_;  // Short: a node receives whenever it is not at work.
};

}  // namespace drydock::bench
