#include "engine/linux/mapped_file.hpp"

#include <errno.h>
#include <linux/magic.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/statfs.h>
#include <sys/statvfs.h>
#include <sys/uio.h>
#include <unistd.h>

#include <algorithm>
#include <vector>

#include "engine/linux/errors.hpp"
#include "engine/linux/guarded_copy.hpp"

namespace drydock::on_linux {
namespace {

class UnmapOperation : public Operation {
 public:
  explicit UnmapOperation(Region region) : region_(std::move(region)) {}
  void run() noexcept override { region_.unmap(); }

 private:
  Region region_;
};

// The signal tells that an access failed, not why: what the file and its file system say now.
int reason_of_failed_store(int descriptor, std::size_t end) {
  struct stat status{};
  const bool known = ::fstat(descriptor, &status) == 0;
  if (!known || status.st_size < static_cast<off_t>(end)) return EIO;
  struct statvfs space{};
  if (::fstatvfs(descriptor, &space) != 0) return EIO;
  if ((space.f_flag & ST_RDONLY) != 0) return EROFS;
  return space.f_bavail == 0 ? ENOSPC : EIO;
}

// A load needs no right to write, and space only on tmpfs, which gives a hole a page of its own
// when it is read through a mapping (shmem_fault, SGP_CACHE). Elsewhere a disk that happens to be
// full is not why it failed.
int reason_of_failed_load(int descriptor, std::size_t end) {
  struct statfs where{};
  if (::fstatfs(descriptor, &where) != 0 || where.f_type != TMPFS_MAGIC) return EIO;
  const int reason = reason_of_failed_store(descriptor, end);
  return reason == ENOSPC ? ENOSPC : EIO;
}

// One copy between a mapping and bytes of ours.
class CopyOperation : public Operation {
 public:
  static std::shared_ptr<CopyOperation> store(std::shared_ptr<Mapping> mapping, std::byte* to,
                                              SharedBytes bytes) {
    const std::byte* const from = bytes.data();
    return std::make_shared<CopyOperation>(std::move(mapping), Direction::store, to, from,
                                           std::move(bytes));
  }
  static std::shared_ptr<CopyOperation> load(std::shared_ptr<Mapping> mapping,
                                             const std::byte* from, std::size_t size) {
    SharedBytes bytes = SharedBytes::allocate(size);
    std::byte* const to = bytes.writable().data();
    return std::make_shared<CopyOperation>(std::move(mapping), Direction::load, to, from,
                                           std::move(bytes));
  }

  enum class Direction : std::uint8_t { store, load };
  CopyOperation(std::shared_ptr<Mapping> mapping, Direction direction, std::byte* to,
                const std::byte* from, SharedBytes bytes)
      : mapping_(std::move(mapping)),
        direction_(direction),
        bytes_(std::move(bytes)),
        to_(to),
        from_(from),
        size_(bytes_.size()),
        descriptor_(mapping_->descriptor->get()),
        mapped_bytes_(mapping_->region.size()) {}

  void run() noexcept override {
    if (guarded_copy(to_, from_, size_)) return;
    error_number_ = direction_ == Direction::store
                        ? reason_of_failed_store(descriptor_, mapped_bytes_)
                        : reason_of_failed_load(descriptor_, mapped_bytes_);
  }

  // A load is asked for when the bytes are known not to be there.
  bool usually_brief() const override { return direction_ == Direction::store; }

  int error_number() const { return error_number_; }
  SharedBytes take_bytes() { return std::move(bytes_); }

