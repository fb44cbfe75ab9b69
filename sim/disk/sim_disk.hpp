// One block device: its queue, its time, its faults.
//
// A command is in one of these states:
//
//   kept       its host has not sent it yet, or has taken it back: see BlockQueue.
//   rationed   it waits for the quota of a cloud volume (`quota_`), which all hosts share.
//   waiting    all servers of its direction are busy, in order.
//   served     started: in the kernel's queue, due when its service ends. Flushes and reservation
//              commands need no server.
//   hung       its service has ended, but a fault holds it back (`hung_`). Its server is free: what
//              no fault holds back passes.
//   fencing    a preempt-and-abort that has taken effect and waits (`fences_`) until no command is
//              left that a preempted host had sent before.
//   completed  gone. A write's bytes reach the store at this moment and no sooner. The same is true
//              of what a reservation command does.
//
// A reservation is asked once, when a command starts: what waits for a server may still be refused,
// what was served lands although its host has been preempted since. Preempt-and-abort closes that
// hole: started commands of the preempted hosts are aborted (any subset of a write's atomic units
// lands, at that moment) or awaited, as the device's options say.
//
// How long a command is served depends on what else goes on: reads are slower while writes move
// bytes, servers get into each other's way, and garbage collections make everything wait. See
// device_load.
//
// A host may give a write up that the device goes on with (a straggler): it takes effect like any
// other, with its author and the generation at that time, and nobody hears of it.
//
// Invariants: a read sees every write that completed before it and none that is in flight; a flush
// makes durable what completed before the flush was submitted; completions of commands that are not
// hung come after a finite time. When the power of the device or of the host that issued a write
// goes while it is in flight, any subset of its atomic units lands, at that moment; nothing of it
// lands later.
#pragma once

#include <array>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "sim/disk/block_queue.hpp"
#include "sim/disk/block_store.hpp"
#include "sim/disk/disk_command.hpp"
#include "sim/disk/disk_fault.hpp"
#include "sim/disk/disk_profile.hpp"
#include "sim/disk/notice_log.hpp"
#include "sim/disk/ownership_audit.hpp"
#include "sim/disk/reservations.hpp"
#include "sim/kernel/kernel.hpp"

namespace drydock::sim {

// A local disk loses its power with its host; a remote one (a cloud volume) does not.
enum class DiskPlacement : std::uint8_t { local, remote };

// The hangs that are asked for most.
enum class DiskHang : std::uint8_t { all, reads, writes, data_writes, flushes };

struct DiskOptions {
  std::string name;  // Names its random streams.
  std::int64_t capacity_bytes = 0;
  DiskProfile profile = local_nvme();
  DiskPlacement placement = DiskPlacement::local;
  // None: reservation commands are invalid opcodes.
  std::optional<ReservationOptions> reservations = std::nullopt;
  // Of every host's block layer. Those that the profile knows are taken from it.
  BlockQueueOptions queue = {};
};

// What a file system keeps with the disk besides the bytes of its blocks: see sim/fs. The disk only
// carries it from one host to the next.
class DiskFormat {
 public:
  virtual ~DiskFormat() = default;
};

class SimDisk final : private ThrottleLine::Exit {
 public:
  SimDisk(Kernel& kernel, DiskId id, DiskOptions options);
  ~SimDisk();
  SimDisk(const SimDisk&) = delete;
  SimDisk& operator=(const SimDisk&) = delete;

  DiskId id() const { return id_; }
  const DiskOptions& options() const { return options_; }
  DeviceInfo info() const;
  // What the controller is told about reservations goes there, until `tell_no_more`. A reset by
  // the queue is one of the controller.
  void tell(std::uint32_t controller, const BlockQueue& queue, NoticeLog& log) {
    notice_logs_[controller] = {&queue, &log};
  }
  void tell_no_more(std::uint32_t controller) { notice_logs_.erase(controller); }
  const BlockStore& store() const { return store_; }
  bool powered() const { return powered_; }
  std::size_t commands_in_flight() const;
  // Null if the disk offers none.
  const NamespaceReservations* reservations() const {
    return reservations_ ? &*reservations_ : nullptr;
  }

  // What a host's paths share; made when it is asked for.
  BlockQueue& queue_of(HostId host);

