#include "tools/cli/store_files.hpp"

#include <fcntl.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <csignal>
#include <cstring>
#include <filesystem>

#include "engine/broker/configuration.hpp"
#include "engine/linux/descriptor.hpp"
#include "scenarios/drill/drill.hpp"
#include "tools/cli/broker_conf.hpp"
#include "tools/cli/terminal.hpp"

namespace drydock::cli {
namespace {

using on_linux::OwnedDescriptor;
using scenarios::InputError;

constexpr std::size_t kNameDigits = 20;
// No log reaches there, and whatever is added to such an offset is still one.
constexpr std::int64_t kOffsetMax = std::int64_t{1} << 62;

std::optional<std::int64_t> offset_of_name(const std::string& name) {
  // RocketMQ takes any decimal number and writes 20 digits (storage reference, 1).
  std::int64_t offset = 0;
  const auto [end, error] = std::from_chars(name.data(), name.data() + name.size(), offset);
  if (error != std::errc() || end != name.data() + name.size()) return std::nullopt;
  if (offset < 0 || offset > kOffsetMax) return std::nullopt;
  return offset;
}

// Missing files make a distance larger, never smaller.
std::int64_t file_bytes_of(const std::vector<LogFile>& files) {
  std::int64_t smallest = 0;
  const LogFile* before = nullptr;
  for (const LogFile& file : files) {
    if (!file.begin) continue;
    if (before != nullptr) {
      const std::int64_t distance = *file.begin - *before->begin;
      if (distance > 0 && (smallest == 0 || distance < smallest)) smallest = distance;
    }
    before = &file;
  }
  if (smallest == 0 && before != nullptr) return before->bytes;
  return smallest;
}

// Async-signal-safe.
void on_bus_error(int) {
  constexpr char kLine[] = "drydock: a file can't be read, or became shorter while it was read\n";
  (void)!::write(STDERR_FILENO, kLine, sizeof kLine - 1);
  ::_exit(2);
}

}  // namespace

std::vector<LogFile> list_log(const std::string& directory) {
  std::vector<LogFile> files;
  std::error_code error;
  for (std::filesystem::directory_iterator entry(directory, error), end; !error && entry != end;
       entry.increment(error)) {
    std::error_code unknown;
    if (entry->is_directory(unknown)) continue;
    if (!entry->is_regular_file(unknown)) {
      throw InputError(printable(entry->path().string()) +
                       ": is neither a file nor a directory: move it out of the log");
    }
    const auto bytes = static_cast<std::int64_t>(entry->file_size(unknown));
    if (unknown) {
      throw InputError(printable(entry->path().string()) +
                       ": cannot be read: " + unknown.message());
    }
    const std::string name = entry->path().filename().string();
    files.push_back({name, entry->path().string(), bytes, offset_of_name(name)});
  }
  if (error) throw InputError(directory + ": cannot be read: " + error.message());
  std::ranges::sort(files, {}, &LogFile::name);
  return files;
}

std::vector<std::string> directories_in_log(const std::string& commit_log) {
  std::vector<std::string> found;
  std::error_code error;
  for (std::filesystem::directory_iterator entry(commit_log, error), end; !error && entry != end;
       entry.increment(error)) {
    std::error_code unknown;
    const std::string name = entry->path().filename().string();
    const bool named_as_file = name.size() == kNameDigits && offset_of_name(name);
    if (named_as_file && entry->is_directory(unknown)) found.push_back(entry->path().string());
  }
  std::ranges::sort(found);
  return found;
}

StoreFiles list_store(const std::string& directory, const std::optional<std::string>& conf) {
  if (directory.empty()) throw InputError("names no directory");
  StoreFiles store;
  store.root = directory;
  store.commit_log = directory + "/commitlog";
  if (conf) {
    const ServedConfiguration served = read_broker_conf(*conf);
    store.file_bytes = served.configuration.store.mapped_file_size_commit_log;
    const std::string& elsewhere = served.configuration.store.store_path_commit_log;
    if (!elsewhere.empty()) store.commit_log = elsewhere;
    store.wants_property_crc =
        served.configuration.store.recovery_check() == ContentCheck::property_crc;
  }
  std::error_code error;
  if (!std::filesystem::is_directory(directory, error)) {
    throw InputError(directory + (error ? ": cannot be read: " + error.message()
                                        : ": is not a store: not a directory"));
  }
  if (!std::filesystem::is_directory(store.commit_log, error)) {
    throw InputError(directory + ": is not a store: there is no directory " + store.commit_log +
                     "; name the directory that storePathRootDir names");
  }
  store.files = list_log(store.commit_log);
  store.blocked = directories_in_log(store.commit_log);
  if (store.file_bytes == 0) store.file_bytes = file_bytes_of(store.files);
  return store;
}

void exit_on_bus_error() { std::signal(SIGBUS, on_bus_error); }

MappedInput::MappedInput(const std::string& path) {
  exit_on_bus_error();
  // Without O_NONBLOCK a pipe would wait for its writer.
  const OwnedDescriptor file(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK));
  struct stat status = {};
  if (!file || ::fstat(file.get(), &status) != 0) {
    throw InputError(path + ": cannot be read: " + ::strerror(errno));
  }
  if (!S_ISREG(status.st_mode)) throw InputError(path + ": is no file");
  if (status.st_size == 0) return;
  const auto length = static_cast<std::size_t>(status.st_size);
  void* const address = ::mmap(nullptr, length, PROT_READ, MAP_PRIVATE, file.get(), 0);
  if (address == MAP_FAILED) throw InputError(path + ": cannot be read: " + ::strerror(errno));
  bytes_ = {static_cast<const std::byte*>(address), length};
}

MappedInput::~MappedInput() {
  if (!bytes_.empty()) ::munmap(const_cast<std::byte*>(bytes_.data()), bytes_.size());
}

bool store_is_locked(const std::string& root) {
  const std::string path = root + "/lock";
  const OwnedDescriptor file(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK));
  if (!file) return false;
  // Tests only: the answer's type is F_UNLCK if the lock could be had. Source: fcntl(2).
  struct flock lock = {};
  lock.l_type = F_RDLCK;
  lock.l_whence = SEEK_SET;
  if (::fcntl(file.get(), F_OFD_GETLK, &lock) != 0) return false;
  return lock.l_type != F_UNLCK;
}

bool all_zero(std::span<const std::byte> bytes) {
  if (bytes.empty()) return true;
  // Equal to itself shifted by one, and begun with zero: memcmp looks at many bytes at a time.
  return bytes.front() == std::byte{0} &&
         std::memcmp(bytes.data(), bytes.data() + 1, bytes.size() - 1) == 0;
}

std::int64_t integer_at(std::span<const std::byte> bytes, std::size_t at) {
  std::uint64_t value = 0;
  for (const std::byte byte : bytes.subspan(at, 8)) {
    value = (value << 8) | static_cast<std::uint64_t>(byte);
  }
  return static_cast<std::int64_t>(value);
}

}  // namespace drydock::cli
