#include "tools/cli/recovery_watch.hpp"

#include <algorithm>
#include <filesystem>

#include "scenarios/drill/drill.hpp"
#include "tools/cli/store_files.hpp"
#include "tools/cli/store_walk.hpp"

namespace drydock::cli {
namespace {

// The log's files; none if there is no directory, or it can't be read (the broker will say so).
std::vector<LogFile> log_files(const std::string& commit_log) {
  try {
    return list_log(commit_log);
  } catch (const scenarios::InputError&) {
    return {};
  }
}

bool holds_something(const LogFile& file) {
  constexpr std::size_t kFront = 8;  // totalSize and magic.
  try {
    const MappedInput input(file.path);
    return !all_zero(input.bytes().first(std::min(kFront, input.bytes().size())));
  } catch (const scenarios::InputError&) {
    return false;
  }
}

// What lies in `file` from offset `end` on, zeros left out.
std::string behind(const LogFile& file, std::int64_t end) {
  const MappedInput input(file.path);
  std::string why;
  std::int64_t used_to = end;
  const auto tail = input.bytes().subspan(static_cast<std::size_t>(end - *file.begin));
  walk_pieces(end, tail, [&](const LogPiece& piece) {
    const bool used = piece.kind == LogPiece::Kind::damage ||  //
                      piece.kind == LogPiece::Kind::message;
    if (!used) return;
    used_to = piece.offset + piece.bytes;
    if (why.empty()) why = piece.kind == LogPiece::Kind::damage ? piece.why : "a whole record";
  });
  if (used_to == end) return "";
  return std::to_string(used_to - end) + " bytes at " + std::to_string(end) + " (" + why + ")";
}

}  // namespace

RecoveryWatch::RecoveryWatch(const std::string& store_root, std::string commit_log)
    : commit_log_(std::move(commit_log)) {
  std::error_code unknown;
  after_crash_ = std::filesystem::exists(store_root + "/abort", unknown);
  for (const LogFile& file : log_files(commit_log_)) {
    if (holds_something(file)) used_.push_back(file.path);
  }
}

std::string RecoveryWatch::describe_cut(std::int64_t end) const {
  std::string cut;
  for (const LogFile& file : log_files(commit_log_)) {
    if (file.begin && *file.begin <= end && end < *file.begin + file.bytes) cut = behind(file, end);
  }
  std::size_t removed = 0;
  std::error_code unknown;
  for (const std::string& path : used_) {
    if (!std::filesystem::exists(path, unknown)) ++removed;
  }
  if (removed > 0) {
    cut += (cut.empty() ? "" : ", and ") + std::to_string(removed) + " files behind it";
  }
  return cut.empty() ? "" : "cut " + cut;
}

}  // namespace drydock::cli
