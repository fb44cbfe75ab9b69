#include "engine/types/wait_place.hpp"

namespace drydock {

std::string_view name_of(WaitPlace place) {
  switch (place) {
    case WaitPlace::none: return "none";
    case WaitPlace::dirty_throttle: return "dirty_throttle";
    case WaitPlace::journal: return "journal";
    case WaitPlace::page_lock: return "page_lock";
    case WaitPlace::page_read: return "page_read";
    case WaitPlace::memory: return "memory";
    case WaitPlace::writeback: return "writeback";
    case WaitPlace::directory_lock: return "directory_lock";
    case WaitPlace::device: return "device";
    case WaitPlace::cpu: return "cpu";
    case WaitPlace::safepoint: return "safepoint";
    case WaitPlace::count_: break;
  }
  return "unnamed";
}

}  // namespace drydock
