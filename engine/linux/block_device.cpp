#include "engine/linux/block_device.hpp"

#include <errno.h>
#include <fcntl.h>
#include <linux/fs.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <sys/uio.h>
#include <unistd.h>

#include <fstream>

#include "engine/linux/errors.hpp"
#include "engine/linux/file.hpp"
#include "engine/linux/io_operation.hpp"

namespace drydock::on_linux {
namespace {

struct OpenedDevice {
  int error_number = 0;
  OwnedDescriptor descriptor;
  DeviceInfo info;
};

// One line of /sys about the queue of a device; "" if there is no such line. A partition has no
// queue of its own, its disk has.
std::string queue_attribute(dev_t device, const char* name) {
  const std::string base =
      "/sys/dev/block/" + std::to_string(major(device)) + ":" + std::to_string(minor(device));
  for (const char* const queue : {"/queue/", "/../queue/"}) {
    std::ifstream file(base + queue + name);
    std::string line;
    if (std::getline(file, line)) return line;
  }
  return {};
}

DeviceInfo describe_file(int descriptor, const struct stat& status) {
  const std::int64_t block_bytes = direct_alignment_of(descriptor);
  return {.bytes = status.st_size,
          .block_bytes = block_bytes,
          .atomic_write_bytes = block_bytes,
          .volatile_cache = true};
}

DeviceInfo describe_device(int descriptor, const struct stat& status) {
  std::uint64_t bytes = 0;
  int block_bytes = 0;
  if (::ioctl(descriptor, BLKGETSIZE64, &bytes) != 0) bytes = 0;
  if (::ioctl(descriptor, BLKSSZGET, &block_bytes) != 0) block_bytes = 4096;
  // Since 6.11; 0 or absent if the device promises nothing beyond its block.
  const std::string atomic = queue_attribute(status.st_rdev, "atomic_write_unit_max_bytes");
  const std::int64_t atomic_bytes = atomic.empty() ? 0 : std::atoll(atomic.c_str());
  return {.bytes = static_cast<std::int64_t>(bytes),
          .block_bytes = block_bytes,
          .atomic_write_bytes = std::max<std::int64_t>(atomic_bytes, block_bytes),
          .volatile_cache = queue_attribute(status.st_rdev, "write_cache") != "write through"};
}

OpenedDevice open_direct(const std::string& path) {
  OpenedDevice result;
  result.descriptor = OwnedDescriptor(::open(path.c_str(), O_RDWR | O_DIRECT | O_CLOEXEC));
  struct stat status{};
  if (!result.descriptor || ::fstat(result.descriptor.get(), &status) != 0) {
    result.error_number = errno;
  } else if (S_ISBLK(status.st_mode)) {
    result.info = describe_device(result.descriptor.get(), status);
  } else if (S_ISREG(status.st_mode)) {
    result.info = describe_file(result.descriptor.get(), status);
  } else {
    result.error_number = EINVAL;
  }
  return result;
}

}  // namespace

Task<Result<std::unique_ptr<BlockDevice>>> open_block_device(Operations& operations, Worker& worker,
                                                             std::string path) {
  const std::function<OpenedDevice()> work = [path] { return open_direct(path); };
  auto call = std::make_shared<Call<OpenedDevice>>(work);
  co_await operations.wait(worker, call, WaitPlace::device);
  OpenedDevice opened = call->take();
  if (opened.error_number != 0) co_return file_error(opened.error_number);
  SharedDescriptor descriptor = share(operations, std::move(opened.descriptor));
  co_return std::make_unique<LinuxBlockDevice>(operations, std::move(descriptor), opened.info);
}

Task<Result<SharedBytes>> LinuxBlockDevice::read(Worker& worker, std::int64_t offset,
                                                 std::int64_t length) {
  if (!acceptable(offset, length)) co_return ErrorCode::invalid_argument;
  const auto bytes = static_cast<std::size_t>(length);
  auto read = IoOperation::read(descriptor_, offset, bytes, true);
  co_await operations_.wait(worker, read, WaitPlace::device);
  if (read->error_number() != 0) co_return file_error(read->error_number());
  SharedBytes got = read->take_bytes();
  if (got.size() != bytes) co_return file_error(EIO);  // The device has shrunk.
  co_return got;
}

Task<Result<void>> LinuxBlockDevice::write(Worker& worker, std::int64_t offset, SharedBytes bytes,
                                           WriteDurability durability) {
  if (!acceptable(offset, static_cast<std::int64_t>(bytes.size()))) {
    co_return ErrorCode::invalid_argument;
  }
  const int flags = durability == WriteDurability::force_unit_access ? RWF_DSYNC : 0;
  auto write = IoOperation::write(descriptor_, offset, std::move(bytes), true, flags);
  co_await operations_.wait(worker, write, WaitPlace::device);
  if (write->error_number() != 0) co_return file_error(write->error_number());
  co_return Result<void>();
}

Task<Result<void>> LinuxBlockDevice::flush(Worker& worker) {
  auto sync = IoOperation::sync(descriptor_, IoOperation::Kind::sync_data);
  co_await operations_.wait(worker, sync, WaitPlace::device);
  if (sync->error_number() != 0) co_return file_error(sync->error_number());
  co_return Result<void>();
}

bool LinuxBlockDevice::acceptable(std::int64_t offset, std::int64_t length) const {
  if (offset < 0 || length <= 0) return false;
  if (offset % info_.block_bytes != 0 || length % info_.block_bytes != 0) return false;
  return offset <= info_.bytes && length <= info_.bytes - offset;
}

}  // namespace drydock::on_linux
