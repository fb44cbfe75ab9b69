// The index: files messages by their keys as they are dispatched, and finds them again (storage
// reference, section 4). Files: index/, named by the time at which they were made.
//
// Invariants. One worker files (the dispatcher, or recovery before it starts), in the order of the
// log. The newest file is the one that is written; those before it are full. A header in memory is
// what its file holds. Only a full file is made durable, when the next one is made, and every file
// at an orderly stop: after a crash the newest file is as good as lost, and `load` removes it.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "engine/runtime/context.hpp"
#include "engine/store/abort_file.hpp"
#include "engine/store/checkpoint.hpp"
#include "engine/store/dispatch_step.hpp"
#include "engine/store/index_file.hpp"
#include "engine/store/store_configuration.hpp"

namespace drydock {

// One message on its way into the index. Its keys go in groups: the entries of a group lie one
// behind the other and are stored at once, then each of its slots, then the header. RocketMQ stores
// the three for each key; the bytes come to the same, and whoever dies in between loses the file.
class IndexFiling {
 public:
  explicit IndexFiling(const DispatchRequest& request)
      : request_(request), keys_(request.unique_key, request.keys) {}

 private:
  friend class MessageIndex;
  static constexpr std::size_t kGroupMax = 4;
  enum class Step : std::uint8_t {
    begin,
    slot,  // Look into the slot of the next key.
    entries,
    slots,
    header,
    done,
  };

  void next_key();
  // The header in front of the next key, if `file` is the one of the file.
  const IndexHeader& header_in_front(const IndexHeader& file) const {
    return count_ == 0 ? file : puts_[count_ - 1].header;
  }
  // The slot of the next key, if a key of the group has it; else empty.
  std::span<const std::byte> slot_in_group(std::int64_t slot_at) const;
  void add(const IndexPut& put);

  const DispatchRequest& request_;
  IndexKeys keys_;
  Step step_ = Step::begin;
  bool has_key_ = false;
  std::int32_t key_hash_ = 0;  // Of the next key.
  std::size_t count_ = 0;      // Keys in the group.
  std::size_t stored_ = 0;     // Of its slots.
  std::array<IndexPut, kGroupMax> puts_;
  std::array<std::byte, kGroupMax * kIndexEntryBytes> entries_;
  std::array<std::byte, kIndexHeaderBytes> header_;
};

// What is looked for. What it points to must last until the answer.
struct MessageQuery {
  std::string_view topic;
  std::string_view key;
  std::int32_t count_max = 32;
  std::int64_t begin_ms = 0;  // Of the store timestamps; a file knows them to the second.
  std::int64_t end_ms = INT64_MAX;
};
struct IndexAnswer {
  std::vector<PhysicalOffset> offsets;  // In the order of the log. Other keys may be among them.
  std::int64_t updated_ms = 0;          // Store timestamp of the newest message in the index.
  PhysicalOffset updated_to;            // Where that lies.
};

class MessageIndex {
 public:
  MessageIndex(Context& context, const StoreConfiguration& configuration, Checkpoint& checkpoint);

  // Maps the files; the checkpoint is loaded. After a crash those are removed that are newer than
  // the checkpoint says; of the hardened index those that were made behind the one of which it
  // speaks, whatever their times are. Errors: what the file system says; invalid_argument, with a
  // line in the log, for a file of another size. Names that are no numbers are left alone, and so
  // is everything if the index is switched off.
  Task<Result<void>> load(Worker& worker, StopKind last_stop);

  // The log ends at `end`. The hardened index then says of no file that it has what lies behind it:
  // a full file may be durable before the log is, and what gets the places of its lost messages
  // would count as filed, as it does in RocketMQ. Before start. Errors: of storing and syncing.
  Task<Result<void>> cut(Worker& worker, PhysicalOffset end);

  // Makes the names of all files durable, if there are any. After load. Errors: what a sync gave.
  Task<Result<void>> sync_names(Worker& worker);

  // The log starts at `log_start`: removes files that have nothing behind it, but never the newest
  // one. Whoever searches in one keeps it until he is done.
  Task<void> delete_expired(Worker& worker, PhysicalOffset log_start);

  // Files a message under its keys. True: it is done. False: it would have to wait, call `go_on`.
  bool try_file(Worker& worker, IndexFiling& filing);
  // Completes when the message is filed (in the page cache) or was given up: a file that can't be
  // made is tried three times, a second apart. A store or load that fails, as on a full disk, is
  // tried until it succeeds. Error: cancelled.
  Task<Result<void>> go_on(Worker& worker, IndexFiling& filing);

  // Errors: what reading gave.
  Task<Result<IndexAnswer>> query(Worker& worker, MessageQuery query);

  // Makes every file durable.
  Task<void> shutdown(Worker& worker);

  // A message was given up. The store takes no further one.
  bool given_up() const { return given_up_; }
  // Everything in front of it is filed, as far as that outlasts a crash for certain. None if the
  // index is not the hardened one, or is switched off.
  std::optional<PhysicalOffset> known_to() const;
  std::size_t file_count() const { return files_.size(); }

 private:
  // Shared, because a query or a flush may still read it when it is gone from the list.
  struct IndexedFile {
    std::string name;
    std::unique_ptr<MappedFile> map;
    IndexHeader header;
  };
  using FilePointer = std::shared_ptr<IndexedFile>;

  std::string path_of(std::string_view name) const { return directory_ + "/" + std::string(name); }
  Task<Result<void>> load_file(Worker& worker, FileInfo info, StopKind last_stop);
  // After a crash: of the files in their order those stay that were flushed for certain.
  Task<Result<void>> forget_unflushed(Worker& worker);
  // The file that takes the next entry, or null.
  IndexedFile* file_with_room() const;
  void begin(IndexFiling& filing, const IndexedFile& file);
  void take_slot(IndexFiling& filing, const IndexedFile& file, std::span<const std::byte> slot);
  // Whether the group must be stored before another key is looked at.
  bool ends_group(const IndexFiling& filing, const IndexedFile& file) const;
  // What the present step of a filing stores, and where.
  struct Store {
    std::int64_t at = 0;
    std::span<const std::byte> bytes;
  };
  static Store store_of(const IndexFiling& filing);
  // That is done.
  static void stored(IndexFiling& filing, IndexedFile& file);
  Task<Result<void>> wait_for_step(Worker& worker, IndexFiling& filing);
  // Three attempts.
  Task<Result<void>> add_file(Worker& worker);
  Task<Result<void>> try_to_add_file(Worker& worker);
  Task<void> flush_full(FilePointer file);
  // Adds to `found`. True: older files may have more.
  Task<Result<bool>> search(Worker& worker, FilePointer file, const IndexQuery& query,
                            std::vector<PhysicalOffset>& found);
  Task<Result<void>> pause_after(Error error);
  void give_up();

  Context& context_;
  Checkpoint& checkpoint_;
  std::string directory_;
  IndexSizes sizes_;
  bool enabled_;
  bool syncs_names_;  // Before a file counts as flushed.
  bool exact_;        // Only what was flushed for certain outlasts a crash.
  SeededBugs bugs_;
  bool flush_failed_ = false;
  std::int32_t count_max_;
  Worker& flush_worker_;
  TaskScope flush_scope_;
  std::vector<FilePointer> files_;
  bool given_up_ = false;
  bool failing_ = false;  // The last step failed; the log has said so.
};

}  // namespace drydock
