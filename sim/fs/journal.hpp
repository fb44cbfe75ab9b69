// The journal of a mounted file system.
//
// At most one transaction is running (operations join it) and one is committing. A commit goes
// through these phases; each waits for the device, the first one for operations:
//
//   locked     handles of the transaction are open: operations that wait in the middle of a change.
//              New ones wait until the next transaction may run (J1).
//   ordering   the data that the transaction is ordered behind is written. What ends there still
//              joins this transaction; everything else joins the next one. With data=journal all
//              data of the transaction is taken as it is at this moment, and nobody waits.
//   logging    descriptor, metadata and data blocks are written. They are "shadow": whoever wants
//   to
//              change an inode in one of them waits until this phase is over (J2, the wait that
//              stops a mapped writer for as long as the log's write hangs).
//   preflush   the device's cache is flushed.
//   recording  the commit record is written through; without FUA a flush follows (`postflush`).
//   tail       a quarter of the log has become unneeded: its superblock says so.
//
// Without barriers nothing is flushed. The log of xfs has fewer phases: changes are collected in
// memory, so nobody waits for an open handle or for a shadow; a commit (there: a checkpoint of the
// log) is a flush and one write that holds everything, and is due at every 30 s of the mount's life
// instead of 5 s after the first change.
//
// Changes of names may be held back from the transactions (NamesDurable::with_directory_sync). They
// join the running one, all of them in their order, when a directory is synced, when their interval
// is over, when what they free is needed, and when the log is emptied; no other commit takes them.
//
// Then the transaction is durable. A commit starts `commit_interval` after the transaction did,
// when somebody asks for it, or when it holds a quarter of the log. No handle starts while less
// than a quarter of the log is free (J3): see checkpoint.hpp. What completes a write joins the
// running transaction without waiting for anything, as with jbd2's reserved handles. If a step
// fails the journal aborts: nothing is committed any more, and the file system is read-only in
// effect.
//
// Invariants: transactions commit in the order of their numbers; the record is sent only when all
// blocks before it are on the media; waiters of a transaction wake when it is durable or will never
// be. Source: Linux I/O model, section 4.2.
#pragma once

#include <array>
#include <deque>
#include <memory>
#include <vector>

#include "sim/fs/checkpoint.hpp"
#include "sim/fs/options.hpp"

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

// Pages that are under writeback together and on their way to the log.
struct LoggedPages {
  Inode* inode = nullptr;
  std::int64_t first = 0;
};

struct Transaction {
  Tid tid;
  std::vector<MetadataOp> ops;
  std::set<std::int64_t> homes;  // Of the blocks of metadata that it changes.
  // data=journal. The blocks of files that it changes, and once it is closed their content.
  std::set<std::int64_t> data_homes;
  Checkpoint::Data data;
  std::vector<LoggedPages> pages;
  int handles = 0;  // Open ones.
  std::int64_t log_blocks = 0;
  std::deque<OrderedData> ordered;  // Grows while the commit waits for one of them.
  std::vector<BlockRun> freed;      // Usable again when it is durable.
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
  // What became of the pages that a transaction held. An error: they are not durable.
  virtual void pages_are_logged(const LoggedPages& pages, Result<void> outcome) = 0;
  // Whoever could not start a handle may try again.
  virtual void handles_may_start() = 0;
  virtual void journal_aborted(Error error) = 0;

 protected:
  ~JournalClient() = default;
};

// Why a handle that will change a block cannot start now.
enum class HandleWait : std::uint8_t { none, locked, shadow, space };  // -, J1, J2, J3.

class Journal final : private CheckpointClient, private LogOwner {
 public:
  Journal(Kernel& kernel, DiskPath& path, VolumeImage& image, JournalClient& client,
          const FileSystemOptions& options);
  ~Journal();
  Journal(const Journal&) = delete;
  Journal& operator=(const Journal&) = delete;

