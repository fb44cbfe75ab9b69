// The block layer of one host for one disk, and the host's driver. All paths of the host share it.
//
// A command passes these stations, each with a line of its own, first come, first served:
//
//   throttle   the kernel's block throttle: a budget of bytes and commands for each direction.
//   writeback  buffered writes: see WritebackThrottle.
//   tag        the device is given so many commands at a time.
//   link       none is usable at the moment: `parked_`.
//
// Who submits it waits with it for writeback and tag, but not for the throttle: it takes commands
// and lets their submitters go on.
//
// Then it is the device's, and is timed. After a time-out the host aborts the command; if the
// device has not answered after another one, it resets the controller: all commands that came by
// this link end at the device and are sent again, by the same link when it is back or by another
// one at once. What has been sent again too often, or an abort has ended, fails: its outcome is
// unknown. Commands about reservations are never sent again.
//
// A link that is cut swallows what is on it. The host notices after a while and goes on by another
// link, while the device goes on with what it has got: it may land later (see LinkLoss). Links are
// not controllers: reservations see one controller for each path.
//
// Source: Linux I/O model, section 5; the times of a reset and of a lost link are assumed.
#pragma once

#include <limits>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "sim/disk/io_counters.hpp"
#include "sim/disk/throttle_line.hpp"
#include "sim/disk/writeback_throttle.hpp"

namespace drydock::sim {

class SimDisk;

struct BlockThrottle {
  BucketOptions reads;
  BucketOptions writes;
  // Writes of the journal pass at once and are charged (kernels from 6.12 on). Otherwise they wait
  // like data.
  bool journal_as_debt = true;
};

struct BlockQueueOptions {
  int requests = 0;     // Tags; 0: no limit.
  Duration wbt_target;  // 0: no writeback throttling.
  BlockThrottle throttle;
  std::optional<Duration> io_timeout = std::nullopt;  // None: the host waits for ever.
  int retries = 5;
  Duration reset_time = Duration::s(1);
  // Of a controller that does not come back from its reset: then it is removed.
  Duration admin_timeout = Duration::s(60);
  int links = 1;
  // Of a link that stays down, since the host noticed: then it is removed (NVMe's ctrl_loss_tmo),
  // and without another one commands fail. None: the host waits for ever.
  std::optional<Duration> link_loss_timeout = std::nullopt;
};

// What is on a link when it is cut.
struct LinkLoss {
  Duration noticed_after = Duration::s(5);
  // Writes on their way reach the device, or what they do shows there, this much later than they
  // would have; without it they go on as if nothing had happened.
  Duration late_by;
};

class BlockQueue final : private ThrottleLine::Exit {
 public:
  BlockQueue(Kernel& kernel, SimDisk& disk, BlockQueueOptions options);

  const BlockQueueOptions& options() const { return options_; }
  void set_throttle(const BlockThrottle& throttle);
  const WritebackThrottle& writeback_throttle() const { return writeback_; }
  void dirtier_slept() { writeback_.dirtier_slept(kernel_.now()); }
  int at_device() const { return at_device_; }
  IoCounters io() const { return io_.counters(kernel_.now()); }

  // Links count from 0. The device keeps its side of a link that is mended.
  // False if the link cannot be cut: it is cut already, or removed.
  bool cut(int link, LinkLoss loss);
  // No effect on one that has been removed.
  void mend(int link);
  int link() const { return link_; }  // By which commands go now, if any is usable.

  // Called by the disk.
  void submit(DiskCommand& command) {
    if (plain_ && at_device_ < requests_ && !writeback_.counts(command)) [[likely]]
      return send(command);
    pass_throttle(command);
  }
  // The command is about to complete.
  void ended(DiskCommand& command);
  // The host starts from nothing. Its commands have been decided.
  void host_lost();

 private:
  enum class LinkState : std::uint8_t { up, cut, down, resetting, removed };
  class Timer : public Wakeup {
   public:
    using Ring = void (BlockQueue::*)(int link);
    Timer(BlockQueue& queue, Ring ring, int link, std::uint32_t subject)
        : Wakeup(&Timer::on_run, EventKind::device, subject),
          queue_(queue),
          ring_(ring),
          link_(link) {}

   private:
    static void on_run(Wakeup& wakeup) {
      auto& timer = static_cast<Timer&>(wakeup);
      (timer.queue_.*timer.ring_)(timer.link_);
    }
    BlockQueue& queue_;
    Ring ring_;
    int link_;
  };
  struct Link {
    LinkState state = LinkState::up;
    bool comes_back = true;  // From its reset.
    std::unique_ptr<Timer> timer;
    std::unique_ptr<IntrusiveList> lost;  // Commands that were on it when it was cut.
  };

  void passed(DiskCommand& command) override { pass_writeback(command); }
  void pass_throttle(DiskCommand& command);
  void pass_writeback(DiskCommand& command);
  void take_tag(DiskCommand& command);
  static void line_up(IntrusiveList& line, DiskCommand& command);
  static bool is_io(const DiskCommand& command) {
    return command.kind() == DiskCommand::Kind::read || command.kind() == DiskCommand::Kind::write;
  }
  void count(const DiskCommand& command);
  void send(DiskCommand& command) {
    ++at_device_;
    command.tagged_ = true;
    command.tagged_at_ = kernel_.now();
    if (is_io(command)) io_.started(command.tagged_at_);
    if (std::exchange(command.blocks_, false)) [[unlikely]]
      command.submitter_goes_on();
    start(command);
  }
  // By the link in use, if it can be used.
  void start(DiskCommand& command);
  void start_anyhow(DiskCommand& command);
  void move_on();
  void choose_link();

  void time_out(int);
  void reset(int link);
  void send_again(DiskCommand& command);
  void link_timer_rang(int link);
  void send_lost(Link& link);
  void send_all(IntrusiveList& list);
  template <class Visit>
  void for_each_sent(Visit visit);

  Kernel& kernel_;
  SimDisk& disk_;
  BlockQueueOptions options_;
  int requests_;
  bool plain_ = true;  // There has never been a throttle.
  int at_device_ = 0;  // Commands with a tag.
  ThrottleLine reads_;
  ThrottleLine writes_;
  WritebackThrottle writeback_;
  IoStatistics io_;
  IntrusiveList waiting_for_writeback_;
  IntrusiveList waiting_for_tag_;
  IntrusiveList parked_;
  std::vector<Link> links_;
  int link_ = 0;
  Timer time_out_;
};

}  // namespace drydock::sim
