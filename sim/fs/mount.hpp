// A mounted file system.
//
// States: mounting (every call waits), ready, failed (the image is damaged, or the disk did not
// answer or refused: every call fails), dead (the host lost its power or the world ends: nothing of
// it is used again; it stays in memory until the last frame that refers to it has gone).
//
// With data=journal a page that is stored into joins the running transaction and has its block at
// once. It is dirty until that transaction is closed, which takes its content; then it is under
// writeback until the transaction is durable. So the dirty pages are those of the running
// transaction, and nobody else writes them. What the log holds of a clean page is read from there
// until it is home: Linux keeps such a page in memory.
//
// Space. A page without a block that is dirty, or in a deferred write, or both, has a reservation:
// `reserved_` counts them, and is at most the number of free blocks, so writeback always finds one.
// Some free blocks are kept (`pool_`) for what writeback needs besides: the trees of extents.
// Nobody else gets them, or is told of them. ext4: a 50th of the volume, 4096 at most
// (ext4_set_resv_clusters); xfs: a 20th, 8192 at most (xfs_default_resblks).
// Blocks of removed files are free when the transaction that freed them is durable, not before:
// until then a power loss brings the file back.
#pragma once

#include <deque>
#include <functional>
#include <memory>
#include <set>
#include <string>

#include "engine/runtime/file_system.hpp"
#include "engine/runtime/host_control.hpp"
#include "sim/fs/inode.hpp"

namespace drydock::sim {

class Mount;
class RawDevice;

// An open file or mapping of an inode: keeps it alive, knows which errors it has reported.
class InodeHandle {
 public:
  InodeHandle(std::shared_ptr<Mount> mount, Inode& inode);
  InodeHandle(InodeHandle&& other) noexcept = default;
  InodeHandle& operator=(InodeHandle&&) = delete;
  ~InodeHandle();

  Mount& mount() const { return *mount_; }
  Inode& inode() const { return *inode_; }
  ErrorSequence::Cursor& errors() { return errors_; }

