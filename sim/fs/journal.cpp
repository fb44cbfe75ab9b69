#include "sim/fs/journal.hpp"

#include <algorithm>
#include <iterator>

#include "sim/fs/inode.hpp"
#include "sim/pagecache/stuck_wait.hpp"

namespace drydock::sim {

Journal::Journal(Kernel& kernel, DiskPath& path, VolumeImage& image, JournalClient& client,
                 const FileSystemOptions& options)
    : kernel_(kernel),
      path_(&path),
      image_(image),
      client_(client),
      xfs_(image.kind() == FsKind::xfs),
      journals_data_(!xfs_ && options.data == DataMode::journal),
      barrier_(options.barrier),
      shadow_until_committed_(options.shadow_until_committed),
      holds_names_(options.names == NamesDurable::with_directory_sync),
      commit_interval_(xfs_ ? options.log_interval : options.commit_interval),
      checkpoint_(kernel, path, image, *this, options),
      empty_block_(SharedBytes::zeros(static_cast<std::size_t>(kPageBytes))),
      timer_(*this, path.host_id()) {
  // Else a transaction would be full before anything is in it.
  if (journals_data_) ENSURE(kRoomOfAPage < checkpoint_.transaction_max());
}

Journal::~Journal() = default;

void Journal::open(LogView& log) {
  mount_ = image_.begin_mount(log);
  checkpoint_.open(mount_);
  committed_ = image_.committed();
  next_tid_ = committed_.next();
  opened_at_ = kernel_.now();
}

void Journal::close() {
  timer_.unlink();
  checkpoint_.close();
  path_ = nullptr;
  aborted_ = true;
}

Transaction& Journal::running() {
  if (running_ == nullptr) {
    running_ = std::make_unique<Transaction>();
    running_->tid = next_tid_;
    next_tid_ = next_tid_.next();
    if (aborted_) return *running_;
    std::int64_t end = interval_end();
    if (names_ != nullptr) end = std::min(end, std::max(names_due_, kernel_.now()));
    kernel_.at(timer_, end);
  }
  return *running_;
}

std::int64_t Journal::interval_end() const {
  const std::int64_t interval = commit_interval_.count_ns();
  // xfs: at the next multiple of the mount's life.
  const std::int64_t begun = xfs_ ? (kernel_.now() - opened_at_) % interval : 0;
  return kernel_.now() - begun + interval;
}

Transaction& Journal::names() {
  if (!holds_names_) return running();
  if (names_ == nullptr) {
    names_ = std::make_unique<Transaction>();
    names_due_ = interval_end();
  }
  running();  // Its timer is theirs, too.
  return *names_;
}

void Journal::join_names() {
  if (names_ == nullptr) return;
  const std::unique_ptr<Transaction> names = std::move(names_);
  Transaction& transaction = running();
  names_joined_ = transaction.tid;
  std::ranges::move(names->ops, std::back_inserter(transaction.ops));
  std::ranges::copy(names->ordered, std::back_inserter(transaction.ordered));
  std::ranges::copy(names->freed, std::back_inserter(transaction.freed));
  transaction.homes.merge(names->homes);
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
  if (names_ != nullptr) std::erase_if(names_->ordered, same);
}

Tid Journal::frees_blocks() {
  if (names_ != nullptr && !names_->freed.empty()) join_names();
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
  want_commit();
  return transaction.waiters;
}

WaitList& Journal::wait_for(HandleWait reason) {
  count_wait(reason);
  switch (reason) {
    case HandleWait::none: break;
    case HandleWait::locked: return locked_waiters_;
    case HandleWait::shadow: return committing_->shadow_waiters;
    case HandleWait::space: want_space(); return space_waiters_;
  }
  ENSURE(false);
  return locked_waiters_;
}

void Journal::end_soon(HandleWait reason) {
  if (reason == HandleWait::locked) commit_soon();
  if (reason == HandleWait::space) want_space();
}

void Journal::want_space() {
  space_wanted_ = true;
  checkpoint_.make_space();
}

void Journal::handle_ended(Transaction& transaction) {
  --transaction.handles;
  if (aborted_) return;
  if (phase_ == Phase::locked && transaction.handles == 0) close_running();
}

void Journal::log_pages(Inode& inode, std::int64_t first, std::int64_t block,
                        std::vector<SharedBytes> pages) {
  ENSURE(phase_ == Phase::ordering);
  for (SharedBytes& page : pages) committing_->data[block++] = std::move(page);
  committing_->pages.push_back({&inode, first});
}

void Journal::end_pages(Transaction& transaction, Result<void> outcome) {
  for (const LoggedPages& pages : std::exchange(transaction.pages, {})) {
    client_.pages_are_logged(pages, outcome);
  }
}

void Journal::commit_soon() {
  if (running_ == nullptr || aborted_ || running_->wanted) return;
  timer_.unlink();
  kernel_.post(timer_);
}

void Journal::interval_over() {
  if (running_ == nullptr || aborted_) return;
  join_names();
  want_commit();
}

// The running transaction is committed as soon as that can be.
void Journal::want_commit() {
  running_->wanted = true;
  if (phase_ != Phase::idle) return;
  timer_.unlink();
  if (running_->handles > 0) {
    phase_ = Phase::locked;
  } else {
    close_running();
  }
}

void Journal::close_running() {
  committing_ = std::move(running_);
  phase_ = Phase::ordering;
  take_log_blocks();
  if (names_ != nullptr) running();  // The next one, with what was held back from this one.
  wake_all(locked_waiters_);
  client_.handles_may_start();
  data_written();
}

// A descriptor block for every 250 blocks, and the record.
void Journal::take_log_blocks() {
  const auto data = static_cast<std::int64_t>(committing_->data_homes.size());
  const auto homes = static_cast<std::int64_t>(committing_->homes.size()) + data;
  const std::int64_t most = std::max(checkpoint_.transaction_max(), data + 1);
  const std::int64_t blocks = std::min(homes + homes / 250 + 1, most) + 1;
  checkpoint_.take(blocks - committing_->log_blocks);
  committing_->log_blocks = blocks;
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
  // Without what was cut off its file again.
  std::erase_if(committing_->data_homes,
                [this](std::int64_t home) { return !committing_->data.contains(home); });
  take_log_blocks();
  // The body and the record are two parts: see write_record.
  log_ = image_.next_log_blocks(committing_->log_blocks - 1);
  if (xfs_) return logged();
  // Metadata first, then data.
  std::int64_t metadata =
      committing_->log_blocks - 1 - static_cast<std::int64_t>(committing_->data.size());
  auto data = committing_->data.begin();
  logged_data_.clear();
  const SharedBytes body = block_with({.tid = committing_->tid.value(), .mount = mount_});
  writes_pending_ = static_cast<int>(log_.size());
  for (const BlockRun& run : log_) {
    ByteChain bytes;
    for (std::int64_t block = run.block; block < run.block + run.count; ++block) {
      if (metadata > 0) {
        bytes.append(body);
        --metadata;
        continue;
      }
      bytes.append(data->second);
      logged_data_.push_back({.log_block = block, .home = data->first, .bytes = data->second});
      ++data;
    }
    LogCommand::write(*path_, *this, run.block, std::move(bytes), WriteDurability::device_cache);
  }
}

void Journal::logged() {
  phase_ = Phase::preflush;
  proven_ = barrier_;
  if (!shadow_until_committed_) wake_all(committing_->shadow_waiters);
  client_.handles_may_start();
  tail_ = checkpoint_.tail();
  if (!barrier_) return write_record();
  LogCommand::flush(*path_, *this);
}

void Journal::write_record() {
  phase_ = Phase::recording;
  const JournalHeader body{.tid = committing_->tid.value(), .mount = mount_};
  JournalHeader record = body;
  record.is_record = 1;
  std::vector<BlockRun> parts = image_.next_log_blocks(1);
  const std::int64_t record_block = parts.front().block;
  std::vector<BlockRun> whole = log_;
  whole.push_back(parts.front());
  if (xfs_) parts = whole;
  image_.begin_record(record, std::move(whole), std::move(committing_->ops),
                      std::exchange(logged_data_, {}));
  const bool through = barrier_ && path_->disk().options().profile.force_unit_access;
  const auto durability =
      through ? WriteDurability::force_unit_access : WriteDurability::device_cache;
  const SharedBytes body_block = block_with(body);
  writes_pending_ = static_cast<int>(parts.size());
  for (const BlockRun& run : parts) {
    ByteChain bytes;
    for (std::int64_t block = run.block; block < run.block + run.count; ++block) {
      bytes.append(block == record_block ? block_with(record) : body_block);
    }
    LogCommand::write(*path_, *this, run.block, std::move(bytes), durability);
  }
}

// A command of the journal has completed.
void Journal::step(Result<void> outcome) {
  if (path_ == nullptr) return;
  if (!outcome) return abort(outcome.error());
  if (!path_->disk().obeys_flushes()) proven_ = false;
  switch (phase_) {
    case Phase::idle:
    case Phase::locked:
    case Phase::ordering: break;  // A late part of a log whose transaction was aborted.
    case Phase::logging:
      if (--writes_pending_ == 0) logged();
      return;
    case Phase::preflush: return write_record();
    case Phase::recording:
      if (--writes_pending_ == 0) record_written();
      return;
    case Phase::postflush: return recorded();
    case Phase::tail: checkpoint_.superblock_was_written(tail_); return finish();
  }
}

void Journal::record_written() {
  if (!barrier_ || path_->disk().options().profile.force_unit_access) return recorded();
  phase_ = Phase::postflush;
  LogCommand::flush(*path_, *this);
}

void Journal::recorded() {
  using Proof = VolumeImage::Proof;
  image_.record_is_written(mount_, proven_ ? Proof::durable : Proof::acknowledged);
  checkpoint_.committed(committing_->tid, committing_->log_blocks, committing_->homes,
                        committing_->data);
  if (!checkpoint_.superblock_is_due(tail_)) return finish();
  phase_ = Phase::tail;
  LogCommand::write(*path_, *this, checkpoint_.superblock(), ByteChain(empty_block_),
                    WriteDurability::force_unit_access);
}

void Journal::finish() {
  const std::unique_ptr<Transaction> finished = std::move(committing_);
  committed_ = finished->tid;
  phase_ = Phase::idle;
  end_pages(*finished, Result<void>());
  wake_all(finished->shadow_waiters);
  wake_all(finished->waiters);
  client_.blocks_are_free(finished->freed);
  if (shadow_until_committed_) client_.handles_may_start();
  if (space_wanted_) space_was_freed();
  if (running_ != nullptr && running_->wanted) want_commit();
}

void Journal::space_was_freed() {
  if (log_is_empty()) wake_all(emptied_waiters_);
  if (!space_wanted_) return;
  // What has just been committed may be what has to go next.
  if (checkpoint_.short_of_space()) return checkpoint_.make_space();
  space_wanted_ = false;
  wake_all(space_waiters_);
  client_.handles_may_start();
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
  if (committing_ != nullptr) end_pages(*committing_, error);
  wake_all(locked_waiters_);
  wake_all(space_waiters_);
  wake_all(emptied_waiters_);
  client_.journal_aborted(error);
}

}  // namespace drydock::sim
