// Makes the files of a queue: the one that is needed, and the one after it in advance (storage
// reference, 6.5).
#pragma once

#include <memory>
#include <vector>

#include "engine/store/mapped_file_queue.hpp"

namespace drydock {

// As RocketMQ's AllocateMappedFileService: one thread of its own makes files by mapping them at
// full size (sparse zeros); whoever needs one asks for it and for its successor, and waits at most
// 5 s for the first. After a failure every request is refused until the thread has succeeded again.
// A file made in advance is in the directory before anything needs it: a crash leaves it there.
class FileAllocator {
 public:
  FileAllocator(Context& context, std::string directory, std::int64_t file_bytes);

  // The task that makes the files; it runs until its scope is cancelled.
  Task<void> run();

  // The file that starts at `start`. Errors: timed_out, cancelled, or what the file system said.
  Task<Result<LogFilePointer>> take(PhysicalOffset start);

 private:
  struct Request {
    explicit Request(PhysicalOffset first_byte) : start(first_byte) {}
    PhysicalOffset start;
    Event done;
    LogFilePointer file;
  };
  using RequestPointer = std::shared_ptr<Request>;

  RequestPointer request(PhysicalOffset start);
  // The request with the lowest start among those that still wait for their file, or null.
  RequestPointer next_to_make() const;
  Task<Result<void>> make(RequestPointer request);

  Context& context_;
  std::string directory_;
  std::int64_t file_bytes_;
  Worker& worker_;
  std::vector<RequestPointer> requests_;  // At most two or three: asked for and not yet taken.
  Event asked_;
  std::optional<Error> failure_;  // Of the last attempt.
};

}  // namespace drydock
