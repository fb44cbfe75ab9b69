#include "engine/store/mapped_file_queue.hpp"

#include "engine/wire/remoting_frame.hpp"

namespace drydock {

std::string queue_file_name(std::int64_t first_byte) {
  const DecimalText digits(first_byte);
  std::string name(20 - digits.view().size(), '0');
  name += digits.view();
  return name;
}

std::optional<std::int64_t> parse_queue_file_name(std::string_view name) {
  const auto number = parse_decimal<std::int64_t>(name);
  if (!number || *number < 0) return std::nullopt;
  return *number;
}

template <class Offset>
Task<Result<void>> MappedFileQueue<Offset>::load(Worker& worker) {
  Result<void> made = co_await context_.files.create_directories(worker, directory_);
  if (!made) co_return made;
  Result<std::vector<FileInfo>> entries = co_await context_.files.list(worker, directory_);
  if (!entries) co_return entries.error();
  std::erase_if(*entries, [](const FileInfo& info) { return info.is_directory; });
  for (std::size_t i = 0; i < entries->size(); ++i) {
    const FileInfo info = (*entries)[i];
    if (info.size == 0 && i + 1 == entries->size()) {
      Result<void> removed = co_await context_.files.remove(worker, directory_ + "/" + info.name);
      if (!removed) co_return removed;
      continue;
    }
    Result<void> loaded = co_await load_file(worker, info);
    if (!loaded) co_return loaded;
  }
  co_return Result<void>();
}

template <class Offset>
Task<Result<void>> MappedFileQueue<Offset>::load_file(Worker& worker, FileInfo info) {
  if (info.size != file_bytes_) {
    co_return refuse(info, "has " + std::to_string(info.size) + " bytes, not the configured " +
                               std::to_string(file_bytes_));
  }
  const std::optional<std::int64_t> number = parse_queue_file_name(info.name);
  if (!number) co_return refuse(info, "is not named by an offset");
  const Offset start(*number);
  if (!files_.empty() && start != files_.back()->end()) {
    context_.observer.log(LogLevel::warning, "there is a gap in front of " + path_of(start));
  }
  Result<std::unique_ptr<MappedFile>> map =
      co_await context_.files.map(worker, directory_ + "/" + info.name, file_bytes_);
  if (!map) co_return map.error();
  auto file = std::make_shared<File>(std::move(*map), start);
  file->wrote = file->size;
  file->flushed = file->size;
  files_.push_back(std::move(file));
  co_return Result<void>();
}

template <class Offset>
Error MappedFileQueue<Offset>::refuse(const FileInfo& info, const std::string& why) {
  context_.observer.log(LogLevel::error, directory_ + "/" + info.name + " " + why);
  return ErrorCode::invalid_argument;
}

template <class Offset>
Task<Result<void>> MappedFileQueue<Offset>::truncate(Worker& worker, Offset end) {
  std::vector<FilePointer> kept;
  std::vector<FilePointer> removed;
  for (const FilePointer& file : files_) {
    if (file->start > end) {
      removed.push_back(file);
      continue;
    }
    if (file->end() > end) file->wrote = file->flushed = end - file->start;
    kept.push_back(file);
  }
  files_ = std::move(kept);
  for (const FilePointer& file : removed) {
    Result<void> done = co_await context_.files.remove(worker, path_of(file->start));
    if (!done) co_return done;
  }
  co_return Result<void>();
}

template <class Offset>
Task<Result<void>> MappedFileQueue<Offset>::remove_last(Worker& worker) {
  const FilePointer file = files_.back();
  files_.pop_back();
  Result<void> done = co_await context_.files.remove(worker, path_of(file->start));
  co_return done;
}

template <class Offset>
Task<Result<void>> MappedFileQueue<Offset>::destroy(Worker& worker) {
  std::vector<Offset> starts;
  for (const FilePointer& file : files_) {
    file->destroyed_at = context_.clock.now();
    starts.push_back(file->start);
  }
  files_.clear();
  Result<void> outcome;
  while (!starts.empty()) {
    Result<void> removed = co_await context_.files.remove(worker, path_of(starts.back()));
    starts.pop_back();
    if (!removed) outcome = removed;
  }
  co_return outcome;
}

template <class Offset>
Task<bool> MappedFileQueue<Offset>::destroy_first(Worker& worker, Duration forcibly_after) {
  FilePointer file = files_.front();
  const MonotonicTime now = context_.clock.now();
  if (!file->destroyed_at) file->destroyed_at = now;
  constexpr long kOurs = 2;               // The list's, and this one.
  if (file->buffered()) co_return false;  // A commit is still to come, or at work.
  const bool in_use = file.use_count() > kOurs;
  if (in_use && now - *file->destroyed_at < forcibly_after) co_return false;
  const std::string path = path_of(file->start);
  files_.erase(files_.begin());
  file.reset();  // Unmapped before its name goes.
  Result<void> removed = co_await context_.files.remove(worker, path);
  if (!removed) context_.observer.log(LogLevel::warning, "can't remove " + path);
  co_return true;
}

template <class Offset>
QueueFilePointer<Offset> MappedFileQueue<Offset>::holder_of(Offset offset) const {
  if (files_.empty() || offset < files_.front()->start) return nullptr;
  for (auto file = files_.rbegin(); file != files_.rend(); ++file) {
    if (offset < (*file)->start) continue;
    return offset < (*file)->end() ? *file : nullptr;
  }
  return nullptr;
}

template class MappedFileQueue<PhysicalOffset>;
template class MappedFileQueue<UnitPosition>;

}  // namespace drydock
