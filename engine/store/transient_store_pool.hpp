// Memory of the process between a put and the page cache: transientStorePoolEnable (storage
// reference, 1.1 and 7.1).
//
// The pool has so many buffers, each of the length of a file of the log. A file that is made while
// the pool is on borrows one, if one is free, and gives it back once all of the file is committed,
// that is, written through the file's descriptor. States of its bytes:
//
//   written     in the buffer. They go with the process, whatever ends it.
//   committed   in the page cache. What readers, dispatch and slaves see ends here.
//   flushed     a flush has claimed that they are durable.
//
// A file for which no buffer was free is written through its map, and nothing commits for it: its
// committed position stays 0, so nobody sees what is in it before the next start. RocketMQ 5.3.3
// has it so. Files that a start finds have no part in this: they are written and read as without
// the pool.
//
// Of a buffer only what is not committed is kept here. The bytes behind a blank record are zeros,
// where RocketMQ's buffer may still have those of an earlier file. That the buffers are taken from
// direct memory and locked when the process starts is the matter of who starts it.
#pragma once

#include <memory>
#include <vector>

#include "engine/runtime/file_system.hpp"

namespace drydock {

class TransientStorePool {
 public:
  // `buffers` >= 0.
  explicit TransientStorePool(std::int32_t buffers) : free_(buffers) {}

  // False: none is free.
  bool borrow() {
    if (free_ == 0) return false;
    --free_;
    return true;
  }
  void give_back() { ++free_; }
  std::int32_t free() const { return free_; }

 private:
  std::int32_t free_;
};

// What a file of the log has because it was made while the pool was on.
class PooledFile {
 public:
  // `channel`: the file that is also mapped.
  PooledFile(std::unique_ptr<File> channel, bool has_buffer)
      : channel_(std::move(channel)), has_buffer_(has_buffer) {}

  bool has_buffer() const { return has_buffer_; }
  void drop_buffer() { has_buffer_ = false; }

  // The next bytes of the file, into the buffer.
  void append(SharedBytes bytes) { pending_.push_back(std::move(bytes)); }
  // Bytes [0, committed) of the file are in the page cache.
  std::int64_t committed() const { return committed_; }
  // Writes what is in the buffer now: what an earlier commit failed to write as it was, then the
  // rest in one piece. So commits that fail copy nothing again. Errors: those of File::write_at;
  // then nothing of the piece that failed counts as committed.
  Task<Result<void>> commit(Worker& worker);
  // Whether bytes went, or will go, through the descriptor: then it is what a flush syncs.
  bool uses_channel() const { return has_buffer_ || committed_ > 0; }
  File& channel() { return *channel_; }

 private:
  // Writes the piece.
  Task<Result<void>> write(Worker& worker);

  std::unique_ptr<File> channel_;
  SharedBytes piece_;  // From `committed_` on: what is being written, or has failed to be.
  std::vector<SharedBytes> pending_;  // Behind it.
  std::int64_t committed_ = 0;
  bool has_buffer_;
};

}  // namespace drydock
