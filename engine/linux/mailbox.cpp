#include "engine/linux/mailbox.hpp"

#include <errno.h>
#include <sys/eventfd.h>
#include <unistd.h>

namespace drydock::on_linux {

Mailbox::Mailbox(LinuxExecutor& executor, Deliver deliver)
    : deliver_(std::move(deliver)),
      event_(make_event_descriptor()),
      watch_(executor, event_.get(), *this) {
  watch_.await_readable();
}

void Mailbox::put(Operation& operation) {
  bool first = false;
  {
    const std::lock_guard lock(mutex_);
    first = finished_.empty();
    finished_.push_back(&operation);
  }
  if (first) signal_event(event_);
}

void Mailbox::readable() {
  clear_event(event_);
  std::vector<Operation*> taken;
  {
    const std::lock_guard lock(mutex_);
    taken.swap(finished_);
  }
  for (Operation* operation : taken) deliver_(*operation);
  watch_.await_readable();
}

OwnedDescriptor make_event_descriptor() {
  OwnedDescriptor event(::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK));
  ENSURE(static_cast<bool>(event));
  return event;
}

void signal_event(const OwnedDescriptor& event) {
  const std::uint64_t one = 1;
  // Full (EAGAIN) is as good: the reader has not looked yet.
  (void)!::write(event.get(), &one, sizeof one);
}

void clear_event(const OwnedDescriptor& event) {
  std::uint64_t count = 0;
  (void)!::read(event.get(), &count, sizeof count);
}

}  // namespace drydock::on_linux
