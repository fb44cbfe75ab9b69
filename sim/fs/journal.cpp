#include "sim/fs/journal.hpp"

#include <algorithm>

#include "sim/fs/inode.hpp"
#include "sim/pagecache/stuck_wait.hpp"

namespace drydock::sim {

// A device command of the journal.
class Journal::Command : public DiskCommand {
 public:
  Command(Journal& journal, Write write) : DiskCommand(std::move(write)), journal_(journal) {}
  Command(Journal& journal, Flush flush) : DiskCommand(flush), journal_(journal) {}
  using DiskCommand::Flush;
  using DiskCommand::Write;
  void completed(Result<void> outcome) override { journal_.step(std::move(outcome)); }

 private:
  Journal& journal_;
};

Journal::Journal(Kernel& kernel, DiskPath& path, VolumeImage& image, JournalClient& client,
                 Duration commit_interval)
    : kernel_(kernel),
      path_(&path),
      image_(image),
      client_(client),
      commit_interval_(commit_interval),
      log_block_(SharedBytes::zeros(static_cast<std::size_t>(kPageBytes))),
      timer_(*this, path.host_id()) {}

Journal::~Journal() = default;

void Journal::open() {
  mount_ = image_.begin_mount(path_->disk().store());
  committed_ = image_.committed();
  next_tid_ = committed_.next();
}

void Journal::close() {
  timer_.unlink();
  path_ = nullptr;
  aborted_ = true;
}

Transaction& Journal::running() {
  if (running_ == nullptr) {
    running_ = std::make_unique<Transaction>();
    running_->tid = next_tid_;
    next_tid_ = next_tid_.next();
    if (!aborted_) kernel_.after(timer_, commit_interval_);
  }
  return *running_;
}

Transaction* Journal::ordered_behind(const Inode& inode, std::int64_t first, std::int64_t end) {
  if (phase_ != Phase::ordering) return nullptr;
  const auto covers = [&](const OrderedData& ordered) {
    return ordered.inode == &inode && ordered.first < end && first < ordered.end;
  };
  const auto& ordered = committing_->ordered;
  if (std::none_of(ordered.begin(), ordered.end(), covers)) return nullptr;
  const auto changes_blocks = [&](const MetadataOp& op) {
    if (op.inode != inode.number) return false;
    if (op.kind == MetadataOp::Kind::cut) return op.page < end;
    return op.kind == MetadataOp::Kind::map_blocks && op.page < end && first < op.page + op.count;
  };
  const bool later = running_ != nullptr &&
                     std::any_of(running_->ops.begin(), running_->ops.end(), changes_blocks);
  return later ? nullptr : committing_.get();
}

void Journal::forget(const Inode& inode) {
  const auto same = [&inode](const OrderedData& ordered) { return ordered.inode == &inode; };
  if (running_ != nullptr) std::erase_if(running_->ordered, same);
  if (committing_ != nullptr) std::erase_if(committing_->ordered, same);
}

Tid Journal::frees_blocks() const {
  if (running_ != nullptr && !running_->freed.empty()) return running_->tid;
  if (committing_ != nullptr && !committing_->freed.empty()) return committing_->tid;
  return Tid();
}

WaitList& Journal::request(Tid tid) {
  ENSURE(!aborted_);
  ENSURE(committed_ < tid);
  if (committing_ != nullptr && committing_->tid == tid) return committing_->waiters;
  ENSURE(running_ != nullptr);
  ENSURE(running_->tid == tid);
  Transaction& transaction = *running_;
  transaction.wanted = true;
  if (committing_ == nullptr) begin_commit();
  return transaction.waiters;
}

void Journal::interval_over() {
  if (running_ == nullptr || aborted_) return;
  running_->wanted = true;
  if (committing_ == nullptr) begin_commit();
}

void Journal::begin_commit() {
  timer_.unlink();
  committing_ = std::move(running_);
  phase_ = Phase::ordering;
  data_written();
}

void Journal::data_written() {
  if (phase_ != Phase::ordering) return;
  bool kept = true;
  for (std::size_t i = 0; i < committing_->ordered.size(); ++i) {
    if (!client_.order_is_kept(committing_->ordered[i])) kept = false;
  }
  if (kept && phase_ == Phase::ordering) write_log();
}

SharedBytes Journal::block_with(JournalHeader header) const {
  SharedBytes block = SharedBytes::zeros(static_cast<std::size_t>(kPageBytes));
  std::memcpy(block.writable().data(), &header, sizeof(header));
  return block;
}

void Journal::write_log() {
  phase_ = Phase::logging;
  // A quarter of the journal at most, as jbd2 keeps its transactions.
  const std::int64_t size = image_.journal_end() - image_.journal_begin();
  const std::int64_t blocks = std::min(1 + committing_->inodes, size / 4);
  const std::vector<BlockRun> runs = image_.next_journal_blocks(blocks);
  bool first = true;
  writes_pending_ = static_cast<int>(runs.size());
  for (const BlockRun& run : runs) {
    ByteChain bytes;
    for (std::int64_t i = 0; i < run.count; ++i) {
      const JournalHeader header{.tid = committing_->tid.value(), .mount = mount_};
      bytes.append(first ? block_with(header) : log_block_);
      first = false;
    }
    Command::Write write{.offset = run.block * kPageBytes,
                         .bytes = std::move(bytes),
                         .purpose = DiskCommand::Purpose::journal};
    path_->submit(std::make_unique<Command>(*this, std::move(write)));
  }
  record_block_ = image_.next_journal_blocks(1).front().block;
}

void Journal::write_record() {
  phase_ = Phase::recording;
  const JournalHeader record{.tid = committing_->tid.value(), .mount = mount_, .is_record = 1};
  image_.begin_record(record, record_block_, std::move(committing_->ops));
  const bool through = path_->disk().options().profile.force_unit_access;
  Command::Write write{
      .offset = record_block_ * kPageBytes,
      .bytes = ByteChain(block_with(record)),
      .purpose = DiskCommand::Purpose::journal,
      .durability = through ? WriteDurability::force_unit_access : WriteDurability::device_cache};
  path_->submit(std::make_unique<Command>(*this, std::move(write)));
}

// A command of the journal has completed.
void Journal::step(Result<void> outcome) {
  if (!outcome) return abort(outcome.error());
  const Command::Flush flush{.purpose = DiskCommand::Purpose::journal};
  switch (phase_) {
    case Phase::idle:
    case Phase::ordering: break;  // A late part of a log whose transaction was aborted.
    case Phase::logging:
      if (--writes_pending_ > 0) return;
      logged();
      path_->submit(std::make_unique<Command>(*this, flush));
      return;
    case Phase::preflush: return write_record();
    case Phase::recording:
      if (path_->disk().options().profile.force_unit_access) return finish();
      phase_ = Phase::postflush;
      path_->submit(std::make_unique<Command>(*this, flush));
      return;
    case Phase::postflush: return finish();
  }
}

void Journal::logged() {
  phase_ = Phase::preflush;
  wake_all(committing_->shadow_waiters);
}

void Journal::finish() {
  image_.record_is_durable(mount_);
  const std::unique_ptr<Transaction> finished = std::move(committing_);
  committed_ = finished->tid;
  phase_ = Phase::idle;
  wake_all(finished->waiters);
  client_.blocks_are_free(finished->freed);
  if (running_ != nullptr && running_->wanted) begin_commit();
}

void Journal::abort(Error error) {
  if (aborted_) return;
  aborted_ = true;
  abort_error_ = error;
  phase_ = Phase::idle;
  timer_.unlink();
  for (Transaction* transaction : {committing_.get(), running_.get()}) {
    if (transaction == nullptr) continue;
    wake_all(transaction->waiters);
    wake_all(transaction->shadow_waiters);
  }
}

}  // namespace drydock::sim
