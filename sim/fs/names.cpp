// Directories and names.
#include <algorithm>

#include "sim/disk/command_wait.hpp"
#include "sim/fs/mount.hpp"
#include "sim/pagecache/stuck_wait.hpp"

namespace drydock::sim {
namespace {

using Kind = MetadataOp::Kind;

constexpr std::size_t kNameMax = 255;  // Bytes: NAME_MAX of ext4 and XFS.

// The names of an absolute path; empty for the root. Refuses what is not of that form.
Result<std::vector<std::string>> names_of(const std::string& path) {
  if (path.empty() || path.front() != '/') return ErrorCode::invalid_argument;
  std::vector<std::string> names;
  std::size_t begin = 1;
  while (begin < path.size()) {
    const std::size_t end = std::min(path.find('/', begin), path.size());
    std::string name = path.substr(begin, end - begin);
    if (name == "." || name == "..") return ErrorCode::invalid_argument;
    if (name.size() > kNameMax) return ErrorCode::invalid_argument;  // ENAMETOOLONG.
    if (!name.empty()) names.push_back(std::move(name));
    begin = end + 1;
  }
  return names;
}

FileInfo info_of(const std::string& name, const Inode& inode) {
  return {.name = name,
          .is_directory = inode.record.is_directory,
          .size = inode.size,
          .modified = inode.modified()};
}

}  // namespace

Result<Mount::Location> Mount::locate(const std::string& path) {
  Result<std::vector<std::string>> names = names_of(path);
  if (!names) return names.error();
  Location location{.found = &inode(kRootDirectory)};
  for (std::string& name : *names) {
    if (location.found == nullptr) return ErrorCode::not_found;
    if (!location.found->record.is_directory) return ErrorCode::invalid_argument;  // ENOTDIR.
    location.directory = location.found;
    const auto& entries = location.directory->record.entries;
    const auto entry = entries.find(name);
    location.found = entry == entries.end() ? nullptr : &inode(entry->second);
    location.name = std::move(name);
  }
  return location;
}

// Looks a name up that is about to change, once the journal lets its directory change.
Task<Result<Mount::Location>> Mount::locate_to_change(Worker& worker, std::string path,
                                                      Making making) {
  for (;;) {
    Result<Location> location = locate(path);
    if (!location) co_return location;
    if (refuses_changes()) co_return refusal();
    Inode* const directory = location->directory;
    if (directory == nullptr) co_return ErrorCode::busy;  // The root itself.
    if (directory_locked(*directory)) {
      co_await StuckWait(directory_waits_, worker, WaitPlace::directory_lock, clock_);
      continue;
    }
    WaitList* const wait = handle_wait(*directory);
    if (wait == nullptr) {
      const std::int64_t blocks = blocks_for(*location, making);
      if (has_space_for(blocks)) co_return location;
      Result<void> space = co_await wait_for_space(worker, blocks);
      if (!space) co_return space.error();
      continue;
    }
    co_await StuckWait(*wait, worker, WaitPlace::journal, clock_);
  }
}

bool Mount::directory_locked(const Inode& directory) const {
  return std::any_of(locked_directories_.begin(), locked_directories_.end(),
                     [&](const auto& lock) { return lock.second == directory.number; });
}

bool Mount::lock_directory(const std::string& path, std::size_t holder) {
  if (state_ != State::ready) return false;
  Result<Location> location = locate(path);
  if (!location || location->found == nullptr) return false;
  if (!location->found->record.is_directory) return false;
  return locked_directories_.emplace(holder, location->found->number).second;
}

void Mount::unlock_directory(std::size_t holder) {
  if (locked_directories_.erase(holder) > 0) wake_all(directory_waits_);
}

Task<void> Mount::pass_lock(Worker& worker, std::string path, LockOf which) {
  for (;;) {
    Result<Location> location = locate(path);
    if (!location) co_return;
    const Inode* const directory = which == LockOf::it ? location->found : location->directory;
    if (directory == nullptr || !directory_locked(*directory)) co_return;
    co_await StuckWait(directory_waits_, worker, WaitPlace::directory_lock, clock_);
  }
}

// What a new name takes: its directory may need one more block, and a new directory has its first.
std::int64_t Mount::blocks_for(const Location& location, Making making) {
  if (making == Making::nothing || location.found != nullptr) return 0;
  const Inode& directory = *location.directory;
  const std::int64_t needed = own_blocks_needed(directory, OwnBlocks::entry_bytes(location.name)) -
                              std::ssize(directory.record.own_blocks);
  return std::max<std::int64_t>(needed, 0) + (making == Making::directory ? 1 : 0);
}

Task<Result<void>> Mount::read_home(Worker& worker, InodeNumber number) {
  const std::int64_t home = image_.home_of(number);
  if (homes_in_memory_.contains(home)) co_return Result<void>();
  const AwaitedCommand::Read request{
      .offset = home * kPageBytes, .length = kPageBytes, .purpose = DiskCommand::Purpose::journal};
  auto command = std::make_unique<AwaitedCommand>(request);
  Result<ByteChain> read = co_await CommandWait(path_, std::move(command), worker);
  if (!read) co_return metadata_failed(read.error());
  homes_in_memory_.insert(home);
  co_return Result<void>();
}

Task<Result<void>> Mount::read_inodes(Worker& worker, std::string path) {
  Result<std::vector<std::string>> names = names_of(path);
  if (!names) co_return Result<void>();  // The call itself refuses it.
  InodeNumber number = kRootDirectory;
  for (std::size_t next = 0;; ++next) {
    Result<void> read = co_await read_home(worker, number);
    if (!read) co_return read;
    const InodeRecord* const directory = live_.find(number);
    if (directory == nullptr || next == names->size()) co_return Result<void>();
    const auto entry = directory->entries.find((*names)[next]);
    if (entry == directory->entries.end()) co_return Result<void>();
    number = entry->second;
  }
}

Inode& Mount::make(Location& location, bool is_directory) {
  const InodeNumber number = live_.next_inode();
  Transaction& transaction = journal_.running();
  MetadataOp made{.kind = Kind::make, .is_directory = is_directory, .inode = number};
  live_.apply(made, transaction.freed);
  transaction.ops.push_back(std::move(made));
  location.found = &inode(number);
  join(*location.found, Need::data, transaction);
  if (is_directory) take_own_blocks(*location.found, transaction);
  record_names(*location.directory, {.kind = Kind::link,
                                     .inode = location.directory->number,
                                     .target = number,
                                     .name = location.name});
  return *location.found;
}

Task<Result<InodeHandle>> Mount::open(Worker& worker, std::string path, Create create) {
  Result<void> entered = co_await enter(worker);
  if (!entered) co_return entered.error();
  if (cold_) {
    Result<void> read = co_await read_inodes(worker, path);
    if (!read) co_return read.error();
  }
  if (create != Create::never && !locked_directories_.empty()) {
    co_await pass_lock(worker, path, LockOf::parent);
  }
  Result<Location> location = locate(path);
  if (!location) co_return location.error();
  if (location->found == nullptr) {
    if (create == Create::never) co_return ErrorCode::not_found;
    if (path.back() == '/') co_return ErrorCode::invalid_argument;  // EISDIR.
    Result<Location> place = co_await locate_to_change(worker, path, Making::file);
    if (!place) co_return place.error();
    location = std::move(place);
  }
  if (location->found == nullptr) {
    if (!has_inode()) co_return ErrorCode::no_space;
    make(*location, false);
  } else if (create == Create::must_be_new) {
    co_return ErrorCode::exists;
  }
  // EISDIR, and ENOTDIR for a file that is named like a directory.
  const bool like_directory = location->found->record.is_directory || path.back() == '/';
  if (like_directory) co_return ErrorCode::invalid_argument;
  co_return InodeHandle(shared_from_this(), *location->found);
}

Task<Result<InodeHandle>> Mount::open_directory(Worker& worker, std::string path) {
  Result<void> entered = co_await enter(worker);
  if (!entered) co_return entered.error();
  if (cold_) {
    Result<void> read = co_await read_inodes(worker, path);
    if (!read) co_return read.error();
  }
  Result<Location> location = locate(path);
  if (!location) co_return location.error();
  if (location->found == nullptr) co_return ErrorCode::not_found;
  if (!location->found->record.is_directory) co_return ErrorCode::invalid_argument;  // ENOTDIR.
  co_return InodeHandle(shared_from_this(), *location->found);
}

// Whether `possible_parent` is the directory or one above it.
bool Mount::inside(const Inode& directory, InodeNumber possible_parent) {
  if (directory.number == possible_parent) return true;
  const InodeRecord* const parent = live_.find(possible_parent);
  return std::any_of(parent->entries.begin(), parent->entries.end(), [&](const auto& entry) {
    const InodeRecord* const below = live_.find(entry.second);
    return below->is_directory && inside(directory, entry.second);
  });
}

Result<void> Mount::may_replace(const Location& from, const Location& to) {
  if (from.found == nullptr) return ErrorCode::not_found;
  const InodeRecord& moved = from.found->record;
  if (moved.is_directory && inside(*to.directory, from.found->number)) {
    return ErrorCode::invalid_argument;
  }
  if (to.found == nullptr) return {};
  const InodeRecord& replaced = to.found->record;
  if (moved.is_directory != replaced.is_directory) return ErrorCode::invalid_argument;
  if (!replaced.entries.empty()) return ErrorCode::not_empty;
  return {};
}

Task<Result<void>> Mount::rename(Worker& worker, std::string from_path, std::string to_path) {
  Result<void> entered = co_await enter(worker);
  if (!entered) co_return entered;
  if (cold_) {
    Result<void> read = co_await read_inodes(worker, from_path);
    if (!read) co_return read;
  }
  Result<Location> from = co_await locate_to_change(worker, from_path);
  if (!from) co_return from.error();
  Result<Location> to = co_await locate_to_change(worker, to_path, Making::file);
  if (!to) co_return to.error();
  from = locate(from_path);  // Things may have moved while we waited for the second one.
  if (!from) co_return from.error();
  Result<void> allowed = may_replace(*from, *to);
  if (!allowed) co_return allowed;
  Inode& moved = *from->found;
  Inode* const replaced = to->found;
  if (replaced == &moved) co_return Result<void>();
  if (replaced != nullptr) {
    record_names(*to->directory,
                 {.kind = Kind::unlink, .inode = to->directory->number, .name = to->name});
    touch(*replaced);
  }
  record_names(*from->directory,
               {.kind = Kind::unlink, .inode = from->directory->number, .name = from->name});
  record_names(*to->directory, {.kind = Kind::link,
                                .inode = to->directory->number,
                                .target = moved.number,
                                .name = to->name});
  touch(moved);
  if (replaced != nullptr && !moved.record.is_directory && !xfs() && !journals_data()) {
    // R4 (auto_da_alloc): a file that takes the place of another one is written out before the
    // rename is durable, so that nobody finds an empty file under the old name.
    order(journal_.names(), moved, 0, INT64_MAX);
    cache_->start_writeback(moved, PageRange(), WrittenFor::flusher);
  }
  if (replaced != nullptr) free_if_unused(*replaced);
  co_return Result<void>();
}

Task<Result<void>> Mount::remove(Worker& worker, std::string path) {
  Result<void> entered = co_await enter(worker);
  if (!entered) co_return entered;
  if (cold_) {
    Result<void> read = co_await read_inodes(worker, path);
    if (!read) co_return read;
  }
  Result<Location> location = co_await locate_to_change(worker, path);
  if (!location) co_return location.error();
  if (location->found == nullptr) co_return ErrorCode::not_found;
  Inode& removed = *location->found;
  if (!removed.record.entries.empty()) co_return ErrorCode::not_empty;
  record_names(
      *location->directory,
      {.kind = Kind::unlink, .inode = location->directory->number, .name = location->name});
  touch(removed);
  free_if_unused(removed);
  co_return Result<void>();
}

Task<Result<void>> Mount::create_directories(Worker& worker, std::string path) {
  Result<void> entered = co_await enter(worker);
  if (!entered) co_return entered;
  if (cold_) {
    Result<void> read = co_await read_inodes(worker, path);
    if (!read) co_return read;
  }
  Result<std::vector<std::string>> names = names_of(path);
  if (!names) co_return names.error();
  std::string prefix;
  for (const std::string& name : *names) {
    prefix += "/" + name;
    Result<Location> location = locate(prefix);
    if (!location) co_return location.error();
    if (location->found == nullptr) {
      Result<Location> place = co_await locate_to_change(worker, prefix, Making::directory);
      if (!place) co_return place.error();
      location = std::move(place);
    }
    if (location->found == nullptr) {
      if (!has_inode()) co_return ErrorCode::no_space;
      make(*location, true);
    }
    const bool is_file = !location->found->record.is_directory;
    if (is_file && prefix.size() < path.size()) co_return ErrorCode::invalid_argument;  // ENOTDIR.
    if (is_file) co_return ErrorCode::exists;
  }
  co_return Result<void>();
}

Task<Result<std::vector<FileInfo>>> Mount::list(Worker& worker, std::string path) {
  Result<void> entered = co_await enter(worker);
  if (!entered) co_return entered.error();
  if (cold_) {
    Result<void> read = co_await read_inodes(worker, path);
    if (!read) co_return read.error();
  }
  if (!locked_directories_.empty()) co_await pass_lock(worker, path, LockOf::it);
  Result<Location> location = locate(path);
  if (!location) co_return location.error();
  if (location->found == nullptr) co_return ErrorCode::not_found;
  if (!location->found->record.is_directory) co_return ErrorCode::invalid_argument;  // ENOTDIR.
  std::vector<FileInfo> files;
  for (const auto& [name, number] : location->found->record.entries) {
    files.push_back(info_of(name, inode(number)));
  }
  co_return files;
}

Task<Result<FileInfo>> Mount::info(Worker& worker, std::string path) {
  Result<void> entered = co_await enter(worker);
  if (!entered) co_return entered.error();
  if (cold_) {
    Result<void> read = co_await read_inodes(worker, path);
    if (!read) co_return read.error();
  }
  Result<Location> location = locate(path);
  if (!location) co_return location.error();
  if (location->found == nullptr) co_return ErrorCode::not_found;
  co_return info_of(location->name, *location->found);
}

std::vector<BlockRun> Mount::blocks_of(const std::string& path, PageRange range) {
  std::vector<BlockRun> runs;
  if (state_ != State::ready) return runs;
  Result<Location> location = locate(path);
  if (!location || location->found == nullptr) return runs;
  location->found->record.blocks.for_each_from(
      range.first, [&runs, range](std::int64_t page, const BlockRef& ref) {
        if (page >= range.end || ref.hole()) return;
        const bool next = !runs.empty() && runs.back().block + runs.back().count == ref.block();
        if (next) {
          ++runs.back().count;
        } else {
          runs.push_back({ref.block(), 1});
        }
      });
  return runs;
}

}  // namespace drydock::sim
