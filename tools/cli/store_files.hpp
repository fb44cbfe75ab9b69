// A store directory as it lies on disk, for the commands that look into one. Nothing is written,
// nothing of the engine is asked.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace drydock::cli {

// One entry of the commit log's directory.
struct LogFile {
  std::string name;
  std::string path;
  std::int64_t bytes = 0;
  std::optional<std::int64_t> begin;  // The offset that it is named after; none: no such name.
};

struct StoreFiles {
  std::string root;
  std::string commit_log;
  std::vector<LogFile> files;        // By name, directories left out.
  std::vector<std::string> blocked;  // Paths of directories where files of the log belong.
  std::int64_t file_bytes = 0;       // mappedFileSizeCommitLog; 0: nothing says what it is.
  // forceVerifyPropCRC: recovery ends the log at a record without a property CRC that is right.
  bool wants_property_crc = false;
};

// The files of a commit log's directory, by name. Throws InputError.
std::vector<LogFile> list_log(const std::string& commit_log);

// Paths of the directories among them whose names are those of files: a broker passes over them
// when it loads the log, and can't make the file when its turn comes. By name; none if the
// directory can't be read.
std::vector<std::string> directories_in_log(const std::string& commit_log);

// Lists a store. `conf`, if there is one, says how long files are, where the log is and what
// recovery wants; otherwise the distance between names says how long, or the only file. Throws
// InputError if there is no commit log or it can't be read.
StoreFiles list_store(const std::string& directory, const std::optional<std::string>& conf);

// From here on a file that shrinks or can't be read while it is mapped ends the program with a line
// and status 2.
void exit_on_bus_error();

// The bytes of a file, mapped: a file of any length costs no memory of ours. Throws InputError if
// it can't be opened. A file that shrinks or can't be read while it is looked at ends the program
// with a line and status 2, because that is how mapped files tell (SIGBUS).
class MappedInput {
 public:
  explicit MappedInput(const std::string& path);
  ~MappedInput();
  MappedInput(const MappedInput&) = delete;
  MappedInput& operator=(const MappedInput&) = delete;
  std::span<const std::byte> bytes() const { return bytes_; }

 private:
  std::span<const std::byte> bytes_;
};

// Whether a process has the lock of the store (RocketMQ's `lock` file): a broker runs on it.
bool store_is_locked(const std::string& root);

// Whether all bytes are zero.
bool all_zero(std::span<const std::byte> bytes);

// The big-endian integer of 8 bytes at `at`, which must lie inside.
std::int64_t integer_at(std::span<const std::byte> bytes, std::size_t at);

}  // namespace drydock::cli