  // Begins a mount: replays what the media hold.
  void open(LogView& log);
  // What was in the log is on the disk: it is empty.
  void replayed() { image_.log_is_replayed(mount_); }
  // Lets go of kernel and device for good: the host lost its power, or the world ends.
  void close();

  // The running transaction, begun if there is none.
  Transaction& running();
  // The committing transaction, if it is ordered behind these pages of the inode and their blocks
  // are not the work of the running one: what follows from their writes joins it. Null otherwise.
  Transaction* ordered_behind(const Inode& inode, std::int64_t first, std::int64_t end);
  // The inode is gone: no transaction is ordered behind it any more.
  void forget(const Inode& inode);

  // For changes of names: the running transaction, or where they are held back. That is not
  // numbered yet.
  Transaction& names();
  // The names that are held back join the running transaction.
  void join_names();
  // The last transaction that names which were held back have joined.
  Tid names_joined() const { return names_joined_; }

  Tid committed() const { return committed_; }
  bool aborted() const { return aborted_; }
  Error abort_error() const { return abort_error_; }

  HandleWait must_wait(std::int64_t home) const {
    if (aborted_) return HandleWait::none;
    if (phase_ == Phase::locked || full()) return HandleWait::locked;
    if (checkpoint_.short_of_space()) return HandleWait::space;
    const bool shadow = shadowing() && (committing_->homes.contains(home) ||
                                        committing_->data_homes.contains(home));
    return shadow ? HandleWait::shadow : HandleWait::none;
  }
  // A transaction of the largest size is committed before anybody else joins it. At once: not from
  // inside of the client's own calls.
  void commit_if_full() {
    if (full() && !aborted_) want_commit();
  }
  // Somebody has to wait: counts him, sees to it that the wait ends, and says where to wait for it.
  WaitList& wait_for(HandleWait reason);
  // The same for one who is told by `handles_may_start`, and is counted once however often he has
  // looked. Commits nothing inside of the call.
  void end_soon(HandleWait reason);
  void count_wait(HandleWait reason) { ++waits_[static_cast<std::size_t>(reason)]; }
  // How often somebody had to.
  std::int64_t waits(HandleWait reason) const { return waits_[static_cast<std::size_t>(reason)]; }

  // An operation that waits in the middle of a change. While it lives its transaction stays open.
  class Handle {
   public:
    // In xfs a change joins no transaction before it is made.
    explicit Handle(Journal& journal)
        : journal_(journal), transaction_(journal.xfs_ ? nullptr : &journal.running()) {
      if (transaction_ != nullptr) ++transaction_->handles;
    }
    ~Handle() { end(); }
    void end() {
      if (transaction_ != nullptr) journal_.handle_ended(*std::exchange(transaction_, nullptr));
    }
    Handle(const Handle&) = delete;
    Handle& operator=(const Handle&) = delete;

   private:
    Journal& journal_;
    Transaction* transaction_;
  };
  // The last transaction that is not durable and will free blocks; Tid() if there is none. Names
  // that free some join it.
  Tid frees_blocks();

  // Whether the commit of a transaction that is not yet committed will flush the device's cache in
  // the future: then it covers data that is on the device now. (jbd2_trans_will_send_data_barrier)
  bool will_flush(Tid tid) const {
    const bool committing = committing_ != nullptr && committing_->tid == tid;
    return !committing || phase_ == Phase::ordering || phase_ == Phase::logging;
  }
  const Checkpoint& checkpoint() const { return checkpoint_; }
  // Has the transaction committed soon; where to wait for that. Only if it is not yet committed.
  WaitList& request(Tid tid);
  // Writeback ended somewhere: ordered data may be complete.
  void data_written();
  // data=journal: the content of pages in consecutive blocks of a transaction that is being closed.
  void log_pages(Inode& inode, std::int64_t first, std::int64_t block,
                 std::vector<SharedBytes> pages);
  // Has the running transaction, if there is one, committed soon, but does nothing about it now.
  void commit_soon();
  // The blocks have no owner any more.
  void forget(BlockRun freed) { checkpoint_.forget(freed); }
  // Nothing is committed from now on.
  void abort(Error error);
  // Has the log emptied; where to wait for that, again and again until `log_is_empty`. Only while
  // nothing is running or committing.
  WaitList& empty_log() {
    checkpoint_.empty_log();
    return emptied_waiters_;
  }
  bool log_is_empty() const { return checkpoint_.used_blocks() == 0; }
  // The youngest transaction that there is.
  Tid youngest() const { return running_ != nullptr ? running_->tid : Tid(next_tid_.value() - 1); }
  bool commits(const Transaction& transaction) const { return committing_.get() == &transaction; }
  bool at_rest() const { return running_ == nullptr && committing_ == nullptr; }

