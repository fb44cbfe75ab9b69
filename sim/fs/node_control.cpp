#include "sim/fs/node_control.hpp"

#include "sim/disk/sim_block_device.hpp"
#include "sim/disk/sim_reservations.hpp"

namespace drydock::sim {
namespace {

// A disk in the hands of a command; what the command does not keep goes with it.
class Claim {
 public:
  Claim(std::shared_ptr<Attachment> attached, std::shared_ptr<Mount> mount)
      : attached_(std::move(attached)), mount_(std::move(mount)) {
    attached_->mount = mount_;
  }
  ~Claim() {
    if (kept_) return;
    if (holds()) attached_->mount = nullptr;
    mount_->die();
  }
  Claim(const Claim&) = delete;
  Claim& operator=(const Claim&) = delete;

  Mount& mount() const { return *mount_; }
  // The host or the disk may have gone meanwhile.
  bool holds() const { return attached_->mount == mount_; }
  void keep() { kept_ = true; }

 private:
  std::shared_ptr<Attachment> attached_;
  std::shared_ptr<Mount> mount_;
  bool kept_ = false;
};

}  // namespace

Result<std::vector<AttachedDisk>> SimHostControl::attached() {
  std::vector<AttachedDisk> disks;
  for (const auto& [device, attached] : files_.attachments()) {
    disks.push_back({.disk = attached->path.disk().id(),
                     .device = device,
                     .mount_point = attached->mount_point});
  }
  return disks;
}

Result<std::unique_ptr<BlockDevice>> SimHostControl::open_device(std::string device) {
  const std::shared_ptr<Attachment> attached = files_.find(device);
  if (attached == nullptr) return ErrorCode::not_found;
  return std::make_unique<SimBlockDevice>(attached->path.disk(), attached->path.host());
}

Result<std::unique_ptr<Reservations>> SimHostControl::open_reservations(std::string device) {
  const std::shared_ptr<Attachment> attached = files_.find(device);
  if (attached == nullptr) return ErrorCode::not_found;
  return std::make_unique<SimReservations>(attached->path.disk(), attached->path.host());
}

Task<Result<void>> SimHostControl::purge_cache(Worker& worker, std::string device) {
  const std::shared_ptr<Attachment> attached = files_.find(device);
  if (attached == nullptr) co_return ErrorCode::not_found;
  if (attached->mount != nullptr) co_return ErrorCode::busy;
  const std::shared_ptr<RawDevice> raw = attached->raw;
  Result<void> purged = co_await raw->purge(worker);
  co_return purged;
}

Task<Result<void>> SimHostControl::check(Worker& worker, std::string device) {
  const std::shared_ptr<Attachment> attached = files_.find(device);
  if (attached == nullptr) co_return ErrorCode::not_found;
  if (attached->mount != nullptr) co_return ErrorCode::busy;
  auto* const image = static_cast<VolumeImage*>(attached->path.disk().format());
  if (image != nullptr) image->mend_log(*attached->raw);
  Result<std::shared_ptr<Mount>> made = files_.make_mount(*attached, MountOptions());
  if (!made) co_return made.error();
  const Claim claim(attached, *made);
  Result<void> replayed = co_await claim.mount().mounted(worker);
  if (replayed) co_await claim.mount().quiesce(worker);
  co_return replayed;
}

Task<Result<void>> SimHostControl::mount(Worker& worker, std::string device,
                                         std::string mount_point, MountOptions options) {
  const std::shared_ptr<Attachment> attached = files_.find(device);
  if (attached == nullptr) co_return ErrorCode::not_found;
  if (attached->mount != nullptr || files_.table().mounted(mount_point)) co_return ErrorCode::busy;
  Result<std::shared_ptr<Mount>> made = files_.make_mount(*attached, options);
  if (!made) co_return made.error();
  Claim claim(attached, *made);
  Result<void> done = co_await claim.mount().mounted(worker);
  if (!done) co_return done;
  if (!claim.holds()) co_return ErrorCode::device_gone;
  claim.keep();
  attached->mount_point = mount_point;
  files_.table().mount(mount_point, *made);
  co_return Result<void>();
}

Task<Result<void>> SimHostControl::unmount(Worker& worker, std::string mount_point) {
  const std::shared_ptr<Attachment> attached = files_.mounted_at(mount_point);
  if (attached == nullptr) co_return ErrorCode::invalid_argument;
  const std::shared_ptr<Mount> mount = attached->mount;
  if (mount->in_use()) co_return ErrorCode::busy;
  // From here on no path leads there.
  files_.table().unmount(mount_point);
  attached->mount_point.clear();
  const Claim claim(attached, mount);
  co_await mount->quiesce(worker);
  co_return Result<void>();
}

}  // namespace drydock::sim
