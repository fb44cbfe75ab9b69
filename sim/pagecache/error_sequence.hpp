// What is left of a failed writeback.
#pragma once

#include <cstdint>

#include "engine/types/result.hpp"

namespace drydock::sim {

// The pages that could not be written are clean and nobody tries again. Whom the error is told:
enum class ErrorReporting : std::uint8_t {
  // Linux's errseq_t (4.13 and later): the next sync of every descriptor that was open at the time
  // reports it once, and the first later descriptor if nobody has seen it yet.
  per_descriptor,
  // Before: the first who asks, and nobody else. (AS_EIO, a flag of the file's mapping.)
  once,
};

// What is left of a file's failed writebacks. Source: Linux I/O model, section 4.4.
class ErrorSequence {
 public:
  // Where one descriptor stands.
  class Cursor {
    friend class ErrorSequence;
    std::uint64_t seen_ = 0;
  };

  void set_reporting(ErrorReporting reporting) { reporting_ = reporting; }

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
    const bool told = reporting_ == ErrorReporting::once && (reported_ || count_ == 0);
    if (told || cursor.seen_ == count_) return {};
    cursor.seen_ = count_;
    reported_ = true;
    return error_;
  }

 private:
  std::uint64_t count_ = 0;
  Error error_ = ErrorCode::io_error;
  bool reported_ = false;
  ErrorReporting reporting_ = ErrorReporting::per_descriptor;
};

}  // namespace drydock::sim
