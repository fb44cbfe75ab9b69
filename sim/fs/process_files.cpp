#include "sim/fs/process_files.hpp"

namespace drydock::sim {
namespace {

bool valid_range(std::int64_t offset, std::int64_t length) {
  return offset >= 0 && length >= 0 && length <= INT64_MAX - offset;
}

class SimFile final : public File {
 public:
  SimFile(InodeHandle handle, OpenOptions options, Descriptors& open)
      : descriptor_(open),
        handle_(std::move(handle)),
        options_(options),
        ahead_(mount().read_ahead_pages(), Mount::kReadPagesMax) {}

  Task<Result<ByteChain>> read_at(Worker& worker, std::int64_t offset,
                                  std::int64_t length) override {
    if (!valid_range(offset, length)) co_return ErrorCode::invalid_argument;
    if (direct()) {
      Result<ByteChain> direct = co_await mount().read_direct(handle_, worker, offset, length);
      co_return direct;
    }
    Result<ByteChain> read = co_await mount().read(inode(), worker, ahead_, offset, length);
    co_return read;
  }

  Task<Result<void>> write_at(Worker& worker, std::int64_t offset, SharedBytes bytes) override {
    if (options_.mode == OpenMode::read_only) co_return ErrorCode::invalid_argument;
    const auto length = static_cast<std::int64_t>(bytes.size());
    if (!valid_range(offset, length)) co_return ErrorCode::invalid_argument;
    if (direct()) {
      Result<void> direct = co_await mount().write_direct(handle_, worker, offset, bytes);
      co_return direct;
    }
    Result<void> written = co_await mount().write(inode(), worker, offset, bytes);
    co_return written;
  }

  Task<Result<void>> sync_data(Worker& worker) override {
    return mount().sync(handle_, worker, PageRange(), Mount::SyncKind::data);
  }
  Task<Result<void>> sync_all(Worker& worker) override {
    return mount().sync(handle_, worker, PageRange(), Mount::SyncKind::all);
  }
  Task<Result<void>> sync_range(Worker& worker, std::int64_t offset, std::int64_t length) override {
    if (!valid_range(offset, length)) co_return ErrorCode::invalid_argument;
    const PageRange range = pages_of(offset, length);
    Result<void> synced = co_await mount().sync(handle_, worker, range, Mount::SyncKind::pages);
    co_return synced;
  }

  Task<Result<void>> allocate(Worker& worker, std::int64_t offset, std::int64_t length) override {
    if (options_.mode == OpenMode::read_only) co_return ErrorCode::invalid_argument;
    if (!valid_range(offset, length) || length == 0) co_return ErrorCode::invalid_argument;
    Result<void> allocated = co_await mount().allocate(inode(), worker, offset, length);
    co_return allocated;
  }
  Task<Result<void>> truncate(Worker& worker, std::int64_t size) override {
    if (options_.mode == OpenMode::read_only) co_return ErrorCode::invalid_argument;
    if (size < 0) co_return ErrorCode::invalid_argument;
    Result<void> truncated = co_await mount().truncate(inode(), worker, size);
    co_return truncated;
  }

  Result<std::int64_t> size() const override { return inode().size; }
  std::int64_t direct_alignment() const override { return mount().direct_alignment(); }

 private:
  Mount& mount() const { return handle_.mount(); }
  Inode& inode() const { return handle_.inode(); }
  bool direct() const { return options_.caching == Caching::direct && mount().offers_direct_io(); }

  Descriptors::One descriptor_;
  InodeHandle handle_;
  OpenOptions options_;
  ReadAhead ahead_;
};

class SimMappedFile final : public MappedFile {
 public:
  SimMappedFile(InodeHandle handle, std::int64_t size, Descriptors& open)
      : descriptor_(open),
        handle_(std::move(handle)),
        size_(size),
        faults_(mount().read_ahead_pages()) {
    ++inode().mappings;
  }
  ~SimMappedFile() override {
    if (mount().dead()) return;
    if (locked_) inode().set_pinned(false);
    if (--inode().mappings == 0) inode().unmap();
  }

  std::int64_t size() const override { return size_; }

