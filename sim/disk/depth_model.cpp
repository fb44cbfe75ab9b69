#include "sim/disk/depth_model.hpp"

#include <algorithm>

#include "sim/disk/compiled_profile.hpp"
#include "sim/disk/disk_path.hpp"

namespace drydock::sim {
namespace {

constexpr std::int64_t kDiskBytes = 1 << 20;
// The mean of so many draws of a table with a tail is good to 2%, what two runs of fio differ by.
constexpr std::int64_t kCommands = 50'000;
constexpr std::int64_t kRoundsMin = 8;  // Of a queue that is so deep that this is more commands.
constexpr std::int64_t kWarmUpShare = 8;

DiskProfile device_alone(const Profile& profile) {
  DiskProfile disk = compiled_profile(profile, kDiskBytes);
  disk.shared_quota = false;
  disk.collection = {};
  disk.queue_requests = 0;
  disk.wbt_target = Duration();
  disk.io_timeout = std::nullopt;
  return disk;
}

// `depth` commands, each followed by another one as soon as it has ended.
class FullQueue {
 public:
  FullQueue(DiskPath& path, CommandDirection direction, int depth)
      : path_(path),
        direction_(direction),
        block_(SharedBytes::zeros(static_cast<std::size_t>(kPageBytes))) {
    for (int i = 0; i < depth; ++i) submit();
  }

  std::int64_t ended() const { return ended_; }

 private:
  class Command final : public DiskCommand {
   public:
    using DiskCommand::Read;
    using DiskCommand::Write;
    template <class What>
    Command(FullQueue& queue, What what) : DiskCommand(std::move(what)), queue_(queue) {}
    void completed(Result<void> outcome) override {
      ENSURE(outcome.has_value());
      ++queue_.ended_;
      queue_.submit();
    }

   private:
    FullQueue& queue_;
  };

  // Where a command lies does not matter to the model.
  void submit() {
    const std::int64_t offset = next_block_++ % (kDiskBytes / kPageBytes) * kPageBytes;
    if (direction_ == CommandDirection::read) {
      const Command::Read read{.offset = offset, .length = kPageBytes};
      path_.submit(std::make_unique<Command>(*this, read));
    } else {
      Command::Write write{.offset = offset, .bytes = ByteChain(block_)};
      path_.submit(std::make_unique<Command>(*this, std::move(write)));
    }
  }

  DiskPath& path_;
  CommandDirection direction_;
  SharedBytes block_;
  std::int64_t next_block_ = 0;
  std::int64_t ended_ = 0;
};

}  // namespace

std::int64_t command_ns_at_depth(const Profile& profile, CommandDirection direction, int depth) {
  Kernel kernel({.seed = 1});
  SimDisk disk(kernel, DiskId(1),
               {.name = "disk", .capacity_bytes = kDiskBytes, .profile = device_alone(profile)});
  Host host(kernel, HostId(1), {.name = "host"});
  DiskPath path(disk, host);
  FullQueue queue(path, direction, depth);
  const std::int64_t counted = std::max<std::int64_t>(kCommands, kRoundsMin * depth);
  const auto run_to = [&](std::int64_t commands) {
    const auto done = [&] { return queue.ended() >= commands; };
    ENSURE(kernel.run_while_not(done, INT64_MAX));
    return kernel.now();
  };
  const std::int64_t begin = run_to(counted / kWarmUpShare);
  const std::int64_t took = run_to(counted / kWarmUpShare + counted) - begin;
  return std::max<std::int64_t>(took / counted * depth + took % counted * depth / counted, 1);
}

}  // namespace drydock::sim
