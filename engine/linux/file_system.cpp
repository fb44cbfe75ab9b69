#include "engine/linux/file_system.hpp"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <unistd.h>

#include "engine/linux/errors.hpp"
#include "engine/linux/file.hpp"
#include "engine/linux/mapped_file.hpp"
#include "engine/linux/path_calls.hpp"

namespace drydock::on_linux {
namespace {

// Released with its descriptor, which nobody else holds; never blocks.
class LinuxFileLock : public FileLock {
 public:
  explicit LinuxFileLock(OwnedDescriptor descriptor) : descriptor_(std::move(descriptor)) {}

 private:
  OwnedDescriptor descriptor_;
};

}  // namespace

std::string LinuxFileSystem::in_root(const std::string& path) const {
  ENSURE(path.starts_with('/'));
  return root_ + path;
}

Task<Result<std::unique_ptr<File>>> LinuxFileSystem::open(Worker& worker, std::string path,
                                                          OpenOptions options) {
  const std::function<Opened()> work = [full = in_root(path), options] {
    return open_file(full, options);
  };
  auto call = std::make_shared<Call<Opened>>(work);
  co_await operations_.wait(worker, call, WaitPlace::journal);
  Opened opened = call->take();
  if (opened.error_number != 0) co_return file_error(opened.error_number);
  SharedDescriptor descriptor = share(operations_, std::move(opened.descriptor));
  co_return std::make_unique<LinuxFile>(operations_, std::move(descriptor), options.caching,
                                        opened.direct_alignment);
}

Task<Result<std::unique_ptr<MappedFile>>> LinuxFileSystem::map(Worker& worker, std::string path,
                                                               std::int64_t size) {
  if (size <= 0) co_return ErrorCode::invalid_argument;
  const std::function<Opened()> work = [full = in_root(path), size] {
    return map_file(full, size);
  };
  auto call = std::make_shared<Call<Opened>>(work);
  co_await operations_.wait(worker, call, WaitPlace::journal);
  Opened opened = call->take();
  if (opened.error_number != 0) co_return file_error(opened.error_number);
  auto mapping = std::make_shared<Mapping>(
      operations_, share(operations_, std::move(opened.descriptor)), std::move(opened.region));
  co_return std::make_unique<LinuxMappedFile>(std::move(mapping));
}

Task<Result<void>> LinuxFileSystem::rename(Worker& worker, std::string from, std::string to) {
  return run(worker, [from = in_root(from), to = in_root(to)] {
    return errno_of(::rename(from.c_str(), to.c_str()));
  });
}

Task<Result<void>> LinuxFileSystem::remove(Worker& worker, std::string path) {
  return run(worker, [full = in_root(path)] { return remove_path(full); });
}

Task<Result<void>> LinuxFileSystem::create_directories(Worker& worker, std::string path) {
  return run(worker, [full = in_root(path)] { return make_directories(full); });
}

Task<Result<void>> LinuxFileSystem::sync_directory(Worker& worker, std::string path) {
  return run(worker, [full = in_root(path)] { return sync_directory_at(full); });
}

Task<Result<void>> LinuxFileSystem::run(Worker& worker, std::function<int()> work) {
  auto call = std::make_shared<Call<int>>(std::move(work));
  co_await operations_.wait(worker, call, WaitPlace::journal);
  const int number = call->take();
  if (number != 0) co_return file_error(number);
  co_return Result<void>();
}

Task<Result<std::vector<FileInfo>>> LinuxFileSystem::list(Worker& worker, std::string path) {
  const std::function<Listing()> work = [full = in_root(path)] { return list_directory(full); };
  auto call = std::make_shared<Call<Listing>>(work);
  co_await operations_.wait(worker, call, WaitPlace::page_read);
  Listing listing = call->take();
  if (listing.error_number != 0) co_return file_error(listing.error_number);
  co_return std::move(listing.entries);
}

Task<Result<FileInfo>> LinuxFileSystem::info(Worker& worker, std::string path) {
  const std::function<Described()> work = [full = in_root(path)] { return describe_path(full); };
  auto call = std::make_shared<Call<Described>>(work);
  co_await operations_.wait(worker, call, WaitPlace::page_read);
  Described described = call->take();
  if (described.error_number != 0) co_return file_error(described.error_number);
  co_return std::move(described.info);
}

Task<Result<std::unique_ptr<FileLock>>> LinuxFileSystem::lock(Worker& worker, std::string path) {
  const std::function<Opened()> work = [full = in_root(path)] { return open_locked(full); };
  auto call = std::make_shared<Call<Opened>>(work);
  co_await operations_.wait(worker, call, WaitPlace::journal);
  Opened opened = call->take();
  if (opened.error_number != 0) co_return file_error(opened.error_number);
  co_return std::make_unique<LinuxFileLock>(std::move(opened.descriptor));
}

Task<Result<SpaceInfo>> LinuxFileSystem::space(Worker& worker, std::string path) {
  const std::function<Space()> work = [full = in_root(path)] { return space_of(full); };
  auto call = std::make_shared<Call<Space>>(work);
  co_await operations_.wait(worker, call, WaitPlace::device);
  const Space space = call->take();
  if (space.error_number != 0) co_return file_error(space.error_number);
  co_return space.info;
}

}  // namespace drydock::on_linux
