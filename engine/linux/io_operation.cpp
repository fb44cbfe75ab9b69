#include "engine/linux/io_operation.hpp"

#include <errno.h>
#include <fcntl.h>
#include <liburing.h>
#include <sys/uio.h>
#include <unistd.h>

#include <cstring>

namespace drydock::on_linux {
namespace {

constexpr std::size_t kAlignment = 4096;
constexpr std::size_t kSmallestBlock = 512;
// Writeback of the whole range: what is running already, what is dirty, and its end.
constexpr unsigned kSyncRangeFlags =
    SYNC_FILE_RANGE_WAIT_BEFORE | SYNC_FILE_RANGE_WRITE | SYNC_FILE_RANGE_WAIT_AFTER;

}  // namespace

AlignedMemory::AlignedMemory(std::size_t size) {
  const std::size_t rounded = (size + kAlignment - 1) / kAlignment * kAlignment;
  memory_.reset(static_cast<std::byte*>(std::aligned_alloc(kAlignment, rounded)));
  ENSURE(memory_ != nullptr);
}

std::shared_ptr<IoOperation> IoOperation::read(SharedDescriptor file, std::int64_t offset,
                                               std::size_t length, bool direct) {
  auto operation = std::make_shared<IoOperation>(std::move(file), Kind::read, offset, length);
  if (direct) {
    operation->aligned_ = AlignedMemory(length);
    operation->memory_ = operation->aligned_.data();
  } else {
    operation->bytes_ = SharedBytes::allocate(length);
    operation->memory_ = operation->bytes_.writable().data();
  }
  return operation;
}

std::shared_ptr<IoOperation> IoOperation::write(SharedDescriptor file, std::int64_t offset,
                                                SharedBytes bytes, bool direct, int flags) {
  auto operation =
      std::make_shared<IoOperation>(std::move(file), Kind::write, offset, bytes.size());
  operation->flags_ = flags;
  if (direct) {
    operation->aligned_ = AlignedMemory(bytes.size());
    operation->memory_ = operation->aligned_.data();
    std::memcpy(operation->memory_, bytes.data(), bytes.size());
  } else {
    operation->memory_ = const_cast<std::byte*>(bytes.data());  // Read only, by write.
    operation->bytes_ = std::move(bytes);
  }
  return operation;
}

std::shared_ptr<IoOperation> IoOperation::sync(SharedDescriptor file, Kind kind) {
  return std::make_shared<IoOperation>(std::move(file), kind, 0, 0);
}

std::shared_ptr<IoOperation> IoOperation::range(SharedDescriptor file, Kind kind,
                                                std::int64_t offset, std::int64_t length) {
  if (offset < 0 || length <= 0) return nullptr;
  return std::make_shared<IoOperation>(std::move(file), kind, offset,
                                       static_cast<std::size_t>(length));
}

void IoOperation::run() noexcept {
  while (!advance(perform())) {
  }
}

std::int64_t IoOperation::perform() const {
  const int descriptor = file_->get();
  std::int64_t answer = 0;
  switch (kind_) {
    case Kind::read:
      answer = ::pread(descriptor, step_memory(), step_length(), step_offset());
      break;
    case Kind::write: {
      const iovec piece{step_memory(), step_length()};
      answer = ::pwritev2(descriptor, &piece, 1, step_offset(), flags_);
      break;
    }
    case Kind::sync_data: answer = ::fdatasync(descriptor); break;
    case Kind::sync_all: answer = ::fsync(descriptor); break;
    case Kind::sync_range:
      answer = ::sync_file_range(descriptor, step_offset(), static_cast<off_t>(step_length()),
                                 kSyncRangeFlags);
      break;
    case Kind::allocate:
      answer = ::fallocate(descriptor, 0, offset_, static_cast<off_t>(length_));
      break;
  }
  return answer < 0 ? -errno : answer;
}

void IoOperation::prepare(io_uring_sqe& entry) const {
  const int descriptor = file_->get();
  const auto length = static_cast<unsigned>(step_length());
  const auto offset = static_cast<std::uint64_t>(step_offset());
  switch (kind_) {
    case Kind::read: io_uring_prep_read(&entry, descriptor, step_memory(), length, offset); break;
    case Kind::write:
      io_uring_prep_write(&entry, descriptor, step_memory(), length, offset);
      entry.rw_flags = flags_;
      break;
    case Kind::sync_data: io_uring_prep_fsync(&entry, descriptor, IORING_FSYNC_DATASYNC); break;
    case Kind::sync_all: io_uring_prep_fsync(&entry, descriptor, 0); break;
    case Kind::sync_range:
      io_uring_prep_sync_file_range(&entry, descriptor, length, offset, kSyncRangeFlags);
      break;
    case Kind::allocate:
      io_uring_prep_fallocate(&entry, descriptor, 0, offset_, static_cast<off_t>(length_));
      break;
  }
}

bool IoOperation::advance(std::int64_t answer) {
  if (answer == -EINTR || answer == -EAGAIN) return false;
  if (answer < 0) {
    error_number_ = static_cast<int>(-answer);
    return true;
  }
  switch (kind_) {
    case Kind::read:
      done_ += static_cast<std::size_t>(answer);
      // A direct read can only stop off the alignment at the end of the file, and not go on there.
      return answer == 0 || done_ == length_ || (direct() && done_ % kSmallestBlock != 0);
    case Kind::write:
      done_ += static_cast<std::size_t>(answer);
      if (answer == 0) error_number_ = EIO;
      return answer == 0 || done_ == length_;
    case Kind::sync_range: done_ += step_length(); return done_ == length_;
    default: return true;
  }
}

bool IoOperation::finish_from_cache() {
  const iovec piece{step_memory(), step_length()};
  const ssize_t got = ::preadv2(file_->get(), &piece, 1, step_offset(), RWF_NOWAIT);
  return got >= 0 && advance(got);  // What is wrong, if anything is, the real read will tell.
}

SharedBytes IoOperation::take_bytes() {
  if (direct()) return SharedBytes::copy_of({aligned_.data(), done_});
  return bytes_.slice(0, done_);
}

}  // namespace drydock::on_linux
