#include "reports/loss/stopped_files.hpp"

#include <map>
#include <set>
#include <utility>

#include "reports/record/numbers.hpp"

namespace drydock::reports {
namespace {

std::string what_stopped(const std::string& host, FileSystemEnd how) {
  return how == FileSystemEnd::shut_down ? "the xfs of " + host + " shut down"
                                         : "the ext4 of " + host + " stopped";
}

std::string what_follows(FileSystemEnd how) {
  switch (how) {
    case FileSystemEnd::journal_aborted:
      return "its journal was aborted, and it can be read, but not changed any more";
    case FileSystemEnd::remounted_read_only:
      return "its journal was aborted, and it was remounted read-only (errors=remount-ro)";
    case FileSystemEnd::host_panicked: return "the kernel panicked (errors=panic)";
    case FileSystemEnd::shut_down: return "it is neither changed nor read any more";
    case FileSystemEnd::count_: break;
  }
  return "";
}

std::string when(const RunResult& run, std::int64_t time_ns) {
  const std::int64_t since_ns = run.fault_took_effect() ? time_ns - run.fault()->began_ns : -1;
  if (since_ns < 0) return duration_text(time_ns) + " after the start";
  return duration_text(since_ns) + " after the fault";
}

}  // namespace

std::string describe_stopped_files(const std::vector<RunResult>& runs) {
  struct Found {
    std::int64_t runs = 0;
    std::string first;  // When, and in which run.
  };
  std::map<std::pair<std::string, FileSystemEnd>, Found> all;
  for (const RunResult& run : runs) {
    if (run.verdict == Verdict::harness) continue;
    std::set<std::pair<std::string, FileSystemEnd>> counted_once;
    for (const StoppedFileSystem& stopped : run.stopped_file_systems) {
      Found& found = all[{stopped.host, stopped.how}];
      if (!counted_once.insert({stopped.host, stopped.how}).second) continue;
      ++found.runs;
      if (!found.first.empty()) continue;
      found.first = when(run, stopped.time_ns) + " (seed " + std::to_string(run.seed) + ")";
    }
  }
  std::string text;
  for (const auto& [key, found] : all) {
    text += (text.empty() ? "in " : "; in ") + counted(found.runs, "run") + " " +
            what_stopped(key.first, key.second) + " " + found.first + ": " +
            what_follows(key.second);
  }
  return text;
}

}  // namespace drydock::reports
