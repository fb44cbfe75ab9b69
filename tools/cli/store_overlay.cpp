#include "tools/cli/store_overlay.hpp"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <filesystem>

#include "engine/linux/descriptor.hpp"
#include "tools/cli/store_files.hpp"

namespace drydock::cli {
namespace {

using on_linux::OwnedDescriptor;

ErrorCode code_of(int error) {
  switch (error) {
    case ENOENT: return ErrorCode::not_found;
    case EACCES: return ErrorCode::permission_denied;
    default: return ErrorCode::io_error;
  }
}

// Pages of a file, or of nothing; those that are written become this process's own.
class PrivateMap : public MappedFile {
 public:
  PrivateMap(std::byte* address, std::int64_t size) : address_(address), size_(size) {}
  ~PrivateMap() override { ::munmap(address_, static_cast<std::size_t>(size_)); }
  PrivateMap(const PrivateMap&) = delete;
  PrivateMap& operator=(const PrivateMap&) = delete;

  std::int64_t size() const override { return size_; }
  bool try_store(Worker&, std::int64_t offset, std::span<const std::byte> bytes) override {
    ENSURE(offset + static_cast<std::int64_t>(bytes.size()) <= size_);
    std::ranges::copy(bytes, address_ + offset);
    return true;
  }
  Task<Result<void>> store(Worker& worker, std::int64_t offset, SharedBytes bytes) override {
    try_store(worker, offset, bytes.span());
    co_return Result<void>();
  }
  ByteChain try_load(std::int64_t offset, std::int64_t length) override {
    ENSURE(offset + length <= size_);
    const std::span<const std::byte> part(address_ + offset, static_cast<std::size_t>(length));
    return ByteChain(SharedBytes::copy_of(part));
  }
  Task<Result<ByteChain>> load(Worker&, std::int64_t offset, std::int64_t length) override {
    co_return try_load(offset, length);
  }
  bool resident(std::int64_t, std::int64_t) const override { return false; }  // Not looked up.
  Task<Result<void>> sync(Worker&, std::int64_t, std::int64_t) override {
    co_return Result<void>();
  }
  Task<Result<void>> lock_memory(Worker&) override { co_return Result<void>(); }
  void unlock_memory() override {}
  Result<void> advise(Advice) override { return {}; }

 private:
  std::byte* address_;
  std::int64_t size_;
};

class ReadOnlyFile : public File {
 public:
  explicit ReadOnlyFile(OwnedDescriptor file) : file_(std::move(file)) {}

  Task<Result<ByteChain>> read_at(Worker&, std::int64_t offset, std::int64_t length) override {
    SharedBytes bytes = SharedBytes::allocate(static_cast<std::size_t>(length));
    const ssize_t got = ::pread(file_.get(), bytes.writable().data(), bytes.size(), offset);
    if (got < 0) co_return code_of(errno);
    co_return ByteChain(bytes.slice(0, static_cast<std::size_t>(got)));
  }
  Task<Result<void>> write_at(Worker&, std::int64_t, SharedBytes) override {
    co_return ErrorCode::read_only;
  }
  Task<Result<void>> sync_data(Worker&) override { co_return Result<void>(); }
  Task<Result<void>> sync_all(Worker&) override { co_return Result<void>(); }
  Task<Result<void>> sync_range(Worker&, std::int64_t, std::int64_t) override {
    co_return Result<void>();
  }
  Task<Result<void>> allocate(Worker&, std::int64_t, std::int64_t) override {
    co_return ErrorCode::read_only;
  }
  Task<Result<void>> truncate(Worker&, std::int64_t) override { co_return ErrorCode::read_only; }
  Result<std::int64_t> size() const override {
    struct stat status = {};
    if (::fstat(file_.get(), &status) != 0) return code_of(errno);
    return static_cast<std::int64_t>(status.st_size);
  }
  std::int64_t direct_alignment() const override { return 4096; }

