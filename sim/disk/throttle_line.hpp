// Commands that wait for a token bucket, first come, first served.
#pragma once

#include "sim/disk/disk_command.hpp"
#include "sim/disk/token_bucket.hpp"
#include "sim/kernel/kernel.hpp"

namespace drydock::sim {

class ThrottleLine : public Wakeup {
 public:
  class Exit {
   public:
    // The command has waited, is charged, and in no list.
    virtual void passed(DiskCommand& command) = 0;

   protected:
    ~Exit() = default;
  };

  ThrottleLine(Kernel& kernel, Exit& exit, std::uint32_t subject, BucketOptions options)
      : Wakeup(&ThrottleLine::on_run, EventKind::device, subject),
        kernel_(kernel),
        exit_(exit),
        bucket_(options) {}

  bool limited() const { return bucket_.options().limited(); }
  // New limits, also for those who wait. They begin with a budget of their own.
  void set(BucketOptions options);

  // True if the command passes at once. Otherwise it waits, as a member of the line's list, from
  // which anybody may take it.
  bool enter(DiskCommand& command) {
    return (!limited() && waiting_.empty()) || enter_limited(command);
  }
  // The command passes at once; others pay for it.
  void pass(const DiskCommand& command) {
    if (limited()) bucket_.charge(kernel_.now(), command.length());
  }

 private:
  static void on_run(Wakeup& wakeup) { static_cast<ThrottleLine&>(wakeup).move_on(); }
  bool enter_limited(DiskCommand& command);
  void move_on();

  Kernel& kernel_;
  Exit& exit_;
  TokenBucket bucket_;
  IntrusiveList waiting_;
};

}  // namespace drydock::sim
