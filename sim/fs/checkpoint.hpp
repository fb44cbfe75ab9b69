// Space in the journal, and how it is won back.
//
// A transaction that is durable still needs its blocks in the journal: until each block of metadata
// that it changed has been written to its home on the disk, or is part of a younger transaction;
// and each block of a file that it holds (data=journal). A *checkpoint* writes those homes for the
// oldest transaction. It happens
//
//   - in the background, 30 s after the commit, as with any dirty page;
//   - at once when somebody wants to start a handle and less than a quarter of the journal is free
//     (J3); he waits for it.
//
// Space is free again when the journal's superblock says so: it is written when a quarter has
// become unneeded (by the commit at hand), or by who waits.
// Source: Linux I/O model, section 4.2; jbd2 (checkpoint.c).
#pragma once

#include <deque>
#include <map>
#include <set>

#include "sim/fs/log_command.hpp"
#include "sim/fs/volume_image.hpp"

namespace drydock::sim {

class CheckpointClient {
 public:
  // Whoever waits for space may look again.
  virtual void space_was_freed() = 0;
  virtual bool wants_space() const = 0;
  virtual void checkpoint_failed(Error error) = 0;

 protected:
  ~CheckpointClient() = default;
};

class Checkpoint final : private LogOwner {
 public:
  Checkpoint(Kernel& kernel, DiskPath& path, VolumeImage& image, CheckpointClient& client,
             const FileSystemOptions& options);
  Checkpoint(const Checkpoint&) = delete;
  Checkpoint& operator=(const Checkpoint&) = delete;

  // `mount`: number of the mount. The journal is empty: a mount replays it first.
  void open(std::uint64_t mount) { mount_ = mount; }
  // Lets go of kernel and device for good.
  void close();

  // Blocks of one transaction at most.
  std::int64_t transaction_max() const { return capacity_ / 4; }
  // Nobody may start a handle now (J3).
  bool short_of_space() const { return capacity_ - used_ < transaction_max(); }
  // A commit takes blocks of the journal.
  void take(std::int64_t blocks) { used_ += blocks; }
  // It is durable; `homes` are the blocks of metadata that it holds, `data` those of files.
  using Data = std::map<std::int64_t, SharedBytes>;  // By home.
  void committed(Tid tid, std::int64_t blocks, const std::set<std::int64_t>& homes,
                 const Data& data);
  // Blocks of files that are free now: what the log holds of them is not written home any more.
  // (jbd2 forgets and revokes them.)
  void forget(BlockRun freed);
  // What the log holds of a file's block and its home does not yet; or null.
  const SharedBytes* find_data(std::int64_t home) const {
    const auto entry = data_.find(home);
    return entry == data_.end() ? nullptr : &entry->second;
  }
  // The last transaction whose homes are all written. They are durable when a flush that begins now
  // has ended, and not before (jbd2 finds the new tail of the log before its commit flushes).
  Tid tail() const { return dropped_.empty() ? Tid() : dropped_.back().tid; }
  // So much is unneeded up to there that the superblock is to be written.
  bool superblock_is_due(Tid tail) const;
  std::int64_t superblock() const { return image_.journal_begin(); }
  void superblock_was_written(Tid tail);
  // Wins space back, unless that is under way. `space_was_freed` follows, or nothing if there is
  // nothing to win.
  void make_space();
  // Has everything written home and the log emptied; `space_was_freed` follows when it is.
  void empty_log() {
    emptying_ = true;
    make_space();
  }

  std::int64_t used_blocks() const { return used_; }
  // Blocks of metadata and of files whose homes are older than the journal.
  std::size_t homes() const { return homes_.size(); }

 private:
  // A durable transaction.
  struct Logged {
    Tid tid;
    std::int64_t blocks = 0;  // Of the journal.
    std::int64_t homes = 0;   // Not written, and not part of a younger transaction.
    std::int64_t committed_at = 0;
  };
  // A transaction that is unneeded: its blocks are free as soon as the superblock says so.
  struct Dropped {
    Tid tid;
    std::int64_t blocks = 0;
  };
  enum class Phase : std::uint8_t { idle, homes, flush, superblock };
  class HomeWrite;
  class Timer : public Wakeup {
   public:
    Timer(Checkpoint& checkpoint, std::uint32_t host)
        : Wakeup(&Timer::on_run, EventKind::writeback, host), checkpoint_(checkpoint) {}

   private:
    static void on_run(Wakeup& wakeup) { static_cast<Timer&>(wakeup).checkpoint_.age_over(); }
    Checkpoint& checkpoint_;
  };

  Logged& logged(Tid tid);
  void add_home(std::int64_t home, Tid tid);
  void drop_unneeded();
  void cut(Tid tail);
  void arm();
  void age_over();
  // Starts to write the homes of the oldest transaction.
  void write_homes();
  void home_written(std::int64_t first, std::int64_t count, Tid youngest, Result<void> outcome);
  void failed(Error error);
  void go_on();
  void step(Result<void> outcome) override;
  void write_superblock();
  void note();

  Kernel& kernel_;
  DiskPath* path_;
  VolumeImage& image_;
  CheckpointClient& client_;
  Duration age_;
  bool barrier_;
  bool emptying_ = false;
  std::uint64_t mount_ = 0;
  std::int64_t capacity_;
  std::int64_t used_ = 0;              // Unneeded ones included.
  std::int64_t unneeded_ = 0;          // Of those in `dropped_`.
  std::deque<Dropped> dropped_;        // Oldest first.
  std::deque<Logged> logged_;          // The same, and younger.
  std::map<std::int64_t, Tid> homes_;  // Home → the youngest durable transaction that holds it.
  Data data_;                          // The content of those that are files' blocks.
  std::set<std::int64_t> in_flight_;   // Homes that are being written.
  Phase phase_ = Phase::idle;          // Of the way to more space.
  Tid cutting_;
  SharedBytes block_;
  Timer timer_;
};

}  // namespace drydock::sim
