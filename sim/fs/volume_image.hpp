// What of a file system is on its disk.
#pragma once

#include <deque>
#include <map>

#include "sim/disk/sim_disk.hpp"
#include "sim/fs/metadata.hpp"
#include "sim/fs/options.hpp"

namespace drydock::sim {

// Number of a transaction.
using Tid = Id<struct TidTag, std::uint64_t>;

// Every block of a transaction in the journal begins with this.
struct JournalHeader {
  static constexpr std::uint64_t kMagic = 0x3b39'8dc0'4452'4459;
  std::uint64_t magic = kMagic;
  std::uint64_t tid = 0;
  std::uint64_t mount = 0;
  std::uint64_t is_record = 0;  // 1: the commit record, which comes last.
  friend bool operator==(const JournalHeader&, const JournalHeader&) = default;
};

// The log as a host sees it that mounts: the kernel reads it through the page cache of the device,
// so that a page that is cached there hides what the media hold. Source: jbd2 (recovery.c: buffers
// of the journal's device).
class LogView {
 public:
  // The bytes of a block.
  virtual SharedBytes read_block(std::int64_t block) = 0;

 protected:
  ~LogView() = default;
};

// Nothing is cached.
class MediaLog final : public LogView {
 public:
  explicit MediaLog(const BlockStore& media) : media_(media) {}
  SharedBytes read_block(std::int64_t block) override;

 private:
  const BlockStore& media_;
};

// A block of a file in the log (data=journal): the block of the log, the file's block, its bytes.
struct LoggedBlock {
  std::int64_t log_block = 0;
  std::int64_t home = 0;
  SharedBytes bytes;
};

// What a mount has to replay.
struct LogState {
  std::int64_t blocks = 0;  // Of the journal.
  std::int64_t homes = 0;   // Blocks of metadata that they hold; files' blocks are `data_in_log`.
};

// Carried by the disk from mount to mount and from host to host. Invariants:
//   - `metadata` is the state as of `committed`, and every transaction up to that one is durable.
//   - Those in doubt come after it: the record of the last one was sent and has not been
//     acknowledged; that of others was, but nothing flushed the device's cache since (no barriers),
//     or the log is kept because other hosts may see another one. What a host sees of the log
//     decides which of them happened, when it mounts the disk. A record without the
//     blocks before it is a log that no mount goes past; a check drops what follows.
//   - `data_in_log` holds the blocks of files in durable transactions that the log still has, each
//     as the youngest of them has it; none that was freed later (jbd2's revoke records).
//   - A mount that is not the latest one writes over another's journal; then the file system is
//     damaged for good, as a real one is.
class VolumeImage : public DiskFormat {
 public:
  // Block 0 is the superblock; then come the journal (its own superblock first), bitmaps, inodes,
  // data.
  VolumeImage(std::int64_t disk_bytes, const FileSystemOptions& options);

  FsKind kind() const { return kind_; }

  std::int64_t journal_begin() const { return 1; }
  std::int64_t log_begin() const { return journal_begin() + 1; }
  std::int64_t log_end() const { return log_end_; }
  std::int64_t data_begin() const { return data_begin_; }
  std::int64_t data_end() const { return data_end_; }

  // The blocks of metadata that hold an inode, and the use of a data block.
  std::int64_t home_of(InodeNumber inode) const {
    return inodes_begin_ + static_cast<std::int64_t>(inode.value()) / kInodesPerBlock %
                               (data_begin_ - inodes_begin_);
  }
  std::int64_t bitmap_of(std::int64_t block) const { return log_end_ + block / kGroupBlocks; }
  // How many inodes there is room for.
  std::int64_t inodes_max() const { return (data_begin_ - inodes_begin_) * kInodesPerBlock; }

  Metadata& metadata() { return metadata_; }
  Tid committed() const { return committed_; }
  // No mount helps: a second host has written to it.
  bool damaged() const { return damaged_; }
  // A mount finds that the log does not add up, as of now.
  bool log_is_damaged(LogView& log) const;
  // Drops what is behind the damage.
  void mend_log(LogView& log);

  // A new mount; returns its number. Replays the journal's metadata first. Its data is for the
  // mount to write.
  std::uint64_t begin_mount(LogView& log);
  // All that is replayed is on the disk, and the log is empty.
  void log_is_replayed(std::uint64_t mount);
  // Several hosts have the disk: from now on every transaction stays in doubt until the log is cut.
  void keep_log() { keeps_log_ = true; }

  // The `count` (at most the log's size) blocks of the log that come next, as one or two runs.
  std::vector<BlockRun> next_log_blocks(std::int64_t count);
  // What the mount of that number has in its log.
  void note_log(std::uint64_t mount, LogState log) {
    if (mount == mounts_) log_ = log;
  }
  const LogState& log() const { return log_; }
  struct DataInLog {
    Tid tid;
    SharedBytes bytes;
  };
  // By home.
  const std::map<std::int64_t, DataInLog>& data_in_log() const { return data_in_log_; }

  // A transaction's record is about to be sent, to the last block of `log`.
  // `data` in the order of the log.
  void begin_record(JournalHeader record, std::vector<BlockRun> log, std::vector<MetadataOp> ops,
                    std::vector<LoggedBlock> data);
  // The record of the youngest one has been acknowledged: it is durable, or so it would be if
  // somebody flushed the device's cache.
  enum class Proof : std::uint8_t { durable, acknowledged };
  void record_is_written(std::uint64_t mount, Proof proof);
  // What the log held up to this transaction is not needed any more.
  void log_was_cut(std::uint64_t mount, Tid last);

 private:
  static constexpr std::int64_t kInodesPerBlock = 16;     // Of 256 bytes.
  static constexpr std::int64_t kBlocksPerInode = 4;      // mke2fs -i 16384.
  static constexpr std::int64_t kGroupBlocks = 8 * 4096;  // A block of bits.

  struct InDoubt {
    JournalHeader record;
    std::vector<BlockRun> log;
    std::vector<MetadataOp> ops;
    std::vector<LoggedBlock> data;
  };
  enum class Found : std::uint8_t { all, nothing, record_alone };

  static Found find(const InDoubt& transaction, LogView& log);
  void apply_oldest();

  Metadata metadata_;
  Tid committed_;
  std::int64_t log_end_;
  std::int64_t inodes_begin_;
  std::int64_t data_begin_;
  std::int64_t data_end_;
  std::int64_t log_next_;
  LogState log_;
  std::uint64_t mounts_ = 0;
  FsKind kind_;
  std::deque<InDoubt> in_doubt_;  // Oldest first.
  std::map<std::int64_t, DataInLog> data_in_log_;
  bool damaged_ = false;
  bool keeps_log_ = false;
};

}  // namespace drydock::sim
