// A sequence of files of equal size, each named by the position of its first byte (storage
// reference, 1.1).
//
//   00000000000000000000   bytes [0, size)
//   00000000001073741824   bytes [size, 2 · size)   …
//
// A name is 20 decimal digits. The file that is written is the last one; positions behind what was
// written are whatever the file holds there: zeros in a fresh file, old bytes after a truncation.
//
// The commit log and each consume queue are such sequences. Their positions do not mix: `Offset` is
// the type of the one or the other.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "engine/runtime/context.hpp"
#include "engine/store/transient_store_pool.hpp"
#include "engine/types/ids.hpp"

namespace drydock {

// Byte position in the files of one consume queue: queue offset · 20.
using UnitPosition = Position<struct UnitPositionTag>;

inline constexpr std::int64_t kPageBytes = 4096;

// RocketMQ's rule for a flush and a commit: whether [from, to) begins so many pages; 0: any byte.
inline bool begins_pages(std::int64_t from, std::int64_t to, std::int32_t least_pages) {
  if (least_pages == 0) return to > from;
  return to / kPageBytes - from / kPageBytes >= least_pages;
}

// One file and how far it is used. Shared, because a flush may still be waiting for it when it is
// taken out of the queue.
template <class Offset>
struct QueueFile {
  QueueFile(std::unique_ptr<MappedFile> mapped, Offset first_byte)
      : map(std::move(mapped)), start(first_byte), size(map->size()) {}

  std::unique_ptr<MappedFile> map;
  Offset start;
  std::int64_t size;
  std::int64_t wrote = 0;    // Bytes in use; `size` once the file is closed by a blank record.
  std::int64_t flushed = 0;  // Bytes that a flush has claimed to be durable. Never beyond `wrote`.
  std::int64_t last_store_ms = 0;  // Store timestamp of the last append since the file was opened.
  std::optional<MonotonicTime> destroyed_at;  // It is to go; nobody reads it any more.
  bool new_name = false;                      // A flush has to make its name durable, too.
  std::unique_ptr<PooledFile> pooled;         // Null unless it was made with the transient pool on.

  bool full() const { return wrote == size; }
  bool available() const { return !destroyed_at; }
  // Appends go to a buffer of the pool.
  bool buffered() const { return pooled != nullptr && pooled->has_buffer(); }
  // Bytes [0, readable) can be read through the map.
  std::int64_t readable() const { return pooled == nullptr ? wrote : pooled->committed(); }
  Offset end() const { return start + size; }
  // A full file always, else if `least_pages` pages have been begun since the last flush.
  bool needs_flush(std::int32_t least_pages) const {
    return full() || begins_pages(flushed, readable(), least_pages);
  }
  // The same of a commit. The file is buffered.
  bool needs_commit(std::int32_t least_pages) const {
    if (wrote == readable()) return false;
    return full() || begins_pages(readable(), wrote, least_pages);
  }
  // Makes what is readable durable.
  Task<Result<void>> force(Worker& worker) {
    const bool through_channel = pooled != nullptr && pooled->uses_channel();
    return through_channel ? pooled->channel().sync_data(worker) : map->sync(worker, 0, size);
  }
};
template <class Offset>
using QueueFilePointer = std::shared_ptr<QueueFile<Offset>>;

std::string queue_file_name(std::int64_t first_byte);
template <class Offset>
std::string queue_file_name(Offset start) {
  return queue_file_name(start.value());
}
// None unless the name is a decimal number that fits 63 bits.
std::optional<std::int64_t> parse_queue_file_name(std::string_view name);

template <class Offset>
class MappedFileQueue {
 public:
  using File = QueueFile<Offset>;
  using FilePointer = QueueFilePointer<Offset>;

  // `file_bytes` > 0.
  MappedFileQueue(Context& context, std::string directory, std::int64_t file_bytes)
      : context_(context), directory_(std::move(directory)), file_bytes_(file_bytes) {}

  // Maps every file of the directory, in the order of their names; all of them count as full and
  // flushed until recovery says otherwise. Makes the directory if it is missing. An empty last file
  // is removed; a file of any other wrong size, or a name that is no number, is an error
  // (invalid_argument, with a line in the log), and so is what the file system reports.
  Task<Result<void>> load(Worker& worker);

  // Cuts the queue at `end`: positions of the file that holds it are set there, files that start
  // behind it are removed. Bytes behind the cut stay as they are.
  Task<Result<void>> truncate(Worker& worker, Offset end);
  // Removes the last file.
  Task<Result<void>> remove_last(Worker& worker);

  // Removes every file, the last one first. Whoever still works with one keeps it. Errors: what
  // removing a name gave; all are gone from the queue then, too.
  Task<Result<void>> destroy(Worker& worker);
  // Removes the first file, which is not the last one, unless somebody still works with it: then
  // it is only taken from its readers, and removed when this is called again and nobody does, or
  // when `forcibly_after` has passed since the first call. What is in a buffer of the transient
  // pool is committed first, however long that takes. True: it is gone from the queue, also if the
  // file system could not remove its name, which the log then says.
  Task<bool> destroy_first(Worker& worker, Duration forcibly_after);

  void add(FilePointer file) { files_.push_back(std::move(file)); }

  const std::vector<FilePointer>& files() const { return files_; }
  File* last() const { return files_.empty() ? nullptr : files_.back().get(); }
  // The file that holds `offset`, or null: there is none, or it is to go.
  FilePointer find(Offset offset) const {
    FilePointer file = holder_of(offset);
    return file == nullptr || file->available() ? file : nullptr;
  }
  // The file that a flush, or a commit, works on whose position is `done`: the one that holds it,
  // and of a queue that was never flushed the first one, wherever it starts (a slave's log does
  // where its master's last file did). Null: there is none.
  FilePointer to_flush(Offset done) const {
    if (files_.empty() || done != Offset()) return holder_of(done);
    return files_.front();
  }
  Offset min_offset() const {
    if (files_.empty()) return Offset();
    return files_.front()->available() ? files_.front()->start : files_.front()->end();
  }
  // Readable up to here: the end of what was written, or of what was committed of it.
  Offset max_offset() const {
    return files_.empty() ? Offset() : files_.back()->start + files_.back()->readable();
  }
  // The end of what was written.
  Offset wrote_to() const {
    return files_.empty() ? Offset() : files_.back()->start + files_.back()->wrote;
  }
  // Where the next file starts if one is needed now.
  Offset next_start() const { return files_.empty() ? Offset() : files_.back()->end(); }

  std::int64_t file_bytes() const { return file_bytes_; }
  const std::string& directory() const { return directory_; }
  std::string path_of(Offset start) const { return directory_ + "/" + queue_file_name(start); }

 private:
  FilePointer holder_of(Offset offset) const;
  Task<Result<void>> load_file(Worker& worker, FileInfo info);
  Error refuse(const FileInfo& info, const std::string& why);

  Context& context_;
  std::string directory_;
  std::int64_t file_bytes_;
  std::vector<FilePointer> files_;
};

extern template class MappedFileQueue<PhysicalOffset>;
extern template class MappedFileQueue<UnitPosition>;

// Of the commit log.
using LogFile = QueueFile<PhysicalOffset>;
using LogFilePointer = QueueFilePointer<PhysicalOffset>;
using LogFiles = MappedFileQueue<PhysicalOffset>;
// Of a consume queue.
using UnitFile = QueueFile<UnitPosition>;
using UnitFilePointer = QueueFilePointer<UnitPosition>;
using UnitFiles = MappedFileQueue<UnitPosition>;

}  // namespace drydock
