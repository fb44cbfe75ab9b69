#include "engine/linux/file.hpp"

#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "engine/linux/errors.hpp"

namespace drydock::on_linux {

Task<Result<ByteChain>> LinuxFile::read_at(Worker& worker, std::int64_t offset,
                                           std::int64_t length) {
  if (!acceptable(offset, length)) co_return ErrorCode::invalid_argument;
  const std::size_t wanted = readable_length(offset, length);
  if (wanted == 0) co_return ByteChain();
  auto read = IoOperation::read(descriptor_, offset, wanted, direct_);
  const bool cached = !direct_ && read->finish_from_cache();
  if (!cached) {
    const WaitPlace place = direct_ ? WaitPlace::device : WaitPlace::page_read;
    co_await operations_.wait(worker, read, place);
  }
  if (read->error_number() != 0) co_return file_error(read->error_number());
  co_return ByteChain(read->take_bytes());
}

Task<Result<void>> LinuxFile::write_at(Worker& worker, std::int64_t offset, SharedBytes bytes) {
  const auto length = static_cast<std::int64_t>(bytes.size());
  if (!acceptable(offset, length)) co_return ErrorCode::invalid_argument;
  if (length == 0) co_return Result<void>();
  auto write = IoOperation::write(descriptor_, offset, std::move(bytes), direct_);
  const WaitPlace place = direct_ ? WaitPlace::device : WaitPlace::dirty_throttle;
  co_await operations_.wait(worker, write, place);
  if (write->error_number() != 0) co_return file_error(write->error_number());
  co_return Result<void>();
}

Task<Result<void>> LinuxFile::sync_data(Worker& worker) {
  return run(worker, IoOperation::sync(descriptor_, IoOperation::Kind::sync_data),
             WaitPlace::writeback);
}

Task<Result<void>> LinuxFile::sync_all(Worker& worker) {
  return run(worker, IoOperation::sync(descriptor_, IoOperation::Kind::sync_all),
             WaitPlace::writeback);
}

Task<Result<void>> LinuxFile::sync_range(Worker& worker, std::int64_t offset, std::int64_t length) {
  if (length == 0) co_return Result<void>();  // The system call takes 0 for "to the end".
  auto sync = IoOperation::range(descriptor_, IoOperation::Kind::sync_range, offset, length);
  Result<void> done = co_await run(worker, sync, WaitPlace::writeback);
  co_return done;
}

Task<Result<void>> LinuxFile::allocate(Worker& worker, std::int64_t offset, std::int64_t length) {
  return run(worker, IoOperation::range(descriptor_, IoOperation::Kind::allocate, offset, length),
             WaitPlace::journal);
}

// Null: an offset or a length that no file can have.
Task<Result<void>> LinuxFile::run(Worker& worker, std::shared_ptr<IoOperation> operation,
                                  WaitPlace place) {
  if (operation == nullptr) co_return ErrorCode::invalid_argument;
  co_await operations_.wait(worker, operation, place);
  if (operation->error_number() != 0) co_return file_error(operation->error_number());
  co_return Result<void>();
}

Task<Result<void>> LinuxFile::truncate(Worker& worker, std::int64_t size) {
  const std::function<int()> work = [file = descriptor_, size] {
    return ::ftruncate(file->get(), size) == 0 ? 0 : errno;
  };
  auto call = std::make_shared<Call<int>>(work);
  co_await operations_.wait(worker, call, WaitPlace::journal);
  const int number = call->take();
  if (number != 0) co_return file_error(number);
  co_return Result<void>();
}

Result<std::int64_t> LinuxFile::size() const {
  // Not fstat: the seek also tells the size of a block device. Nobody uses the position.
  const off_t end = ::lseek(descriptor_->get(), 0, SEEK_END);
  if (end < 0) return file_error(errno);
  return end;
}

bool LinuxFile::acceptable(std::int64_t offset, std::int64_t length) const {
  if (offset < 0 || length < 0) return false;
  return !direct_ || (offset % alignment_ == 0 && length % alignment_ == 0);
}

// No more memory than the file can fill. A file that calls itself empty may be one of /proc's.
std::size_t LinuxFile::readable_length(std::int64_t offset, std::int64_t length) const {
  const Result<std::int64_t> end = size();
  if (!end || *end == 0) return static_cast<std::size_t>(length);
  const std::int64_t available = std::max<std::int64_t>(*end - offset, 0);
  if (length <= available) return static_cast<std::size_t>(length);
  // A direct read may go beyond the end, but not end off the alignment.
  const std::int64_t unit = direct_ ? alignment_ : 1;
  return static_cast<std::size_t>((available + unit - 1) / unit * unit);
}

std::int64_t direct_alignment_of(int descriptor) {
  constexpr std::int64_t kUnknown = 4096;
  struct statx status{};
  if (::statx(descriptor, "", AT_EMPTY_PATH, STATX_DIOALIGN, &status) != 0) return kUnknown;
  if ((status.stx_mask & STATX_DIOALIGN) == 0) return kUnknown;
  return status.stx_dio_offset_align == 512 ? 512 : kUnknown;
}

}  // namespace drydock::on_linux
