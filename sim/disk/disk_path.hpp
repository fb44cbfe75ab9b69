// The connection of one host to a disk.
#pragma once

#include "sim/disk/sim_disk.hpp"
#include "sim/host/host.hpp"

namespace drydock::sim {

// Commands of a host reach the disk by a path, and end with it: once the host has lost its power or
// the path is destroyed, no command calls back. The disk and the host outlive the path. A host may
// have several paths to one disk, and a disk paths to several hosts.
class DiskPath : public HostListener {
 public:
  DiskPath(SimDisk& disk, Host& host) : disk_(disk), host_(host) { host.add_listener(*this); }
  ~DiskPath() override {
    host_.remove_listener(*this);
    disk_.forget(*this);
  }
  DiskPath(const DiskPath&) = delete;
  DiskPath& operator=(const DiskPath&) = delete;

  SimDisk& disk() const { return disk_; }
  Host& host() const { return host_; }
  std::uint32_t host_id() const { return host_.id().value(); }

  void submit(std::unique_ptr<DiskCommand> command) { disk_.submit(std::move(command), *this); }

  void power_lost(Host&) override {
    // Before other hosts' commands take over the servers of this host's.
    if (disk_.options().placement == DiskPlacement::local) disk_.lose_power();
    disk_.host_lost(*this);
  }
  void panicked(Host&) override { disk_.host_lost(*this); }
  void power_restored(Host&) override {
    if (disk_.options().placement == DiskPlacement::local) disk_.restore_power();
  }
  void process_ended(Host&, SimProcess&) override {}

 private:
  SimDisk& disk_;
  Host& host_;
};

}  // namespace drydock::sim
