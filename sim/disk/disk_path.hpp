// The connection of one host to a disk.
#pragma once

#include "sim/disk/sim_disk.hpp"
#include "sim/host/host.hpp"

namespace drydock::sim {

// The identifier of a host's controllers: its number, from the right, behind a byte that is not 0.
inline HostIdentifier host_identifier_of(const Host& host) {
  HostIdentifier identifier{0xd0};
  for (std::size_t i = 0; i < 4; ++i) {
    identifier[15 - i] = static_cast<std::uint8_t>(host.id().value() >> (8 * i));
  }
  return identifier;
}

// Commands of a host reach the disk by a path, and end with it: once the host has lost its power or
// the path is destroyed, no command calls back. The disk and the host outlive the path. A host may
// have several paths to one disk, and a disk paths to several hosts. For reservations a path is a
// controller, and the paths of one identifier are one host.
class DiskPath : public HostListener {
 public:
  DiskPath(SimDisk& disk, Host& host) : DiskPath(disk, host, host_identifier_of(host)) {}
  DiskPath(SimDisk& disk, Host& host, const HostIdentifier& identifier)
      : disk_(disk),
        host_(host),
        queue_(disk.queue_of(host.id())),
        controller_(disk.add_controller(identifier)) {
    host.add_listener(*this);
  }
  ~DiskPath() override {
    host_.remove_listener(*this);
    disk_.forget(*this);
  }
  DiskPath(const DiskPath&) = delete;
  DiskPath& operator=(const DiskPath&) = delete;

  SimDisk& disk() const { return disk_; }
  Host& host() const { return host_; }
  std::uint32_t host_id() const { return host_.id().value(); }
  BlockQueue& queue() const { return queue_; }
  std::uint32_t controller() const { return controller_; }

  void submit(std::unique_ptr<DiskCommand> command) { disk_.submit(std::move(command), *this); }
  // The blocks are free: see BlockStore. Instant, unlike the command of a real device, and without
  // effect if the host may not write.
  void discard(std::int64_t block, std::int64_t count) { disk_.discard(*this, block, count); }

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
  BlockQueue& queue_;
  std::uint32_t controller_;
};

}  // namespace drydock::sim
