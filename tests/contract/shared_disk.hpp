// A disk behind the face of the contracts: two hosts are attached to it, and what runs on a host
// reaches it as a block device and by its reservations.
#pragma once

#include <functional>
#include <memory>

#include "engine/runtime/block_device.hpp"
#include "engine/runtime/context.hpp"
#include "engine/runtime/reservations.hpp"

namespace drydock::contract {

class SharedDisk {
 public:
  using Program = std::function<Task<void>(Worker&, BlockDevice&, Reservations&)>;

  virtual ~SharedDisk() = default;
  // Runs a process of the host, 0 or 1, to its end. False if it hangs.
  virtual bool run(int host, Program program) = 0;
  // The disk loses its power and gets it back. Simulation only.
  virtual void power_cut() = 0;
};

struct SimulatedDisk {
  static constexpr const char* kName = "Simulation";
  static std::unique_ptr<SharedDisk> make();
};
// A file on Linux; engine/linux cannot drive a device with reservations yet.
struct LinuxFile {
  static constexpr const char* kName = "Linux";
  static std::unique_ptr<SharedDisk> make();
};
// A disk with reservations: in the simulation only, in each of its presets.
std::unique_ptr<SharedDisk> make_reserving_disk(std::string_view preset);

}  // namespace drydock::contract