  bool try_store(Worker& worker, std::int64_t offset, std::span<const std::byte> bytes) override {
    check(offset, static_cast<std::int64_t>(bytes.size()));
    const auto inside = static_cast<std::size_t>(offset % kPageBytes);
    if (inside + bytes.size() <= static_cast<std::size_t>(kPageBytes)) [[likely]] {
      std::byte* const page = inode().writable_if_dirty(offset / kPageBytes);
      if (page != nullptr) [[likely]] {
        if (!bytes.empty()) std::memcpy(page + inside, bytes.data(), bytes.size());
        return true;
      }
    }
    return mount().try_store(inode(), worker, offset, bytes);
  }
  Task<Result<void>> store(Worker& worker, std::int64_t offset, SharedBytes bytes) override {
    check(offset, static_cast<std::int64_t>(bytes.size()));
    return mount().store(inode(), worker, faults_, offset, std::move(bytes));
  }

  ByteChain try_load(std::int64_t offset, std::int64_t length) override {
    check(offset, length);
    if (offset + length > inode().size) return {};
    return mount().try_load(inode(), faults_, offset, length);
  }
  Task<Result<ByteChain>> load(Worker& worker, std::int64_t offset, std::int64_t length) override {
    check(offset, length);
    Result<ByteChain> loaded = co_await mount().load(inode(), worker, faults_, offset, length);
    if (!loaded) co_return loaded;
    // Shorter than the mapping: somebody cut the file, a fault behind its end is a SIGBUS.
    const bool whole = static_cast<std::int64_t>(loaded->size()) == length;
    if (!whole) co_return ErrorCode::io_error;
    co_return loaded;
  }

  bool resident(std::int64_t offset, std::int64_t length) const override {
    check(offset, length);
    const PageRange pages = pages_of(offset, length);
    for (std::int64_t page = pages.first; page < pages.end; ++page) {
      if (!inode().resident(page)) return false;
    }
    return true;
  }

  Task<Result<void>> sync(Worker& worker, std::int64_t offset, std::int64_t length) override {
    check(offset, length);
    return mount().sync(handle_, worker, pages_of(offset, length), Mount::SyncKind::data);
  }

  Task<Result<void>> lock_memory(Worker& worker) override {
    locked_ = true;
    inode().set_pinned(true);
    Result<void> all = co_await mount().lock_pages(inode(), worker, faults_, pages_of(0, size_));
    co_return all;
  }
  void unlock_memory() override {
    if (std::exchange(locked_, false) && !mount().dead()) inode().set_pinned(false);
  }
  Result<void> advise(Advice advice) override {
    switch (advice) {
      case Advice::normal: faults_.set_pattern(ReadAhead::Pattern::normal); break;
      case Advice::random: faults_.set_pattern(ReadAhead::Pattern::random); break;
      case Advice::sequential: faults_.set_pattern(ReadAhead::Pattern::sequential); break;
      case Advice::will_need: mount().will_need(inode(), pages_of(0, size_)); break;
    }
    return {};
  }

 private:
  Mount& mount() const { return handle_.mount(); }
  Inode& inode() const { return handle_.inode(); }
  void check(std::int64_t offset, std::int64_t length) const {
    ENSURE(offset >= 0);
    ENSURE(length <= size_ - offset);
  }

  Descriptors::One descriptor_;
  InodeHandle handle_;
  std::int64_t size_;
  PageFaults faults_;
  bool locked_ = false;
};

class SimFileLock final : public FileLock {
 public:
  SimFileLock(InodeHandle handle, Descriptors& open)
      : descriptor_(open), handle_(std::move(handle)) {}
  ~SimFileLock() override {
    if (!handle_.mount().dead()) handle_.inode().locked = false;
  }

