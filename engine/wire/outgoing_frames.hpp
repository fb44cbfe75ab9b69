// Frames that wait to be written to a stream.
#pragma once

#include <cstddef>
#include <vector>

#include "engine/types/bytes.hpp"

namespace drydock {

// Small frames leave in one piece, so that what gathered while one piece was written, or in one
// moment, becomes one write.
class OutgoingFrames {
 public:
  void push(SharedBytes frame) {
    bytes_ += frame.size();
    frames_.push_back(std::move(frame));
  }
  // The next frames in order, up to 64 KiB in one block; a larger frame alone, without a copy. Not
  // empty before the call.
  SharedBytes pop_piece();
  void clear() {
    frames_.clear();
    bytes_ = 0;
  }
  bool empty() const { return frames_.empty(); }
  std::size_t bytes() const { return bytes_; }

 private:
  std::vector<SharedBytes> frames_;
  std::size_t bytes_ = 0;
};

}  // namespace drydock