 private:
  std::shared_ptr<Mapping> mapping_;
  Direction direction_;
  SharedBytes bytes_;
  std::byte* to_;
  const std::byte* from_;
  std::size_t size_;
  int descriptor_;
  std::size_t mapped_bytes_;
  int error_number_ = 0;
};

int madvise_value(Advice advice) {
  switch (advice) {
    case Advice::normal: return MADV_NORMAL;
    case Advice::random: return MADV_RANDOM;
    case Advice::sequential: return MADV_SEQUENTIAL;
    case Advice::will_need: return MADV_WILLNEED;
  }
  return MADV_NORMAL;
}

}  // namespace

void Region::unmap() noexcept {
  if (address_ != nullptr) ::munmap(std::exchange(address_, nullptr), size_);
}

Mapping::~Mapping() {
  operations.submit_unowned(std::make_shared<UnmapOperation>(std::move(region)));
}

std::byte* LinuxMappedFile::range(std::int64_t offset, std::int64_t length) const {
  ENSURE(offset >= 0);
  ENSURE(length >= 0);
  ENSURE(offset <= size());
  ENSURE(length <= size() - offset);
  return mapping_->region.address() + offset;
}

Task<Result<void>> LinuxMappedFile::store(Worker& worker, std::int64_t offset, SharedBytes bytes) {
  std::byte* const to = range(offset, static_cast<std::int64_t>(bytes.size()));
  if (bytes.empty()) co_return Result<void>();
  Operations& operations = mapping_->operations;
  auto copy = CopyOperation::store(mapping_, to, std::move(bytes));
  co_await operations.wait(worker, copy, WaitPlace::page_lock);
  if (copy->error_number() != 0) co_return file_error(copy->error_number());
  co_return Result<void>();
}

ByteChain LinuxMappedFile::try_load(std::int64_t offset, std::int64_t length) {
  range(offset, length);
  ENSURE(length > 0);
  SharedBytes bytes = SharedBytes::allocate(static_cast<std::size_t>(length));
  const iovec piece{bytes.writable().data(), bytes.size()};
  const int descriptor = mapping_->descriptor->get();
  if (::preadv2(descriptor, &piece, 1, offset, RWF_NOWAIT) != length) return {};
  return ByteChain(std::move(bytes));
}

Task<Result<ByteChain>> LinuxMappedFile::load(Worker& worker, std::int64_t offset,
                                              std::int64_t length) {
  const std::byte* const from = range(offset, length);
  if (length == 0) co_return ByteChain();
  ByteChain cached = try_load(offset, length);
  if (!cached.empty()) co_return cached;
  Operations& operations = mapping_->operations;
  auto copy = CopyOperation::load(mapping_, from, static_cast<std::size_t>(length));
  co_await operations.wait(worker, copy, WaitPlace::page_read);
  if (copy->error_number() != 0) co_return file_error(copy->error_number());
  co_return ByteChain(copy->take_bytes());
}

bool LinuxMappedFile::resident(std::int64_t offset, std::int64_t length) const {
  const std::byte* const from = range(offset, length);
  const auto page_bytes = static_cast<std::size_t>(::sysconf(_SC_PAGESIZE));
  const std::size_t inside = static_cast<std::size_t>(offset) % page_bytes;
  const std::size_t bytes = inside + static_cast<std::size_t>(length);
  std::vector<unsigned char> pages((bytes + page_bytes - 1) / page_bytes);
  auto* const first = const_cast<std::byte*>(from - inside);
  if (::mincore(first, bytes, pages.data()) != 0) return false;
  return std::ranges::all_of(pages, [](unsigned char page) { return (page & 1) != 0; });
}

Task<Result<void>> LinuxMappedFile::sync(Worker& worker, std::int64_t offset, std::int64_t length) {
  range(offset, length);
  const std::int64_t page_bytes = ::sysconf(_SC_PAGESIZE);
  const std::int64_t start = offset / page_bytes * page_bytes;
  const auto bytes = static_cast<std::size_t>(offset + length - start);
  const std::function<int()> work = [mapping = mapping_, start, bytes] {
    return ::msync(mapping->region.address() + start, bytes, MS_SYNC) == 0 ? 0 : errno;
  };
  return run(worker, work, WaitPlace::writeback);
}

Task<Result<void>> LinuxMappedFile::lock_memory(Worker& worker) {
  const std::function<int()> work = [mapping = mapping_] {
    if (::mlock(mapping->region.address(), mapping->region.size()) == 0) return 0;
    // The limit shows as EPERM if it is 0, as EAGAIN or ENOMEM otherwise.
    return errno == EPERM || errno == EAGAIN ? ENOMEM : errno;
  };
  return run(worker, work, WaitPlace::page_read);
}

void LinuxMappedFile::unlock_memory() {
  const std::function<int()> work = [mapping = mapping_] {
    return ::munlock(mapping->region.address(), mapping->region.size());
  };
  mapping_->operations.submit_unowned(std::make_shared<Call<int>>(work));
}

Task<Result<void>> LinuxMappedFile::run(Worker& worker, std::function<int()> work,
                                        WaitPlace place) {
  Operations& operations = mapping_->operations;
  auto call = std::make_shared<Call<int>>(std::move(work));
  co_await operations.wait(worker, call, place);
  const int number = call->take();
  if (number != 0) co_return file_error(number);
  co_return Result<void>();
}

Result<void> LinuxMappedFile::advise(Advice advice) {
  const std::function<int()> work = [mapping = mapping_, value = madvise_value(advice)] {
    return ::madvise(mapping->region.address(), mapping->region.size(), value);
  };
  mapping_->operations.submit_unowned(std::make_shared<Call<int>>(work));
  return {};
}

}  // namespace drydock::on_linux
