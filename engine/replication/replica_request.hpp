// One put that waits until enough copies reach as far as it does.
#pragma once

#include "engine/runtime/sync.hpp"
#include "engine/types/ids.hpp"

namespace drydock {

enum class ReplicaAnswer : std::uint8_t { replicated, timed_out };

// Lives in the frame of the put; it may go away at any time.
class ReplicaRequest : public ListLink {
 public:
  // `copies`: how many, the master's included. `deadline`: when it is given up.
  ReplicaRequest(PhysicalOffset end, std::int32_t copies, Deadline deadline)
      : end_(end), copies_(copies), deadline_(deadline) {}
  PhysicalOffset end() const { return end_; }
  std::int32_t copies() const { return copies_; }
  Deadline deadline() const { return deadline_; }
  Event& answered() { return answered_; }
  ReplicaAnswer answer() const { return answer_; }

 private:
  friend class HaMaster;
  void answer_with(ReplicaAnswer answer) {
    unlink();
    answer_ = answer;
    answered_.set();
  }

  PhysicalOffset end_;
  std::int32_t copies_;
  Deadline deadline_;
  Event answered_;
  ReplicaAnswer answer_ = ReplicaAnswer::timed_out;
};

}  // namespace drydock
