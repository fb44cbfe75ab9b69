#include "sim/fs/mount.hpp"

#include <algorithm>
#include <utility>

#include "sim/fs/mount_commands.hpp"
#include "sim/pagecache/stuck_wait.hpp"

namespace drydock::sim {

InodeHandle::InodeHandle(std::shared_ptr<Mount> mount, Inode& inode)
    : mount_(std::move(mount)), inode_(&inode), errors_(inode.errors().cursor()) {
  ++inode.handles;
}

InodeHandle::~InodeHandle() {
  if (mount_ == nullptr || mount_->dead()) return;
  --inode_->handles;
  mount_->closed(*inode_);
}

Mount::Mount(Kernel& kernel, DiskPath& path, std::shared_ptr<PageCache> cache, VolumeImage& image,
             const FileSystemOptions& options, MountOptions how)
    : kernel_(kernel),
      path_(path),
      clock_(path.host().clock()),
      cache_(std::move(cache)),
      device_(*cache_, {.strict_pages = options.strict_limit_bytes / kPageBytes}),
      image_(image),
      media_log_(path.disk().store()),
      options_(options),
      direct_alignment_(path.disk().info().block_bytes),
      read_only_(how.access == MountOptions::Access::read_only),
      replays_(how.replay == MountOptions::Replay::replay),
      journal_(kernel, path, image, *this, options),
      booted_(*this, path.host_id()) {}

Mount::~Mount() = default;

void Mount::die() {
  if (state_ == State::dead) return;
  state_ = State::dead;
  journal_.close();
  booted_.unlink();
  deferred_.clear();
  for (auto& [number, inode] : inodes_) {
    for (const auto& read : inode->reads) unreserve(read->range);
    cache_->forget(*inode);
  }
}

Task<Result<void>> Mount::enter(Worker& worker) {
  while (state_ == State::mounting) {
    co_await StuckWait(mounted_, worker, WaitPlace::device, clock_);
  }
  if (state_ == State::failed) co_return failure_;
  if (state_ == State::dead) co_return ErrorCode::device_gone;
  if (xfs() && journal_.aborted()) co_return refusal();
  co_return Result<void>();
}

Inode& Mount::inode(InodeNumber number) {
  auto& entry = inodes_[number];
  if (entry == nullptr) {
    InodeRecord* const record = live_.find(number);
    ENSURE(record != nullptr);
    entry = std::make_unique<Inode>(number, image_.home_of(number), *record, *cache_, *this);
    entry->errors().set_reporting(options_.error_reporting);
  }
  return *entry;
}

void Mount::join(Inode& inode, Need need, Transaction& transaction) {
  if (transaction.tid == Tid()) {  // Names: they have a number when they join one that has.
    transaction.homes.insert(inode.home);
    return;
  }
  if (inode.sync_tid < transaction.tid) {
    inode.sync_tid = transaction.tid;
    transaction.homes.insert(inode.home);
  }
  if (need == Need::data) inode.data_tid = std::max(inode.data_tid, transaction.tid);
}

// The last one of a transaction is the one that counts.
void Mount::set_time(Inode& inode) {
  Transaction& transaction = journal_.running();
  const WallTime now = clock_.wall_now();
  if (inode.time_tid == transaction.tid) {
    inode.record.modified = now;
    transaction.ops[inode.time_op].time = now;
    return;
  }
  inode.time_tid = transaction.tid;
  inode.time_op = transaction.ops.size();
  record(inode, Need::sync,
         {.kind = MetadataOp::Kind::set_time, .inode = inode.number, .time = now});
}

void Mount::record(Inode& inode, Need need, Transaction& transaction, MetadataOp op) {
  using Kind = MetadataOp::Kind;
  const bool changes_content = op.kind == Kind::make || op.kind == Kind::link ||
                               op.kind == Kind::unlink || op.kind == Kind::set_size;
  if (changes_content) {
    op.time = clock_.wall_now();
    inode.time_tid = Tid();  // An earlier change of its time would be undone by this one.
  }
  join(inode, need, transaction);
  const std::size_t freed = transaction.freed.size();
  live_.apply(op, transaction.freed);
  for (std::size_t i = freed; i < transaction.freed.size(); ++i) {
    transaction.homes.insert(image_.bitmap_of(transaction.freed[i].block));
  }
  if (op.kind == MetadataOp::Kind::map_blocks) {
    transaction.homes.insert(image_.bitmap_of(op.block));
  }
  const MetadataOp::Kind kind = op.kind;
  transaction.ops.push_back(std::move(op));
  const bool grows = kind == MetadataOp::Kind::map_blocks ||
                     kind == MetadataOp::Kind::mark_written || kind == MetadataOp::Kind::link;
  if (grows) take_own_blocks(inode, transaction);
}

void Mount::closed(Inode& inode) {
  if (inode.emptied && inode.handles == 0) {
    // Truncated to nothing and written anew: ext4 starts the writing at the close.
    inode.emptied = false;
    if (!journals_data()) cache_->start_writeback(inode, PageRange(), WrittenFor::flusher);
  }
  free_if_unused(inode);
}

void Mount::process_ended(std::uint32_t process_id) {
  if (dead()) return;
  for (auto& [number, inode] : inodes_) {
    if (inode->lock_holder == process_id) inode->locked = false;
  }
}

void Mount::free_if_unused(Inode& inode) {
  if (inode.record.links > 0 || inode.handles > 0 || read_only_) return;
  if (inode.device_io > 0 || inode.writeback_pages() > 0) return;
  const InodeNumber number = inode.number;
  drop_pages(inode, PageRange());
  allocator_->close(inode.window);
  journal_.forget(inode);
  record_names(inode, {.kind = MetadataOp::Kind::free, .inode = number});
  inodes_.erase(number);
}

void Mount::drop_pages(Inode& inode, PageRange range) {
  inode.supersede_reads(range);
  reserved_ -= count_holes(inode, range, Reserved::yes);
  inode.drop(range);
}

void Mount::blocks_are_free(const std::vector<BlockRun>& freed) {
  for (const BlockRun& run : freed) {
    allocator_->release(run);
    journal_.forget(run);
    // Else what the blocks held may show in the file that gets them next.
    if (allocates_unwritten()) path_.discard(run.block, run.count);
  }
}

void Mount::tell_stopped(FileSystemStop how) {
  const auto told = std::exchange(stopped_, {});
  if (told && !dead()) told(how);
}

void Mount::panic() {
  tell_stopped(FileSystemStop::panicked);
  path_.host().panic();
}

Error Mount::metadata_failed(Error error) {
  if (xfs()) return error;
  switch (options_.errors) {
    case ErrorsPolicy::go_on: break;
    case ErrorsPolicy::remount_ro: journal_.abort(error); break;
    case ErrorsPolicy::panic: panic(); break;
  }
  return error;
}

bool Mount::in_use() const {
  return std::any_of(inodes_.begin(), inodes_.end(),
                     [](const auto& entry) { return entry.second->handles > 0; });
}

Task<Result<SpaceInfo>> Mount::space(Worker& worker, std::string path) {
  Result<void> entered = co_await enter(worker);
  if (!entered) co_return entered.error();
  Result<Location> location = locate(path);
  if (!location) co_return location.error();
  if (location->found == nullptr) co_return ErrorCode::not_found;
  // What is kept back counts as free with ext4; xfs does not tell of it (xfs_fs_statfs).
  const std::int64_t usable = std::max<std::int64_t>(available(), 0);
  const std::int64_t free_blocks = xfs() ? usable : allocator_->free_blocks() - reserved_;
  const SpaceInfo info{.total_bytes = (image_.data_end() - image_.data_begin()) * kPageBytes,
                       .free_bytes = free_blocks * kPageBytes,
                       .usable_bytes = usable * kPageBytes};
  co_return info;
}

}  // namespace drydock::sim
