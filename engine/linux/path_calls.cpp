#include "engine/linux/path_calls.hpp"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <memory>

#include "engine/linux/file.hpp"

namespace drydock::on_linux {
namespace {

constexpr mode_t kFileMode = 0666;
constexpr mode_t kDirectoryMode = 0777;

Opened failed() {
  Opened result;
  result.error_number = errno;
  return result;
}

int open_flags(const OpenOptions& options) {
  int flags = O_CLOEXEC;
  flags |= options.mode == OpenMode::read_only ? O_RDONLY : O_RDWR;
  if (options.create != Create::never) flags |= O_CREAT;
  if (options.create == Create::must_be_new) flags |= O_EXCL;
  if (options.caching == Caching::direct) flags |= O_DIRECT;
  return flags;
}

// What the name leads to; if that is nothing, the symbolic link itself.
bool stat_entry(int directory, const std::string& name, struct stat& status) {
  return ::fstatat(directory, name.c_str(), &status, 0) == 0 ||
         ::fstatat(directory, name.c_str(), &status, AT_SYMLINK_NOFOLLOW) == 0;
}

FileInfo info_of(const std::string& name, const struct stat& status) {
  const std::int64_t ns = status.st_mtim.tv_sec * std::int64_t{1'000'000'000};
  return {.name = name,
          .is_directory = S_ISDIR(status.st_mode),
          .size = status.st_size,
          .modified = WallTime::at_ns(ns + status.st_mtim.tv_nsec)};
}

struct CloseDirectory {
  void operator()(DIR* directory) const { ::closedir(directory); }
};

}  // namespace

int errno_of(int answer) { return answer < 0 ? errno : 0; }

Opened open_file(const std::string& path, const OpenOptions& options) {
  Opened result;
  result.descriptor = OwnedDescriptor(::open(path.c_str(), open_flags(options), kFileMode));
  if (!result.descriptor) return failed();
  // open(2) gives a descriptor for a directory that is opened to read; nobody can read from it.
  struct stat status{};
  if (::fstat(result.descriptor.get(), &status) == 0 && S_ISDIR(status.st_mode)) {
    result.error_number = EISDIR;
    return result;
  }
  result.direct_alignment = direct_alignment_of(result.descriptor.get());
  return result;
}

Opened map_file(const std::string& path, std::int64_t size) {
  Opened result;
  result.descriptor =
      OwnedDescriptor(::open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, kFileMode));
  if (!result.descriptor) return failed();
  const int descriptor = result.descriptor.get();
  struct stat status{};
  if (::fstat(descriptor, &status) != 0) return failed();
  if (status.st_size > size) {
    result.error_number = EINVAL;
    return result;
  }
  if (status.st_size < size && ::ftruncate(descriptor, size) != 0) return failed();
  const auto length = static_cast<std::size_t>(size);
  void* const address = ::mmap(nullptr, length, PROT_READ | PROT_WRITE, MAP_SHARED, descriptor, 0);
  if (address == MAP_FAILED) return failed();
  result.region = Region(static_cast<std::byte*>(address), length);
  return result;
}

Opened open_locked(const std::string& path) {
  Opened result;
  result.descriptor =
      OwnedDescriptor(::open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, kFileMode));
  if (!result.descriptor) return failed();
  struct flock whole_file{};
  whole_file.l_type = F_WRLCK;
  whole_file.l_whence = SEEK_SET;
  if (::fcntl(result.descriptor.get(), F_OFD_SETLK, &whole_file) != 0) {
    result.error_number = errno == EACCES ? EAGAIN : errno;  // Either means "held by another".
  }
  return result;
}

Listing list_directory(const std::string& path) {
  Listing result;
  const std::unique_ptr<DIR, CloseDirectory> directory(::opendir(path.c_str()));
  if (directory == nullptr) {
    result.error_number = errno;
    return result;
  }
  for (;;) {
    errno = 0;
    const dirent* const entry = ::readdir(directory.get());
    if (entry == nullptr) break;
    const std::string name = entry->d_name;
    if (name == "." || name == "..") continue;
    struct stat status{};
    if (!stat_entry(::dirfd(directory.get()), name, status)) continue;  // Removed since readdir.
    result.entries.push_back(info_of(name, status));
  }
  result.error_number = errno;
  std::ranges::sort(result.entries, {}, &FileInfo::name);
  return result;
}

Described describe_path(const std::string& path) {
  struct stat status{};
  if (::stat(path.c_str(), &status) != 0) return {.error_number = errno};
  return {.info = info_of(path.substr(path.rfind('/') + 1), status)};
}

Space space_of(const std::string& path) {
  struct statvfs told{};
  if (::statvfs(path.c_str(), &told) != 0) return {.error_number = errno};
  const auto unit = static_cast<std::int64_t>(told.f_frsize);
  return {.info = {.total_bytes = static_cast<std::int64_t>(told.f_blocks) * unit,
                   .free_bytes = static_cast<std::int64_t>(told.f_bfree) * unit,
                   .usable_bytes = static_cast<std::int64_t>(told.f_bavail) * unit}};
}

int make_directories(const std::string& path) {
  for (std::size_t end = path.find('/', 1);; end = path.find('/', end + 1)) {
    const std::string part = path.substr(0, end);
    if (::mkdir(part.c_str(), kDirectoryMode) != 0 && errno != EEXIST) return errno;
    if (end == std::string::npos) break;
  }
  // What exists may be no directory.
  struct stat status{};
  if (::stat(path.c_str(), &status) != 0) return errno;
  return S_ISDIR(status.st_mode) ? 0 : EEXIST;
}

int sync_directory_at(const std::string& path) {
  const OwnedDescriptor directory(::open(path.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (!directory) return errno;
  return errno_of(::fsync(directory.get()));
}

int remove_path(const std::string& path) { return errno_of(std::remove(path.c_str())); }

}  // namespace drydock::on_linux
