// A disk's `mount`: how its file system is made and mounted.
#include <array>

#include "scenarios/loader/did_you_mean.hpp"
#include "scenarios/loader/sections.hpp"
#include "scenarios/loader/word.hpp"

namespace drydock::scenarios {
namespace {

constexpr std::array<Word<FileSystemType>, 2> kTypes = {
    {{"ext4", FileSystemType::ext4}, {"xfs", FileSystemType::xfs}}};
constexpr std::array<Word<DataOption>, 3> kData = {{{"ordered", DataOption::ordered},
                                                    {"writeback", DataOption::writeback},
                                                    {"journal", DataOption::journal}}};
constexpr std::array<Word<ErrorsOption>, 3> kErrors = {{{"continue", ErrorsOption::go_on},
                                                        {"remount-ro", ErrorsOption::remount_ro},
                                                        {"panic", ErrorsOption::panic}}};
constexpr std::array<Word<bool>, 2> kDioread = {{{"lock", false}, {"nolock", true}}};
constexpr std::array<Word<bool>, 2> kNames = {{{"any-sync", false}, {"directory-sync", true}}};
constexpr std::array<Word<bool>, 2> kDataErr = {{{"ignore", false}, {"abort", true}}};

// mke2fs: 1024 blocks at least, 10,240,000 at most. mkfs.xfs: less than 2 GiB.
constexpr std::int64_t kJournalBytesMin = std::int64_t{4} << 20;
constexpr std::int64_t kExt4JournalBytesMax = 10'240'000LL * 4'096;
constexpr std::int64_t kXfsLogBytesMax = (std::int64_t{2} << 30) - 4'096;

std::int64_t read_journal(const JsonAt& json, FileSystemType type, std::int64_t disk_bytes) {
  const std::int64_t bytes = json.size();
  if (bytes < kJournalBytesMin || bytes % 4'096 != 0) {
    json.refuse("must be at least 4 MiB and a multiple of 4 KiB");
  }
  if (bytes > (type == FileSystemType::xfs ? kXfsLogBytesMax : kExt4JournalBytesMax)) {
    json.refuse("is more than mkfs makes");
  }
  if (bytes > disk_bytes / 2) json.refuse("is more than half of the disk");
  return bytes;
}

// xfs had `nobarrier` until Linux 4.19.
bool xfs_has_barrier(const std::string& kernel) { return kernel == "el7" || kernel == "el8"; }

void read_ext4(const JsonAt& json, MountSpec& mount) {
  if (json.has("data")) mount.data = read_word(json.at("data"), kData);
  if (json.has("dioread")) {
    mount.dioread_nolock = read_word(json.at("dioread"), kDioread);
    if (mount.data == DataOption::journal) {
      json.at("dioread").refuse("has no effect with data=journal, which has no direct I/O");
    }
  }
  if (json.has("data_err")) mount.abort_on_data_error = read_word(json.at("data_err"), kDataErr);
  if (mount.abort_on_data_error && mount.data != DataOption::ordered) {
    json.at("data_err").refuse("concerns the data of data=ordered alone");
  }
  if (json.has("errors")) mount.errors = read_word(json.at("errors"), kErrors);
  if (json.has("commit")) mount.commit = json.at("commit").duration();
  if (mount.commit < Duration::s(1)) json.at("commit").refuse("must be at least 1 s");
}

}  // namespace

MountSpec read_mount(const JsonAt& json, std::int64_t disk_bytes, const std::string& kernel) {
  json.allow_only({"type", "journal", "barrier", "lazytime", "names", "data", "dioread", "data_err",
                   "errors", "commit"});
  MountSpec mount{.type = read_word(json.at("type"), kTypes)};
  if (json.has("journal")) {
    mount.journal_bytes = read_journal(json.at("journal"), mount.type, disk_bytes);
  }
  if (json.has("barrier")) mount.barrier = json.at("barrier").boolean();
  if (json.has("lazytime")) mount.lazytime = json.at("lazytime").boolean();
  if (json.has("names")) mount.names_with_directory = read_word(json.at("names"), kNames);
  if (mount.type == FileSystemType::ext4) {
    read_ext4(json, mount);
    return mount;
  }
  for (const char* key : {"data", "dioread", "data_err", "errors", "commit"}) {
    if (json.has(key)) json.at(key).refuse("is an option of ext4, not of xfs");
  }
  if (!mount.barrier && !xfs_has_barrier(kernel)) {
    json.at("barrier").refuse(
        "xfs has barriers always since Linux 4.19; kernel el7 and el8 can do without");
  }
  return mount;
}

}  // namespace drydock::scenarios
