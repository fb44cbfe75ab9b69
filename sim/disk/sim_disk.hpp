// One block device: its queue, its time, its faults.
//
// A command is in one of these states:
//
//   waiting    all servers of its direction are busy (`waiting_` of the direction), in order.
//   served     in the kernel's queue, due when its service ends. Flushes need no server.
//   hung       its service has ended, but a fault holds it back (`hung_`); a server stays taken.
//   completed  gone. A write's bytes reach the store at this moment and no sooner.
//
// Invariants: a read sees every write that completed before it and none that is in flight; a flush
// makes durable what completed before the flush was submitted; completions of commands that are not
// hung come after a finite time. When the power of the device or of the host that issued a write
// goes while it is in flight, any subset of its atomic units lands, at that moment; nothing of it
// lands later.
#pragma once

#include <array>
#include <memory>
#include <string>
#include <vector>

#include "sim/disk/block_store.hpp"
#include "sim/disk/disk_command.hpp"
#include "sim/disk/disk_profile.hpp"
#include "sim/kernel/kernel.hpp"

namespace drydock::sim {

// A local disk loses its power with its host; a remote one (a cloud volume) does not.
enum class DiskPlacement : std::uint8_t { local, remote };

// Which commands a hang holds back.
enum class DiskHang : std::uint8_t { all, reads, writes, data_writes, flushes };

struct DiskOptions {
  std::string name;  // Names its random streams.
  std::int64_t capacity_bytes = 0;
  DiskProfile profile = local_nvme();
  DiskPlacement placement = DiskPlacement::local;
};

// What a file system keeps with the disk besides the bytes of its blocks: see sim/fs. The disk only
// carries it from one host to the next.
class DiskFormat {
 public:
  virtual ~DiskFormat() = default;
};

class SimDisk {
 public:
  SimDisk(Kernel& kernel, DiskId id, DiskOptions options);
  ~SimDisk();
  SimDisk(const SimDisk&) = delete;
  SimDisk& operator=(const SimDisk&) = delete;

  DiskId id() const { return id_; }
  const DiskOptions& options() const { return options_; }
  DeviceInfo info() const;
  const BlockStore& store() const { return store_; }
  bool powered() const { return powered_; }
  std::size_t commands_in_flight() const;

  // The generation that blocks written from now on are marked with.
  void set_generation(std::uint32_t generation) { generation_ = generation; }
  std::uint32_t generation() const { return generation_; }

  DiskFormat* format() const { return format_.get(); }
  void set_format(std::unique_ptr<DiskFormat> format) { format_ = std::move(format); }
  // The blocks are free: see BlockStore. Instant, unlike the command of a real device.
  void discard(std::int64_t block, std::int64_t count) { store_.discard(block, count); }

  // Faults. A hang lasts until it is released; several may hold at once.
  void hang(DiskHang what);
  void release(DiskHang what);
  // The next `count` commands of the kind fail with `error` and have no effect.
  void fail_next(DiskCommand::Kind kind, int count,
                 Error error = Error::from_errno(ErrorCode::io_error, 5));
  void fail_next(DiskCommand::Kind kind, DiskCommand::Purpose purpose, int count, Error error);
  // Service and transfer times from now on, in thousandths of the profile's.
  void set_slowness(std::int64_t per_mille) { slowness_per_mille_ = per_mille; }
  // Commands in flight end with outcome_unknown; later ones with device_gone until it is back.
  void lose_power();
  void restore_power() { powered_ = true; }

 private:
  friend class DiskCommand;
  friend class DiskPath;

  // One direction's servers and its transfer pipe.
  struct Direction {
    int free_servers;
    std::int64_t bytes_per_s;
    std::int64_t iops;
    std::int64_t pipe_free_at = 0;
    IntrusiveList waiting;
  };
  struct Failure {
    DiskCommand::Kind kind;
    bool any_purpose;
    DiskCommand::Purpose purpose;
    int remaining;
    Error error;
  };

  // Called by paths.
  void submit(std::unique_ptr<DiskCommand> command, DiskPath& path);
  // The host that the path belongs to is gone: of its writes in flight any subset lands.
  void host_lost(DiskPath& path);
  void forget(DiskPath& path);

  Direction& direction_of(const DiskCommand& command) {
    return command.kind() == DiskCommand::Kind::read ? reads_ : writes_;
  }
  void serve(DiskCommand& command);
  std::int64_t transfer_end(const DiskCommand& command);
  void give_server_back(DiskCommand& command);
  void due(DiskCommand& command);
  void finish(DiskCommand& command);
  Result<void> apply(DiskCommand& command);
  bool held_back(const DiskCommand& command) const;
  void land_in_part(DiskCommand& command, BlockStore::Landing landing);
  template <class Visit>
  void for_each_command(Visit visit);

  Kernel& kernel_;
  DiskId id_;
  DiskOptions options_;
  BlockStore store_;
  std::unique_ptr<DiskFormat> format_;
  Direction reads_;
  Direction writes_;
  IntrusiveList commands_;  // All of them, as DiskCommand::Place, in order of submission.
  IntrusiveList hung_;
  std::array<bool, 5> hangs_{};
  std::vector<Failure> failures_;
  std::int64_t slowness_per_mille_ = 1000;
  std::uint32_t generation_ = 0;
  bool powered_ = true;
  RandomStream read_stream_;
  RandomStream write_stream_;
  RandomStream flush_stream_;
  RandomStream crash_stream_;
};

}  // namespace drydock::sim