  // The generation of ownership: blocks written from now on are marked with it. It rises whenever
  // the reservation passes to another host than the one that held it last.
  void set_generation(std::uint32_t generation) { generation_ = generation; }
  std::uint32_t generation() const { return generation_; }
  // Whether the path's host holds the reservation.
  bool owned_by(const DiskPath& path) const;
  OwnershipAudit& ownership() { return ownership_; }

  DiskFormat* format() const { return format_.get(); }
  void set_format(std::unique_ptr<DiskFormat> format) { format_ = std::move(format); }

  // Faults: sim_disk_faults.cpp. Several may hold at once; what has begun lasts until it is ended,
  // or spent. Ending one again changes nothing.
  DiskFaultId begin(DiskFault fault);
  void end(DiskFaultId fault);
  // The same by name. Of one name only one hang holds at a time.
  void hang(DiskHang what);
  void release(DiskHang what);
  // The next `count` commands of the kind fail with `error`.
  void fail_next(DiskCommand::Kind kind, int count,
                 Error error = Error::from_errno(ErrorCode::io_error, 5));
  void fail_next(DiskCommand::Kind kind, DiskCommand::Purpose purpose, int count, Error error);
  // Service and transfer times of all commands from now on, in thousandths of the profile's.
  void set_slowness(std::int64_t per_mille) { slowness_per_mille_ = per_mille; }
  // False: an acknowledged flush, or a write through the cache, proves nothing now.
  bool obeys_flushes() const;
  // Commands in flight end with outcome_unknown; later ones with device_gone until it is back.
  void lose_power();
  void restore_power() { powered_ = true; }

 private:
  friend class BlockQueue;
  friend class DiskCommand;
  friend class DiskPath;

  // One direction's servers and its transfer pipe.
  struct Direction {
    int free_servers;
    int servers;
    std::int64_t population = 0;  // Commands that are served or wait for it.
    TransferPipe pipe;
    IntrusiveList waiting;
  };
  struct ActiveFault {
    DiskFaultId id;
    DiskFault fault;
  };

  // Where a controller's notices go.
  struct Listener {
    const BlockQueue* queue = nullptr;
    NoticeLog* log = nullptr;
  };
  // A preempt-and-abort that waits for what these hosts sent before `before`.
  struct Fence {
    DiskCommand* command;
    std::vector<ReservationHost> hosts;
    std::uint64_t before;
  };

  // Called by paths.
  std::uint32_t add_controller(const HostIdentifier& identifier);
  void submit(std::unique_ptr<DiskCommand> command, DiskPath& path);
  void discard(const DiskPath& path, std::int64_t block, std::int64_t count);
  // The host that the path belongs to is gone: of its writes in flight any subset lands.
  void host_lost(DiskPath& path);
  void forget(DiskPath& path);

  // What the host no longer waits for: sim_disk_hosts.cpp. All but `fail` leave the command with
  // its queue. False: the device does not do as it is told.
  bool abort(DiskCommand& command);
  bool reset(DiskCommand& command);
  // Before its commands: what was told by controllers of the queue and not read is lost.
  void controllers_reset(const BlockQueue& queue);
  void take_back(DiskCommand& command);
  void leave_behind(DiskCommand& command, Duration late_by);
  void replace(DiskCommand& command, std::unique_ptr<DiskCommand> by, Duration late_by);
  void make_new(DiskCommand& command);
  void fail(DiskCommand& command);

  Direction& direction_of(const DiskCommand& command) {
    return command.kind() == DiskCommand::Kind::read ? reads_ : writes_;
  }
  void send(DiskCommand& command);  // Called by queues.
  void passed(DiskCommand& command) override { wait_for_server(command); }
  void wait_for_server(DiskCommand& command);
  void serve(DiskCommand& command);
  Duration service_time(const DiskCommand& command);
  Duration stretched(const DiskCommand& command, Duration time);
  // How much longer it takes than one of 4 KiB.
  static Duration time_of_size(const DiskCommand& command, Duration per_kib);
  // When the command's turn on the pipe is over, and the pipe's next turn begins.
  std::int64_t transfer_end(const DiskCommand& command, std::int64_t slowness_per_mille);
  void give_server_back(DiskCommand& command);
  void due(DiskCommand& command);
  bool goes_back(DiskCommand& command);
  void finish(DiskCommand& command);
  Result<void> apply(DiskCommand& command);
  void land_in_part(DiskCommand& command, BlockStore::Landing landing);
  // Takes the command out of wherever it is: its completion comes next.
  void decide(DiskCommand& command, Result<void> outcome);
  template <class Visit>
  void for_each_command(Visit visit) {
    ListLink* link = commands_.empty() ? nullptr : commands_.front();
    while (link != nullptr) {
      ListLink* const next = commands_.after(link);
      visit(static_cast<DiskCommand::Place*>(link)->command());
      link = next;
    }
  }

