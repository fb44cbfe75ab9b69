// Finished operations on their way from threads to the executor.
#pragma once

#include <functional>
#include <mutex>
#include <vector>

#include "engine/linux/descriptor.hpp"
#include "engine/linux/executor.hpp"
#include "engine/linux/operation.hpp"

namespace drydock::on_linux {

// A list under a lock, and an eventfd that is written when the list stops being empty: a burst of
// completions costs one wake-up. Bounded by the number of operations in flight.
class Mailbox : private ReadinessListener {
 public:
  using Deliver = std::function<void(Operation&)>;
  // `deliver` is called on the executor's thread, in the order of `put`.
  Mailbox(LinuxExecutor& executor, Deliver deliver);

  // From any thread. The operation is the executor's from now on.
  void put(Operation& operation);

 private:
  void readable() override;

  Deliver deliver_;
  OwnedDescriptor event_;
  std::mutex mutex_;
  std::vector<Operation*> finished_;
  DescriptorWatch watch_;
};

// An eventfd that does not block.
OwnedDescriptor make_event_descriptor();
// Adds one to it, from any thread; takes everything out of it.
void signal_event(const OwnedDescriptor& event);
void clear_event(const OwnedDescriptor& event);

}  // namespace drydock::on_linux
