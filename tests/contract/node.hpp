// A host's disks behind the face of the contracts: one shared disk with a file system on it, as a
// node agent handles it.
#pragma once

#include <functional>
#include <memory>

#include "engine/runtime/context.hpp"
#include "engine/runtime/host_control.hpp"

namespace drydock::contract {

inline constexpr const char* kSharedDevice = "/dev/shared";

class Nodes {
 public:
  using Program = std::function<Task<void>(Worker&, HostControl&, FileSystem&)>;

  virtual ~Nodes() = default;
  // Runs a process of the host, 0 or 1, to its end. False if it hangs.
  virtual bool run(int host, Program program) = 0;
};

struct SimulatedNodes {
  static constexpr const char* kName = "Simulation";
  static std::unique_ptr<Nodes> make();
};
// mount(2), umount(2) and BLKFLSBUF need CAP_SYS_ADMIN, and engine/linux has no HostControl: null.
struct LinuxNodes {
  static constexpr const char* kName = "Linux";
  static std::unique_ptr<Nodes> make() { return nullptr; }
};

}  // namespace drydock::contract
