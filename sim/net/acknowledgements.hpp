// Acknowledgements under way to a sender, as notes instead of events.
#pragma once

#include <cstdint>
#include <vector>

#include "engine/types/ensure.hpp"

namespace drydock::sim {

struct Acknowledgement {
  std::int64_t sent_at = 0;     // Virtual ns.
  std::int64_t arrives_at = 0;  // Virtual ns.
  std::int64_t acked = 0;       // Everything before this position has arrived.
  std::int64_t window_end = 0;  // The sender may send up to here.
};

// A ring, in order of arrival; grows to the largest number that was ever under way.
class AcknowledgementQueue {
 public:
  bool empty() const { return head_ == tail_; }
  std::size_t size() const { return tail_ - head_; }
  const Acknowledgement& front() const { return ring_[head_ & mask()]; }
  const Acknowledgement& back() const { return ring_[(tail_ - 1) & mask()]; }
  void push(const Acknowledgement& acknowledgement) {
    if (size() == ring_.size()) grow();
    ring_[tail_++ & mask()] = acknowledgement;
  }
  void pop_front() { ++head_; }
  void pop_back() { --tail_; }
  void clear() { head_ = tail_; }

 private:
  std::size_t mask() const { return ring_.size() - 1; }
  void grow() {
    std::vector<Acknowledgement> larger(ring_.empty() ? 4 : ring_.size() * 2);
    const std::size_t count = size();
    for (std::size_t i = 0; i < count; ++i) larger[i] = ring_[(head_ + i) & mask()];
    ring_.swap(larger);
    head_ = 0;
    tail_ = count;
  }

  std::vector<Acknowledgement> ring_;
  std::size_t head_ = 0;
  std::size_t tail_ = 0;
};

}  // namespace drydock::sim
