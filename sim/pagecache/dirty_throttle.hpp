// Holds back the tasks that dirty pages: the decision procedure of the kernel's
// balance_dirty_pages, around the law of throttle_law.hpp.
//
// A task is checked after it has dirtied a page, when it has dirtied as many as its interval says.
// In free run the check sets its clock and its interval. Otherwise it may have to sleep, for as
// long as the pages that it dirtied are worth; and when D + W has reached the limit, until that is
// over. Source: Linux I/O model, sections 1.2 and 1.3.
#pragma once

#include <map>
#include <optional>

#include "engine/runtime/worker.hpp"
#include "sim/pagecache/dirty_domain.hpp"
#include "sim/pagecache/writeback_device.hpp"

namespace drydock::sim {

class DirtyThrottle {
 public:
  // `cpus`: of the host.
  DirtyThrottle(Kernel& kernel, DirtyDomain& domain, const KernelProfile& profile, int cpus);

  Jiffies now() const;

  // The worker has dirtied `pages`.
  void dirtied(const Worker& worker, std::int64_t pages);
  // Whether it is to be checked now; or will be, once it has dirtied `more`.
  bool due(const Worker& worker, const WritebackDevice& device, std::int64_t more = 0);
  // Whether the check, if it is due once the worker has dirtied `more`, may have it sleep.
  bool may_sleep(const Worker& worker, WritebackDevice& device, std::int64_t more);

  // The check. A decision to sleep, or none: then the worker goes on.
  std::optional<ThrottleDecision> check(const Worker& worker, WritebackDevice& device);
  // When that sleep ends, virtual time in ns.
  std::int64_t end_of(const ThrottleDecision& decision) const;
  // It has ended. True if the worker must be checked again before it may go on.
  bool slept(const Worker& worker, const WritebackDevice& device, const ThrottleDecision& decision);

  // Where a device stands, once `more` pages are dirty.
  DirtyState state_of(WritebackDevice& device, std::int64_t more = 0) const;

  // Nothing of the process will be seen again.
  void forget_process(std::uint32_t process_id);

 private:
  struct Task {
    TaskThrottle throttle;
    std::int64_t since_check = 0;  // Pages.
  };
  Task& task(const Worker& worker);

  Kernel& kernel_;
  DirtyDomain& domain_;
  ThrottleLaw law_;
  bool sleeps_round_up_;
  int cpus_;
  std::int64_t tick_ns_;
  std::map<WorkerId, Task> tasks_;
  // The one that was asked for last.
  WorkerId last_;
  Task* last_task_ = nullptr;
};

}  // namespace drydock::sim
