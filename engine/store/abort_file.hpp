// The abort file: present while a broker runs, so that its presence at start means that the last
// one did not stop in an orderly way (storage reference, 5.2).
//
// Content: the process id in decimal. As in RocketMQ nothing is synced, unless the hardened
// abort.not-synced asks for it: after a power loss soon after the start the file may be missing,
// and the start that follows takes itself for a normal one. Difference: RocketMQ also leaves
// `abort.bak` with the former content; we don't.
#pragma once

#include <string>

#include "engine/runtime/context.hpp"
#include "engine/types/behaviour.hpp"

namespace drydock {

enum class StopKind : std::uint8_t { orderly, crash };

class AbortFile {
 public:
  AbortFile(Context& context, const std::string& store_root, Behaviour behaviour)
      : context_(context),
        directory_(store_root),
        path_(store_root + "/abort"),
        synced_(behaviour.hardened(BehaviourSwitch::abort_not_synced)) {}

  Task<Result<bool>> exists(Worker& worker);
  Task<Result<void>> create(Worker& worker, ProcessId process);
  Task<Result<void>> remove(Worker& worker);

 private:
  Context& context_;
  std::string directory_;
  std::string path_;
  bool synced_;
};

}  // namespace drydock