 private:
  Descriptors::One descriptor_;
  InodeHandle handle_;
};

}  // namespace

Task<Result<std::unique_ptr<File>>> ProcessFiles::open(Worker& worker, std::string path,
                                                       OpenOptions options) {
  if (descriptors_.full()) co_return ErrorCode::too_many_open_files;
  Result<MountTable::Place> place = table_->find(path);
  if (!place) co_return place.error();
  if (place->device != nullptr) {
    if (options.create == Create::must_be_new) co_return ErrorCode::exists;
    co_return open_raw(place->device, options);
  }
  Result<InodeHandle> handle = co_await place->mount->open(worker, place->path, options.create);
  if (!handle) co_return handle.error();
  co_return std::make_unique<SimFile>(std::move(*handle), options, descriptors_);
}

Task<Result<std::unique_ptr<MappedFile>>> ProcessFiles::map(Worker& worker, std::string path,
                                                            std::int64_t size) {
  if (size <= 0) co_return ErrorCode::invalid_argument;
  if (descriptors_.full()) co_return ErrorCode::too_many_open_files;
  Result<MountTable::Place> place = file_at(path);
  if (!place) co_return place.error();
  Mount& mount = *place->mount;
  Result<InodeHandle> handle = co_await mount.open(worker, place->path, Create::if_missing);
  if (!handle) co_return handle.error();
  if (handle->inode().size > size) co_return ErrorCode::invalid_argument;
  if (handle->inode().size < size) {
    Result<void> extended = co_await mount.truncate(handle->inode(), worker, size);
    if (!extended) co_return extended.error();
  }
  co_return std::make_unique<SimMappedFile>(std::move(*handle), size, descriptors_);
}

Task<Result<void>> ProcessFiles::rename(Worker& worker, std::string from, std::string to) {
  Result<MountTable::Place> old_place = file_at(from);
  if (!old_place) co_return old_place.error();
  Result<MountTable::Place> new_place = file_at(to);
  if (!new_place) co_return new_place.error();
  if (old_place->mount != new_place->mount) co_return ErrorCode::invalid_argument;  // EXDEV.
  Result<void> renamed =
      co_await old_place->mount->rename(worker, old_place->path, new_place->path);
  co_return renamed;
}

Task<Result<void>> ProcessFiles::remove(Worker& worker, std::string path) {
  Result<MountTable::Place> place = file_at(path);
  if (!place) co_return place.error();
  Result<void> removed = co_await place->mount->remove(worker, place->path);
  co_return removed;
}

Task<Result<void>> ProcessFiles::create_directories(Worker& worker, std::string path) {
  Result<MountTable::Place> place = file_at(path);
  if (!place) co_return place.error();
  Result<void> made = co_await place->mount->create_directories(worker, place->path);
  co_return made;
}

Task<Result<std::vector<FileInfo>>> ProcessFiles::list(Worker& worker, std::string path) {
  Result<MountTable::Place> place = file_at(path);
  if (!place) co_return place.error();
  Result<std::vector<FileInfo>> found = co_await place->mount->list(worker, place->path);
  co_return found;
}

Task<Result<FileInfo>> ProcessFiles::info(Worker& worker, std::string path) {
  Result<MountTable::Place> place = file_at(path);
  if (!place) co_return place.error();
  Result<FileInfo> told = co_await place->mount->info(worker, place->path);
  co_return told;
}

Task<Result<void>> ProcessFiles::sync_directory(Worker& worker, std::string path) {
  Result<MountTable::Place> place = file_at(path);
  if (!place) co_return place.error();
  Mount& mount = *place->mount;
  Result<InodeHandle> directory = co_await mount.open_directory(worker, place->path);
  if (!directory) co_return directory.error();
  Result<void> synced = co_await mount.sync(*directory, worker, PageRange(), Mount::SyncKind::all);
  co_return synced;
}

Task<Result<std::unique_ptr<FileLock>>> ProcessFiles::lock(Worker& worker, std::string path) {
  if (descriptors_.full()) co_return ErrorCode::too_many_open_files;
  Result<MountTable::Place> place = file_at(path);
  if (!place) co_return place.error();
  Result<InodeHandle> handle = co_await place->mount->open(worker, place->path, Create::if_missing);
  if (!handle) co_return handle.error();
  Inode& inode = handle->inode();
  if (inode.locked) co_return ErrorCode::busy;
  inode.locked = true;
  inode.lock_holder = process_.value();
  co_return std::make_unique<SimFileLock>(std::move(*handle), descriptors_);
}

Task<Result<SpaceInfo>> ProcessFiles::space(Worker& worker, std::string path) {
  Result<MountTable::Place> place = file_at(path);
  if (!place) co_return place.error();
  Result<SpaceInfo> told = co_await place->mount->space(worker, place->path);
  co_return told;
}

Result<MountTable::Place> ProcessFiles::file_at(const std::string& path) const {
  Result<MountTable::Place> place = table_->find(path);
  if (place && place->device != nullptr) return ErrorCode::invalid_argument;
  return place;
}

}  // namespace drydock::sim