 private:
  std::shared_ptr<Mount> mount_;
  Inode* inode_;
  ErrorSequence::Cursor errors_;
};

class Mount final : public PageBacking,
                    public JournalClient,
                    public std::enable_shared_from_this<Mount> {
 public:
  Mount(Kernel& kernel, DiskPath& path, std::shared_ptr<PageCache> cache, VolumeImage& image,
        const FileSystemOptions& options, MountOptions how = MountOptions());
  ~Mount();
  Mount(const Mount&) = delete;
  Mount& operator=(const Mount&) = delete;

  // At once, at the beginning of the world; or as a booting host does it: `mounted` is called once
  // it is ready, and never if it fails or dies before.
  void mount_now();
  void start_mounting(std::function<void()> mounted = nullptr);
  // Until it is ready, or what went wrong.
  Task<Result<void>> mounted(Worker& worker) { return enter(worker); }
  // Writes everything home and marks the file system clean, as far as the disk lets it.
  Task<void> quiesce(Worker& worker);
  // Something of it is open.
  bool in_use() const;
  // The host lost its power, the disk is unmounted, or the world ends.
  void die();
  // The path is its own: what is on its way to the disk ends with the mount. Mounting reads the log
  // through the cache of the device.
  void keep(std::unique_ptr<DiskPath> path, std::shared_ptr<RawDevice> device);
  bool dead() const { return state_ == State::dead; }
  // Mounting has found the image damaged: nothing in it will ever be read again.
  bool damaged() const { return damaged_; }

  PageCache& cache() { return *cache_; }
  Journal& journal() { return journal_; }
  const FileSystemOptions& options() const { return options_; }
  static constexpr std::int64_t kReadPagesMax = 256;  // Of one command: 1 MiB.
  std::int64_t read_ahead_pages() const { return options_.read_ahead_bytes / kPageBytes; }
  std::int64_t direct_alignment() const { return direct_alignment_; }
  // Whether O_DIRECT means anything: with data=journal it is buffered I/O (ext4_should_use_dio).
  bool offers_direct_io() const { return !journals_data(); }

  // names.cpp
  Task<Result<InodeHandle>> open(Worker& worker, std::string path, Create create);
  Task<Result<void>> rename(Worker& worker, std::string from, std::string to);
  Task<Result<void>> remove(Worker& worker, std::string path);
  Task<Result<void>> create_directories(Worker& worker, std::string path);
  Task<Result<std::vector<FileInfo>>> list(Worker& worker, std::string path);
  Task<Result<FileInfo>> info(Worker& worker, std::string path);
  Task<Result<InodeHandle>> open_directory(Worker& worker, std::string path);
  Task<Result<SpaceInfo>> space(Worker& worker, std::string path);

  // file_io.cpp
  Task<Result<void>> write(Inode& inode, Worker& worker, std::int64_t offset, SharedBytes bytes);
  Task<Result<void>> truncate(Inode& inode, Worker& worker, std::int64_t size);
  Task<Result<void>> allocate(Inode& inode, Worker& worker, std::int64_t offset,
                              std::int64_t length);
  // Stores into a mapping of `mapped` bytes; false if that could block.
  bool try_store(Inode& inode, const Worker& worker, std::int64_t offset,
                 std::span<const std::byte> bytes);
  Task<Result<void>> store(Inode& inode, Worker& worker, PageFaults& faults, std::int64_t offset,
                           SharedBytes bytes);

  // read_io.cpp
  // As much of the range as the file has.
  Task<Result<ByteChain>> read(Inode& inode, Worker& worker, ReadAhead& ahead, std::int64_t offset,
                               std::int64_t length);
  // Through a mapping: the range, which lies inside the file, without waiting; an empty chain if it
  // has to wait.
  ByteChain try_load(Inode& inode, PageFaults& faults, std::int64_t offset, std::int64_t length);
  // As much of the range as the file has.
  Task<Result<ByteChain>> load(Inode& inode, Worker& worker, PageFaults& faults,
                               std::int64_t offset, std::int64_t length);
  // Faults in the pages of the range that have content (mlock).
  Task<Result<void>> lock_pages(Inode& inode, Worker& worker, PageFaults& faults, PageRange range);
  // Starts to read what is absent (MADV_WILLNEED).
  void will_need(Inode& inode, PageRange range) {
    if (state_ == State::ready) read_ahead(inode, range, kNoMark);
  }

  // direct_io.cpp
  Task<Result<void>> write_direct(InodeHandle& handle, Worker& worker, std::int64_t offset,
                                  SharedBytes bytes);
  Task<Result<ByteChain>> read_direct(InodeHandle& handle, Worker& worker, std::int64_t offset,
                                      std::int64_t length);

  // sync.cpp
  enum class SyncKind : std::uint8_t {
    pages,  // sync_file_range: no metadata, no flush.
    data,   // fdatasync, msync.
    all,    // fsync.
  };
  Task<Result<void>> sync(InodeHandle& handle, Worker& worker, PageRange range, SyncKind kind);
  Task<Result<void>> commit(Worker& worker, Tid tid);
  Task<Result<void>> commit_all(Worker& worker, SyncKind kind);

  // Where the file's pages of the range are on the disk now; nothing if it has no blocks there. For
  // who breaks the disk: costs no time.
  std::vector<BlockRun> blocks_of(const std::string& path, PageRange range);

  // A program takes the lock of a directory (i_rwsem), and keeps it: whoever makes, renames,
  // removes or lists names there, or opens a file of it with a flag that may make it, waits; so
  // open(2) did with O_CREAT for a file that exists, too, until Linux 6.12. What is cached of names
  // is looked up without it, and files that are open are free. `holder` is the number by which it
  // is given back. False, and nothing happens, if there is no such directory.
  bool lock_directory(const std::string& path, std::size_t holder);
  void unlock_directory(std::size_t holder);

  // The inode lost a handle.
  void closed(Inode& inode);
  void process_ended(std::uint32_t process_id);

  // Called when it stops itself, at most once.
  void set_stopped(std::function<void(FileSystemStop)> told) { stopped_ = std::move(told); }

  // PageBacking, JournalClient.
  bool takes_pages(CachedFile& file) override;
  void write_pages(CachedFile& file, std::int64_t first, std::vector<SharedBytes> pages,
                   WrittenFor whom) override;
  void dirtier_slept() override { path_.queue().dirtier_slept(); }
  WritebackDevice& device() override { return device_; }
  bool order_is_kept(OrderedData& ordered) override;
  void blocks_are_free(const std::vector<BlockRun>& freed) override;
  void pages_are_logged(const LoggedPages& pages, Result<void> outcome) override;
  void handles_may_start() override;
  void journal_aborted(Error error) override;

 private:
  enum class State : std::uint8_t { mounting, ready, failed, dead };
  // Whether a page can be stored into now, and if not, why.
  enum class Admission : std::uint8_t {
    ready,
    refused,
    journal,
    must_read,
    no_memory,
    in_use,
    no_space
  };
  enum class Need : std::uint8_t { sync, data };
  class PageWrite;
  class DirectWriteCommand;
  class PageReadCommand;
  class DirectReadCommand;
  class MountCommand;
  // Pages under writeback whose blocks cannot be allocated yet: who writes them waits for the
  // journal, and everything behind him with him.
  struct DeferredWrite {
    Inode* inode = nullptr;
    PageRange range;
    std::vector<SharedBytes> pages;
    WrittenFor whom = WrittenFor::sync;
    HandleWait wait = HandleWait::none;  // What it has been found to wait for, as the first one.
  };
  // A name to be looked up or made: the directory, and what it holds under the name (or null).
  struct Location {
    Inode* directory = nullptr;
    std::string name;
    Inode* found = nullptr;
  };

  // mounting.cpp
  enum class Mounting : std::uint8_t { reading, claiming, replaying, emptying };
  bool replay_data();
  void read_log();
  LogView& log_view();
  void write_at_mount(std::int64_t block, std::int64_t count);
  void mount_step(Result<void> outcome);
  void mount_failed(Error error);
  void found_damage();
  void replay_over();
  void build_live_state();

  // mount.cpp
  Task<Result<void>> enter(Worker& worker);
  bool xfs() const { return image_.kind() == FsKind::xfs; }
  // Nothing can be changed: it is mounted read-only, or the journal was aborted.
  bool refuses_changes() const { return read_only_ || journal_.aborted(); }
  // What such a change is told. An aborted xfs has shut down: it does not read either.
  Error refusal() const {
    const bool shut_down = xfs() && journal_.aborted();
    return shut_down ? Error::from_errno(ErrorCode::io_error, 5) : Error(ErrorCode::read_only);
  }
  void tell_stopped(FileSystemStop how);
  void panic();
  // Metadata could not be read: the policy decides what follows. Returns what the call is told.
  Error metadata_failed(Error error);
  Inode& inode(InodeNumber number);
  void record(Inode& inode, Need need, Transaction& transaction, MetadataOp op);
  void record(Inode& inode, Need need, MetadataOp op) {
    record(inode, need, journal_.running(), std::move(op));
  }
  // The inode changes in a way that only fsync cares for.
  void touch(Inode& inode) { join(inode, Need::sync, journal_.running()); }
  // Its time of modification is now.
  void set_time(Inode& inode);
  // The transaction waits for the data of these pages, if the mode is one that orders data.
  void order(Transaction& transaction, Inode& inode, std::int64_t first, std::int64_t end) {
    if (!orders_data()) return;
    transaction.ordered.push_back({.inode = &inode, .first = first, .end = end});
  }
  // A change of the directory's names, or what follows from one.
  void record_names(Inode& inode, MetadataOp op) {
    record(inode, Need::data, journal_.names(), std::move(op));
  }
  bool orders_data() const { return xfs() || options_.data == DataMode::ordered; }
  bool journals_data() const { return !xfs() && options_.data == DataMode::journal; }
  static void join(Inode& inode, Need need, Transaction& transaction);
  // Where to wait before a handle for the inode can start, and with data=journal for the block of
  // a file that is to change with it; null: nowhere.
  WaitList* handle_wait(const Inode& inode, BlockRef data = BlockRef()) {
    journal_.commit_if_full();
    HandleWait reason = journal_.must_wait(inode.home);
    if (reason == HandleWait::none) reason = data_wait(data);
    return reason == HandleWait::none ? nullptr : &journal_.wait_for(reason);
  }
  HandleWait data_wait(BlockRef data) const {
    const bool logged = journals_data() && !data.hole();
    return logged ? journal_.must_wait(data.block()) : HandleWait::none;
  }
  void write_ended(Inode& inode, PageRange range, WrittenParts* parts, Result<void> outcome);
  void data_is_on_device(Inode& inode, PageRange range, std::int64_t end_offset);
  void order_cleared_tail(Inode& inode, Transaction& transaction);
  bool needs_journal(const Inode& inode, PageRange range) const;
  void direct_write_ended(Inode& inode, DirectWrite& direct, Result<void> outcome);
  void read_ended(Inode& inode, const std::shared_ptr<PageRead>& read, const ByteChain& bytes,
                  Result<void> outcome);
  void device_io_ended(Inode& inode);
  void submit_pages(Inode& inode, std::int64_t first, std::vector<SharedBytes> pages,
                    WrittenFor whom, const std::shared_ptr<WrittenParts>& parts);
  void free_if_unused(Inode& inode);
  void drop_pages(Inode& inode, PageRange range);

  // allocation.cpp
  std::int64_t available() const { return allocator_->free_blocks() - reserved_ - pool_; }
  bool has_space_for(std::int64_t blocks) const { return blocks == 0 || available() >= blocks; }
  // Blocks of its own that the inode needs and does not have.
  void take_own_blocks(Inode& inode, Transaction& transaction);
  // Those that it needs for what is in it now and `entry_bytes` more.
  static std::int64_t own_blocks_needed(const Inode& inode, std::int64_t entry_bytes);
  // A hole without a reservation.
  static bool needs_block(const Inode& inode, std::int64_t page) {
    return inode.block_of(page).hole() && !inode.dirty(page) && !inode.under_writeback(page);
  }
  // Holes in the range: those with a reservation, or the others.
  enum class Reserved : std::uint8_t { yes, no };
  std::int64_t count_holes(const Inode& inode, PageRange range, Reserved reserved) const;
  // Gives blocks, unwritten, to the holes of the range.
  void map_holes(Inode& inode, PageRange range, Transaction& transaction);
  // Whether the blocks that writeback allocates are unwritten until their data is there.
  bool allocates_unwritten() const { return xfs() || options_.dioread_nolock; }
  // The holes of pages that are about to be written back get blocks.
  void allocate_for_writeback(Inode& inode, PageRange range, Transaction& transaction);
  bool must_defer(const Inode& inode) {
    return !deferred_.empty() || journal_.must_wait(inode.home) != HandleWait::none;
  }
  void log_pages(Inode& inode, std::int64_t first, std::vector<SharedBytes> pages);
  void defer(Inode& inode, PageRange range, std::vector<SharedBytes> pages, WrittenFor whom);
  void write_deferred(DeferredWrite& deferred);

  // names.cpp
  // Reads the blocks of metadata on the way to the path that are not in memory yet.
  Task<Result<void>> read_inodes(Worker& worker, std::string path);
  Task<Result<void>> read_home(Worker& worker, InodeNumber number);
  Result<Location> locate(const std::string& path);
  // `making`: what gets the name if there is none yet.
  enum class Making : std::uint8_t { nothing, file, directory };
  bool directory_locked(const Inode& directory) const;
  // Until nobody keeps the directory locked in which the path lies, or would lie;
  // for a directory itself, `LockOf::it`.
  enum class LockOf : std::uint8_t { it, parent };
  Task<void> pass_lock(Worker& worker, std::string path, LockOf which);
  Task<Result<Location>> locate_to_change(Worker& worker, std::string path,
                                          Making making = Making::nothing);
  static std::int64_t blocks_for(const Location& location, Making making);
  // The table of inodes has room for one more.
  bool has_inode() {
    return static_cast<std::int64_t>(live_.inodes().size()) < image_.inodes_max();
  }
  Inode& make(Location& location, bool is_directory);
  Result<void> may_replace(const Location& from, const Location& to);
  bool inside(const Inode& directory, InodeNumber possible_parent);

  // file_io.cpp
  Admission admit(Inode& inode, std::int64_t page, bool whole_page);
  // `faults`: of the mapping that is stored into, or null.
  Task<Result<void>> make_storable(Inode& inode, Worker& worker, std::int64_t page, bool whole_page,
                                   PageFaults* faults);
  // Once admitted.
  bool share_with_previous(Inode& inode, const Worker& worker, std::int64_t page,
                           std::span<const std::byte> bytes);
  void store_into(Inode& inode, const Worker& worker, std::int64_t offset,
                  std::span<const std::byte> bytes);
  void make_dirty(Inode& inode, const Worker& worker, std::int64_t page);
  void join_with_data(Inode& inode, std::int64_t page);
  PageRange folio_of(Inode& inode, std::int64_t page) const;
  std::int64_t clean_pages_of_folio(Inode& inode, std::int64_t page) const;
  Task<Result<void>> wait_for_space(Worker& worker, std::int64_t blocks);
  Task<Result<void>> modifiable(Inode& inode, Worker& worker, BlockRef data = BlockRef());
  Task<Result<void>> clear_residue(Inode& inode, Worker& worker);
  Task<Result<void>> cut(Inode& inode, Worker& worker, std::int64_t size);

  // read_io.cpp
  // The range, which lies inside the file, without waiting; an empty chain if it has to wait.
  ByteChain try_read(Inode& inode, std::int64_t offset, std::int64_t length);
  Task<Result<void>> populate(Inode& inode, Worker& worker, PageFaults& faults, PageRange range);
  void note_access(Inode& inode, ReadAhead& ahead, PageRange range);
  const SharedBytes* map_cached(Inode& inode, PageFaults& faults, std::int64_t page);
  Task<Result<void>> fault_in(Inode& inode, Worker& worker, PageFaults& faults, std::int64_t page);
  Task<Result<void>> page_in(Inode& inode, Worker& worker, PageRange range);
  Task<Result<void>> await_page(Inode& inode, Worker& worker, std::int64_t page,
                                WaitPlace place = WaitPlace::page_read);
  // Where a fault on the page waits. `read`: what was on its way before, or null. A page that
  // another thread has faulted is locked by it (W3); one that is read along, as one's own, is not
  // waited for otherwise than by its read (W4). Linux I/O model, section 3.2.
  static WaitPlace fault_wait(const PageRead* read, std::int64_t page) {
    const bool locked = read != nullptr && read->faulted == page;
    return locked ? WaitPlace::page_lock : WaitPlace::page_read;
  }
  // Not cached though it has content; cached or on its way.
  bool absent(Inode& inode, std::int64_t page) const;
  bool present(Inode& inode, std::int64_t page) const;
  std::int64_t cached_before(Inode& inode, std::int64_t page, std::int64_t most) const;
  std::shared_ptr<PageRead> read_of(const Inode& inode, std::int64_t page) const;
  static constexpr std::int64_t kNoMark = -1;
  void start_reads(Inode& inode, PageRange range, std::int64_t mark);
  // The same if there is room for the pages; otherwise it does without them.
  void read_ahead(Inode& inode, PageRange range, std::int64_t mark);
  void use_mark(Inode& inode, PageFaults& faults, std::int64_t page);
  void use_mark(Inode& inode, ReadAhead& ahead, std::int64_t page, std::int64_t end);
  std::int64_t absent_behind(Inode& inode, std::int64_t page, std::int64_t most) const;
  std::int64_t room_lacking(const Inode& inode, PageRange range) const;
  void insert_read(Inode& inode, std::int64_t page, SharedBytes content);
  void reserve(PageRange range);
  void unreserve(PageRange range);
  void start_read(Inode& inode, PageRange range, std::int64_t block);

  // direct_io.cpp
  static constexpr std::int64_t kDirectBytesMax = 1 << 20;
  Task<Result<void>> invalidate(InodeHandle& handle, Worker& worker, PageRange range);
  void submit_direct(Inode& inode, std::int64_t offset, const SharedBytes& bytes,
                     const std::shared_ptr<DirectWrite>& direct);

  // sync.cpp
  Task<void> write_and_wait(Inode& inode, Worker& worker, PageRange range);
  Task<void> wait_for_writeback(Inode& inode, Worker& worker, PageRange range);
  Task<Result<void>> flush_device(Worker& worker);

  class Booted : public Wakeup {
   public:
    Booted(Mount& mount, std::uint32_t host)
        : Wakeup(&Booted::on_run, EventKind::writeback, host), mount_(mount) {}

   private:
    static void on_run(Wakeup& wakeup) { static_cast<Booted&>(wakeup).mount_.replay_over(); }
    Mount& mount_;
  };

  friend class InodeHandle;

  std::unique_ptr<DiskPath> own_path_;
  std::shared_ptr<RawDevice> raw_;  // Null: nobody reads or writes the device but this file system.
  Kernel& kernel_;
  DiskPath& path_;
  const Clock& clock_;
  std::shared_ptr<PageCache> cache_;
  WritebackDevice device_;
  VolumeImage& image_;
  MediaLog media_log_;
  FileSystemOptions options_;
  std::int64_t direct_alignment_;
  bool read_only_;
  std::function<void(FileSystemStop)> stopped_;  // Empty once it has been told.
  bool replays_;
  State state_ = State::mounting;
  Error failure_ = ErrorCode::io_error;
  bool damaged_ = false;
  Mounting mounting_ = Mounting::reading;
  std::int64_t mount_block_ = 0;      // The next one to read.
  std::int64_t homes_to_replay_ = 0;  // Blocks of metadata that the log holds.
  std::int64_t data_to_replay_ = 0;   // Files' blocks in the log from this one on.
  bool log_was_empty_ = false;
  bool cold_ = false;  // Not all metadata is in memory: these blocks of inodes are.
  std::set<std::int64_t> homes_in_memory_;
  WaitList mounted_;
  std::function<void()> told_;  // Whom to tell.
  Journal journal_;
  Metadata live_;
  std::unique_ptr<BlockAllocator> allocator_;
  std::int64_t reserved_ = 0;
  std::int64_t pool_ = 0;
  std::map<std::size_t, InodeNumber> locked_directories_;  // By holder.
  WaitList directory_waits_;
  bool closing_ = false;  // data=journal: the pages of a transaction are taken.
  std::deque<DeferredWrite> deferred_;
  std::map<InodeNumber, std::unique_ptr<Inode>> inodes_;
  Booted booted_;
};

}  // namespace drydock::sim
