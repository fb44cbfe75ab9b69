// Makes the files of a queue: the one that is needed, and the one after it in advance (storage
// reference, 6.5).
#pragma once

#include <deque>
#include <memory>
#include <vector>

#include "engine/store/mapped_file_queue.hpp"
#include "engine/store/store_configuration.hpp"

namespace drydock {

// As RocketMQ's AllocateMappedFileService: one thread of its own makes files by mapping them at
// full size (sparse zeros); whoever needs one asks for it and for its successor, and waits at most
// 5 s for the first. After a failure every request is refused until the thread has succeeded again.
// A file made in advance is in the directory before anything needs it: a crash leaves it there.
//
// With the hardened files.names-not-synced its name is durable before it counts as made, and so
// before anything in it is acknowledged.
//
// With warmMapedFileEnable the file is warmed up before it counts as made: a zero byte goes to each
// page, so that the file has its blocks and its pages, and then it is locked in memory until some
// time after it is full. A put into it meets no hole; a disk without room for it shows here, and
// the page that finds none is tried again every millisecond. What that takes counts against the 5
// s, so a slow disk may refuse sends at a roll.
class FileAllocator {
 public:
  // `pool`: of the log whose files these are; null without one.
  FileAllocator(Context& context, const StoreConfiguration& configuration,
                TransientStorePool* pool);

  // The task that makes the files; it runs until its scope is cancelled.
  Task<void> run();

  // The file that starts at `start`. Errors: timed_out, cancelled, or what the file system said;
  // with fastFailIfNoBufferInStorePool no_space, if no buffer would be free for it.
  Task<Result<LogFilePointer>> take(PhysicalOffset start);
  // A put has found the file full: it stays locked in memory for 6 s. (Of a slave, which appends
  // what its master sends, files stay locked for good, as in RocketMQ.)
  void full(LogFilePointer file);

 private:
  struct Request {
    explicit Request(PhysicalOffset first_byte) : start(first_byte) {}
    PhysicalOffset start;
    Event done;
    LogFilePointer file;
    // Of the last attempt, if that failed: the mapping, whether its name has been synced, and its
    // first page that is not warm.
    std::unique_ptr<MappedFile> map;
    bool named = false;
    std::int64_t cold_page = 0;
  };
  using RequestPointer = std::shared_ptr<Request>;

  // Asks for that file, unless it was asked for already; false: no more may be asked for.
  bool request(PhysicalOffset start, std::int64_t& may_ask);
  // For how many files there are buffers; without that rule, enough.
  std::int64_t may_ask() const;
  RequestPointer find(PhysicalOffset start) const;
  // The request with the lowest start among those that still wait for their file, or null.
  RequestPointer next_to_make() const;
  Task<Result<void>> make(RequestPointer request);
  // Until a file is asked for, or one is to be unlocked. False: cancelled.
  Task<bool> wait_for_work();
  void unlock_what_is_due();
  // Goes on where the last attempt failed.
  Task<Result<void>> warm_up(RequestPointer request);
  // The file, mapped, warm if it is to be and, with the pool, opened.
  Task<Result<LogFilePointer>> open(RequestPointer request);

  Context& context_;
  std::string directory_;
  std::int64_t file_bytes_;
  TransientStorePool* pool_;
  bool fast_fail_;
  bool syncs_names_;
  bool warm_;
  bool forced_;  // While it is warmed up.
  std::int32_t forced_pages_;
  Worker& worker_;
  std::vector<RequestPointer> requests_;  // At most two or three: asked for and not yet taken.
  Event asked_;
  RequestPointer making_;         // Taken from those that wait.
  std::optional<Error> failure_;  // Of the last attempt.
  struct Locked {
    Deadline until;
    LogFilePointer file;
  };
  std::deque<Locked> full_;  // In this order they are unlocked.
};

}  // namespace drydock
