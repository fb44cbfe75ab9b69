// Who waited where inside the kernel, and for how long.
#pragma once

#include "engine/runtime/worker.hpp"

namespace drydock::sim {

// A wait of a store or a buffered write, as the Linux I/O model's section 8 asks for it.
struct Stall {
  WorkerId worker;
  WaitPlace place = WaitPlace::none;
  std::int64_t began_ns = 0;  // Virtual time.
  std::int64_t length_ns = 0;
  std::int64_t file_offset = 0;  // Bytes.
  std::int64_t dirty_pages = 0;  // D + W of the host when it began.
};

class StallRecorder {
 public:
  virtual void stalled(const Stall& stall) = 0;

 protected:
  ~StallRecorder() = default;
};

}  // namespace drydock::sim
