// Messages under way: what a network is to workloads that have none. A delivery is the event of one
// message; it runs at the receiver's end. Deliveries come from a pool and return to its end, so
// that messages sent one after the other lie side by side in memory.
#pragma once

#include <deque>

#include "sim/kernel/kernel.hpp"

namespace drydock::bench {

// `Receiver` offers `void deliver(const Message& message)`, called as the last act of the event.
template <class Receiver, class Message>
class DeliveryPool {
 public:
  DeliveryPool(sim::Kernel& kernel, Receiver& receiver) : kernel_(kernel), receiver_(receiver) {}

  // `subject` enters the fingerprint.
  void send(const Message& message, std::uint32_t subject, Duration latency) {
    if (free_.empty()) free_.push_back(deliveries_.emplace_back(*this));
    auto& delivery = static_cast<Delivery&>(*free_.front());
    delivery.carry(message, subject);
    delivery.set_hint(receiver_.waiter_of(message));
    kernel_.after(delivery, latency);  // Takes it off the free list.
  }

 private:
  class Delivery : public Wakeup {
   public:
    explicit Delivery(DeliveryPool& pool)
        : Wakeup(&Delivery::on_run, EventKind::segment, 0), pool_(pool) {}
    void carry(const Message& message, std::uint32_t subject) {
      message_ = message;
      set_label(EventKind::segment, subject);
    }

   private:
    static void on_run(Wakeup& wakeup) {
      auto& self = static_cast<Delivery&>(wakeup);
      const Message message = self.message_;
      self.pool_.free_.push_back(self);
      self.pool_.receiver_.deliver(message);
    }
    DeliveryPool& pool_;
    Message message_{};
  };

  sim::Kernel& kernel_;
  Receiver& receiver_;
  std::deque<Delivery> deliveries_;
  IntrusiveList free_;
};

}  // namespace drydock::bench
