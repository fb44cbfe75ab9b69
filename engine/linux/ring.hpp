// io_uring: the kernel does the waiting.
#pragma once

#include <deque>
#include <memory>

#include "engine/linux/executor.hpp"
#include "engine/linux/mailbox.hpp"

namespace drydock::on_linux {

class IoOperation;

// One ring per world. What one moment submits goes to the kernel in one call; completions come
// through an eventfd that the executor watches. At most as many entries are in the kernel as its
// completion queue holds; more wait here, first come, first served.
class Ring : private ReadinessListener {
 public:
  // Null, with `refusal` as an errno value, if the kernel or a filter does not allow io_uring or
  // lacks one of its calls that we use.
  static std::unique_ptr<Ring> open(LinuxExecutor& executor, Mailbox::Deliver deliver,
                                    int& refusal);
  ~Ring() override;

  // `operation` stays in place until it is delivered.
  void submit(IoOperation& operation);

 private:
  struct Kernel;  // liburing's.

  Ring(LinuxExecutor& executor, Mailbox::Deliver deliver, std::unique_ptr<Kernel> kernel);
  void readable() override;
  void reap();
  void flush();

  class Flush : public Wakeup {
   public:
    explicit Flush(Ring& ring) : Wakeup(&Flush::on_run, EventKind::device, 0), ring_(ring) {}

   private:
    static void on_run(Wakeup& wakeup) { static_cast<Flush&>(wakeup).ring_.flush(); }
    Ring& ring_;
  };

  LinuxExecutor& executor_;
  Mailbox::Deliver deliver_;
  std::unique_ptr<Kernel> kernel_;
  std::deque<IoOperation*> waiting_;
  unsigned in_kernel_ = 0;
  Flush flush_{*this};
  OwnedDescriptor event_;
  DescriptorWatch watch_;
};

}  // namespace drydock::on_linux
