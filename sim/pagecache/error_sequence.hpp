// What is left of a failed writeback.
#pragma once

#include <cstdint>

#include "engine/types/result.hpp"

namespace drydock::sim {

// Linux's errseq_t (4.13 and later). The pages that could not be written are clean and nobody tries
// again; the error is reported once by the next sync of every descriptor that was open at the time,
// and by the first later one if nobody has seen it yet. Source: Linux I/O model, section 4.4.
class ErrorSequence {
 public:
  // Where one descriptor stands.
  class Cursor {
    friend class ErrorSequence;
    std::uint64_t seen_ = 0;
  };

  void record(Error error) {
    if (reported_ || count_ == 0) ++count_;
    error_ = error;
    reported_ = false;
  }
  // For a descriptor that is opened now.
  Cursor cursor() const {
    Cursor cursor;
    cursor.seen_ = reported_ ? count_ : 0;
    return cursor;
  }
  // Ok, or the error that this descriptor has not reported yet.
  Result<void> check(Cursor& cursor) {
    if (cursor.seen_ == count_) return {};
    cursor.seen_ = count_;
    reported_ = true;
    return error_;
  }

 private:
  std::uint64_t count_ = 0;
  Error error_ = ErrorCode::io_error;
  bool reported_ = false;
};

}  // namespace drydock::sim