 private:
  OwnedDescriptor file_;
};

// `size` bytes of memory that begin with what `file` holds, if there is one.
Result<std::byte*> map_copy(const OwnedDescriptor& file, std::int64_t file_bytes,
                            std::int64_t size) {
  const auto length = static_cast<std::size_t>(size);
  const bool whole = file && file_bytes == size;
  const int flags = MAP_PRIVATE | MAP_NORESERVE | (whole ? 0 : MAP_ANONYMOUS);
  void* const address =
      ::mmap(nullptr, length, PROT_READ | PROT_WRITE, flags, whole ? file.get() : -1, 0);
  if (address == MAP_FAILED) return code_of(errno);
  if (file && !whole && ::pread(file.get(), address, static_cast<std::size_t>(file_bytes), 0) < 0) {
    ::munmap(address, length);
    return code_of(errno);
  }
  return static_cast<std::byte*>(address);
}

}  // namespace

Task<Result<std::unique_ptr<File>>> StoreOverlay::open(Worker&, std::string path,
                                                       OpenOptions options) {
  if (removed_.contains(path)) co_return ErrorCode::not_found;
  if (options.create != Create::never) co_return ErrorCode::read_only;
  OwnedDescriptor file(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK));
  if (!file) co_return code_of(errno);
  std::unique_ptr<File> opened = std::make_unique<ReadOnlyFile>(std::move(file));
  co_return opened;
}

Task<Result<std::unique_ptr<MappedFile>>> StoreOverlay::map(Worker&, std::string path,
                                                            std::int64_t size) {
  OwnedDescriptor file;
  std::int64_t file_bytes = 0;
  if (removed_.erase(path) == 0) {
    file = OwnedDescriptor(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK));
    if (!file && errno != ENOENT) co_return code_of(errno);
    struct stat status = {};
    if (file && ::fstat(file.get(), &status) != 0) co_return code_of(errno);
    file_bytes = static_cast<std::int64_t>(status.st_size);
  }
  if (file_bytes > size) co_return ErrorCode::invalid_argument;
  exit_on_bus_error();
  Result<std::byte*> address = map_copy(file, file_bytes, size);
  if (!address) co_return address.error();
  std::unique_ptr<MappedFile> map = std::make_unique<PrivateMap>(*address, size);
  co_return map;
}

Task<Result<void>> StoreOverlay::rename(Worker&, std::string, std::string) {
  co_return ErrorCode::read_only;
}

Task<Result<void>> StoreOverlay::remove(Worker&, std::string path) {
  removed_.insert(std::move(path));
  co_return Result<void>();
}

Task<Result<void>> StoreOverlay::create_directories(Worker&, std::string) {
  co_return Result<void>();
}

Task<Result<std::vector<FileInfo>>> StoreOverlay::list(Worker&, std::string path) {
  std::vector<FileInfo> entries;
  std::error_code error;
  for (std::filesystem::directory_iterator entry(path, error), end; !error && entry != end;
       entry.increment(error)) {
    if (removed_.contains(entry->path().string())) continue;
    std::error_code unknown;
    const bool is_directory = entry->is_directory(unknown);
    const auto bytes = is_directory ? 0 : static_cast<std::int64_t>(entry->file_size(unknown));
    entries.push_back({entry->path().filename().string(), is_directory, bytes});
  }
  if (error == std::errc::no_such_file_or_directory) co_return ErrorCode::not_found;
  if (error) co_return ErrorCode::io_error;
  std::ranges::sort(entries, {}, &FileInfo::name);
  co_return entries;
}

Task<Result<void>> StoreOverlay::sync_directory(Worker&, std::string) { co_return Result<void>(); }

Task<Result<std::unique_ptr<FileLock>>> StoreOverlay::lock(Worker&, std::string) {
  co_return ErrorCode::read_only;
}

// Recovery asks for no time.
Task<Result<FileInfo>> StoreOverlay::info(Worker&, std::string) {
  co_return ErrorCode::not_supported;
}

Task<Result<SpaceInfo>> StoreOverlay::space(Worker&, std::string) {
  co_return ErrorCode::not_supported;
}

}  // namespace drydock::cli