  // Faults: sim_disk_faults.cpp. Mostly there are none: that costs a comparison.
  bool held_back(const DiskCommand& command) const {
    return !faults_.empty() && suffers<Hang>(command);
  }
  bool obeys(const DiskCommand& command) const {
    return faults_.empty() || !suffers<FlushLie>(command);
  }
  std::optional<Error> injected_failure(const DiskCommand& command) {
    if (faults_.empty()) return std::nullopt;
    return next_failure(command);
  }
  std::int64_t slowness_of(const DiskCommand& command) const {
    return faults_.empty() ? slowness_per_mille_ : slowness_by_faults(command);
  }
  template <class Effect>
  bool suffers(const DiskCommand& command) const;
  std::optional<Error> next_failure(const DiskCommand& command);
  std::int64_t slowness_by_faults(const DiskCommand& command) const;
  const Hang* hang_on(const DiskCommand& command) const;
  void release_held();

  // Reservations: sim_disk_reservations.cpp.
  bool refuses(std::uint32_t controller, DiskCommand::Kind kind) const;
  // Decides the command's outcome; false if it has to wait as a fence.
  bool execute_reservation(DiskCommand& command);
  void tell_hosts(const std::vector<ReservationNoticeTo>& notices);
  ReservationOutcome change_reservation(DiskCommand& command);
  void note_owner();
  // I1 of a write that has landed. (What a preempted host had started before lands while the claim
  // is under way: that is what a preempt-and-abort waits for.)
  void audit_write(const DiskCommand& command);
  bool is_fence(const DiskCommand& command) const;
  // False if there is nothing to wait for.
  bool begin_fence(DiskCommand& command, std::vector<ReservationHost> hosts);
  void abort_commands_of(const std::vector<ReservationHost>& hosts);
  bool comes_from(const DiskCommand& command, const std::vector<ReservationHost>& hosts) const;
  bool holds(const Fence& fence);
  void drop_fence(const DiskCommand& command);
  void complete_fences();

  Kernel& kernel_;
  DiskId id_;
  DiskOptions options_;
  BlockStore store_;
  std::unique_ptr<DiskFormat> format_;
  Direction reads_;
  Direction writes_;
  Parallelism parallelism_;
  GarbageCollector collector_;
  ThrottleLine quota_;
  std::int64_t median_read_ns_;
  IntrusiveList commands_;  // All of them, as DiskCommand::Place, in order of submission.
  IntrusiveList hung_;
  std::optional<NamespaceReservations> reservations_;
  std::optional<ReservationHost> last_owner_;
  OwnershipAudit ownership_;
  std::vector<ReservationHost> controllers_;                     // By number.
  std::map<std::uint32_t, Listener> notice_logs_;                // By controller.
  std::map<std::uint32_t, std::unique_ptr<BlockQueue>> queues_;  // By host.
  std::vector<Fence> fences_;
  std::uint64_t next_sequence_ = 0;
  std::vector<ActiveFault> faults_;  // In order of their beginning.
  std::uint64_t next_fault_ = 0;
  std::array<std::optional<DiskFaultId>, 5> hangs_;  // By name.
  std::int64_t slowness_per_mille_ = 1000;
  std::uint32_t generation_ = 0;
  bool powered_ = true;
  RandomStream read_stream_;
  RandomStream write_stream_;
  RandomStream flush_stream_;
  RandomStream reservation_stream_;
  RandomStream crash_stream_;
};

}  // namespace drydock::sim
