// The journal of a mounted file system.
//
// At most one transaction is running (operations join it) and one is committing. A commit goes
// through these phases; each waits for the device:
//
//   ordering   the data that the transaction is ordered behind is written. What ends there still
//              joins this transaction; everything else joins the next one.
//   logging    descriptor and metadata blocks are written. They are "shadow": whoever wants to
//              change an inode of this transaction waits until this phase is over (J2, the wait
//              that stops a mapped writer for as long as the log's write hangs).
//   preflush   the device's cache is flushed.
//   recording  the commit record is written through; without FUA a flush follows (`postflush`).
//
// Then the transaction is durable. A commit starts `commit_interval` after the transaction did, or
// when somebody asks for it. If a step fails the journal aborts: nothing is committed any more, and
// the file system is read-only in effect.
//
// Invariants: transactions commit in the order of their numbers; the record is sent only when all
// blocks before it are on the media; waiters of a transaction wake when it is durable or will never
// be. Source: Linux I/O model, section 4.2.
#pragma once

#include <memory>
#include <vector>

#include "sim/disk/disk_path.hpp"
#include "sim/fs/volume_image.hpp"

namespace drydock::sim {

class Inode;

// The inode's pages [first, end) must be on the device before the transaction commits.
struct OrderedData {
  Inode* inode = nullptr;
  std::int64_t first = 0;
  std::int64_t end = 0;
  // State of the wait: see Mount::order_is_kept.
  int rounds = 0;
  std::uint64_t started = 0;
};

struct Transaction {
  Tid tid;
  std::vector<MetadataOp> ops;
  std::int64_t inodes = 0;  // That it touches: the size of its log.
  std::vector<OrderedData> ordered;
  std::vector<BlockRun> freed;  // Usable again when it is durable.
  bool wanted = false;
  WaitList waiters;         // For its end.
  WaitList shadow_waiters;  // For the end of its logging phase.
};

// What the journal asks of the mounted file system.
class JournalClient {
 public:
  // Starts what is missing; true once the data is on the device (or its write has failed).
  virtual bool order_is_kept(OrderedData& ordered) = 0;
  virtual void blocks_are_free(const std::vector<BlockRun>& freed) = 0;

 protected:
  ~JournalClient() = default;
};

class Journal {
 public:
  Journal(Kernel& kernel, DiskPath& path, VolumeImage& image, JournalClient& client,
          Duration commit_interval);
  ~Journal();
  Journal(const Journal&) = delete;
  Journal& operator=(const Journal&) = delete;

  // Begins a mount: replays what the media hold.
  void open();
  // Lets go of kernel and device for good: the host lost its power, or the world ends.
  void close();

  // The running transaction, begun if there is none.
  Transaction& running();
  // The committing transaction, if it is ordered behind these pages of the inode and their blocks
  // are not the work of the running one: what follows from their writes joins it. Null otherwise.
  Transaction* ordered_behind(const Inode& inode, std::int64_t first, std::int64_t end);
  // The inode is gone: no transaction is ordered behind it any more.
  void forget(const Inode& inode);

  Tid committed() const { return committed_; }
  bool aborted() const { return aborted_; }
  Error abort_error() const { return abort_error_; }
  // Whether the inode that `tid` touched last is in a transaction that is being logged; if so,
  // `shadow_waiters()` is where to wait.
  bool shadowed(Tid tid) const { return phase_ == Phase::logging && committing_->tid == tid; }
  WaitList& shadow_waiters() { return committing_->shadow_waiters; }
  // The last transaction that is not durable and will free blocks; Tid() if there is none.
  Tid frees_blocks() const;

  // Whether the commit of a transaction that is not yet committed will flush the device's cache in
  // the future: then it covers data that is on the device now. (jbd2_trans_will_send_data_barrier)
  bool will_flush(Tid tid) const {
    const bool committing = committing_ != nullptr && committing_->tid == tid;
    return !committing || phase_ == Phase::ordering || phase_ == Phase::logging;
  }
  // Has the transaction committed soon; where to wait for that. Only if it is not yet committed.
  WaitList& request(Tid tid);
  // Writeback ended somewhere: ordered data may be complete.
  void data_written();

 private:
  enum class Phase : std::uint8_t { idle, ordering, logging, preflush, recording, postflush };
  class Command;
  class Timer : public Wakeup {
   public:
    Timer(Journal& journal, std::uint32_t host)
        : Wakeup(&Timer::on_run, EventKind::writeback, host), journal_(journal) {}

   private:
    static void on_run(Wakeup& wakeup) { static_cast<Timer&>(wakeup).journal_.interval_over(); }
    Journal& journal_;
  };

  void interval_over();
  void begin_commit();
  void write_log();
  void write_record();
  void step(Result<void> outcome);
  void logged();
  void finish();
  void abort(Error error);
  SharedBytes block_with(JournalHeader header) const;
  Kernel& kernel_;
  DiskPath* path_;
  VolumeImage& image_;
  JournalClient& client_;
  Duration commit_interval_;
  std::uint64_t mount_ = 0;
  Tid committed_;
  Tid next_tid_;
  std::unique_ptr<Transaction> running_;
  std::unique_ptr<Transaction> committing_;
  Phase phase_ = Phase::idle;
  int writes_pending_ = 0;
  std::int64_t record_block_ = 0;
  bool aborted_ = false;
  Error abort_error_ = ErrorCode::io_error;
  SharedBytes log_block_;
  Timer timer_;
};

}  // namespace drydock::sim
