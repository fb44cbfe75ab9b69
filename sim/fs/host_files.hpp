// The files of one host, and its disks.
#pragma once

#include <functional>
#include <map>
#include <memory>

#include "engine/runtime/file_system.hpp"
#include "sim/fs/mount_table.hpp"

namespace drydock::sim {

// A disk that a node agent handles.
struct Attachment {
  Attachment(SimDisk& disk, Host& host) : path(disk, host) {}
  DiskPath path;
  std::shared_ptr<RawDevice> raw;
  std::shared_ptr<Mount> mount;  // Set while it is mounted, or checked.
  std::string mount_point;       // Empty while it is not mounted.
};

// With a disk of its own, the root: makes a file system on it if there is none, and mounts it, at
// no cost in time. After a power loss or a panic the host mounts it anew when its power is back.
// Disks that are attached later are mounted by whoever controls the node, at their mount points,
// and are not mounted anew. Kernel, host and disks outlive it.
class HostFiles : public HostListener {
 public:
  HostFiles(Kernel& kernel, Host& host, SimDisk& disk, FileSystemOptions options);
  // Without a root: nothing is there but what is attached.
  HostFiles(Kernel& kernel, Host& host, FileSystemOptions options);
  ~HostFiles() override;
  HostFiles(const HostFiles&) = delete;
  HostFiles& operator=(const HostFiles&) = delete;

  // The file system as `process` sees it; for SimProcess::attach. Calls wait while the host mounts.
  std::unique_ptr<FileSystem> attach(SimProcess& process);

  // The disk appears as `device` ("/dev/d1"), where it can be opened and mounted.
  void attach_disk(SimDisk& disk, const std::string& device);
  // It goes away, whatever is mounted there.
  void detach_disk(const std::string& device);
  // mkfs, at no cost in time.
  static void make_file_system(SimDisk& disk, const FileSystemOptions& options);

  // Called whenever the host has mounted its root anew and calls no longer wait.
  void set_mounted(std::function<void()> told) { mounted_ = std::move(told); }

  // Called whenever one of its file systems, root or not, stops itself.
  void set_stopped(std::function<void(FileSystemStop)> told) { stopped_ = std::move(told); }

  PageCache& cache() { return *cache_; }
  // Of the root.
  SimDisk& disk() { return path_->disk(); }
  Mount& mount() { return *mount_; }

  // For who controls the node. By device.
  using Attachments = std::map<std::string, std::shared_ptr<Attachment>>;
  const Attachments& attachments() const { return attachments_; }
  std::shared_ptr<Attachment> find(const std::string& device) const;
  std::shared_ptr<Attachment> mounted_at(const std::string& mount_point) const;
  MountTable& table() { return *table_; }
  // A mount of the disk that has begun. Errors: invalid_argument if nothing is on the disk, or if
  // it is to be written without a replay.
  Result<std::shared_ptr<Mount>> make_mount(Attachment& attached, MountOptions how);

  void power_lost(Host& host) override;
  void power_restored(Host& host) override;
  void process_ended(Host& host, SimProcess& process) override;

 private:
  VolumeImage& image() { return static_cast<VolumeImage&>(*disk().format()); }
  std::shared_ptr<Mount> make_root();
  void watch(Mount& mount);
  void begin(Attachment& attached, const std::string& device);
  void end(Attachment& attached, const std::string& device);

  Kernel& kernel_;
  Host& host_;
  FileSystemOptions options_;
  std::unique_ptr<DiskPath> path_;  // Of the root.
  std::shared_ptr<PageCache> cache_;
  std::shared_ptr<MountTable> table_;
  std::shared_ptr<Mount> mount_;
  Attachments attachments_;
  std::vector<std::shared_ptr<Mount>> buried_;  // Their paths must not go while the host tells.
  std::function<void()> mounted_;
  std::function<void(FileSystemStop)> stopped_;
};

}  // namespace drydock::sim
