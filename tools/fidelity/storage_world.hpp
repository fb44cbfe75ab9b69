// A host with one disk and a file system on it, and processes that use them.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "sim/fs/host_files.hpp"
#include "sim/net/network.hpp"

namespace drydock::fidelity {

struct StorageOptions {
  sim::DiskProfile disk;
  sim::BlockThrottle throttle;  // Of the host's block layer.
  std::int64_t disk_bytes = std::int64_t{4} << 30;
  sim::FileSystemOptions files;
  sim::MemoryOptions memory;  // Of the host. Without a size it never runs out.
  std::uint64_t seed = 1;
};

class StorageWorld {
 public:
  explicit StorageWorld(StorageOptions options);
  ~StorageWorld();
  StorageWorld(const StorageWorld&) = delete;
  StorageWorld& operator=(const StorageWorld&) = delete;

  sim::Kernel& kernel() { return kernel_; }
  sim::Host& host() { return host_; }
  sim::SimDisk& disk() { return disk_; }
  sim::PageCache& cache() { return files_.cache(); }

  // A process of its own; it starts with the next event.
  sim::SimProcess& start(std::string name, sim::Program program);
  // Calls `action` as an event at that virtual time.
  void at(Duration time, std::function<void()> action);
  // From `first` to `last`, both included.
  void every(Duration period, Duration first, Duration last, const std::function<void()>& action);

  Duration now() const { return Duration::ns(kernel_.now()); }
  void run_to(Duration time) { kernel_.run_until(time.count_ns()); }
  void run_for(Duration time) { run_to(now() + time); }

 private:
  class Call;

  sim::Kernel kernel_;
  sim::SimDisk disk_;
  sim::Host host_;
  sim::SimNetwork network_;
  sim::HostFiles files_;
  std::vector<std::unique_ptr<Call>> calls_;
};

}  // namespace drydock::fidelity