 private:
  enum class Phase : std::uint8_t {
    idle,
    locked,
    ordering,
    logging,
    preflush,
    recording,
    postflush,
    tail
  };
  class Timer : public Wakeup {
   public:
    Timer(Journal& journal, std::uint32_t host)
        : Wakeup(&Timer::on_run, EventKind::writeback, host), journal_(journal) {}

   private:
    static void on_run(Wakeup& wakeup) { static_cast<Timer&>(wakeup).journal_.interval_over(); }
    Journal& journal_;
  };

  bool shadowing() const {
    if (xfs_ || phase_ < Phase::logging) return false;
    return phase_ == Phase::logging || shadow_until_committed_;
  }
  bool full() const {
    if (running_ == nullptr) return false;
    // Who has been let in may add a page, its inode, and what its block is noted in.
    const std::size_t blocks = running_->homes.size() + running_->data_homes.size();
    const std::int64_t room = journals_data_ ? kRoomOfAPage : 0;
    return static_cast<std::int64_t>(blocks) + room >= checkpoint_.transaction_max();
  }
  static constexpr std::int64_t kRoomOfAPage = 8;
  // When a transaction that begins now is committed at the latest.
  std::int64_t interval_end() const;
  void want_space();
  void handle_ended(Transaction& transaction);
  void interval_over();
  void want_commit();
  void close_running();
  void take_log_blocks();
  void write_log();
  void write_record();
  void step(Result<void> outcome) override;
  void logged();
  void record_written();
  void recorded();
  void finish();
  void space_was_freed() override;
  bool wants_space() const override { return space_wanted_; }
  void checkpoint_failed(Error error) override { abort(error); }
  void end_pages(Transaction& transaction, Result<void> outcome);
  SharedBytes block_with(JournalHeader header) const;

  Kernel& kernel_;
  DiskPath* path_;
  VolumeImage& image_;
  JournalClient& client_;
  bool xfs_;
  bool journals_data_;
  bool barrier_;
  bool shadow_until_committed_;
  bool holds_names_;
  Duration commit_interval_;
  std::int64_t opened_at_ = 0;
  std::uint64_t mount_ = 0;
  Tid committed_;
  Tid next_tid_;
  std::unique_ptr<Transaction> running_;
  std::unique_ptr<Transaction> committing_;
  std::unique_ptr<Transaction> names_;  // Held back; null: none.
  std::int64_t names_due_ = 0;          // Of these: when they are committed at the latest.
  Tid names_joined_;
  Phase phase_ = Phase::idle;
  Checkpoint checkpoint_;
  Tid tail_;                 // Of the log, as the commit under way found it before its flush.
  WaitList locked_waiters_;  // J1.
  WaitList space_waiters_;   // J3.
  WaitList emptied_waiters_;
  bool space_wanted_ = false;
  std::array<std::int64_t, 4> waits_{};
  int writes_pending_ = 0;
  std::vector<BlockRun> log_;             // Of the committing transaction, its record last.
  std::vector<LoggedBlock> logged_data_;  // The part of it that is data.
  bool proven_ = false;                   // All flushes of the commit so far have been obeyed.
  bool aborted_ = false;
  Error abort_error_ = ErrorCode::io_error;
  SharedBytes empty_block_;
  Timer timer_;
};

}  // namespace drydock::sim
