// What the recovery of a commit log cut off: bytes that it leaves behind the log's end, and files
// that it removes. Looked up in the files, not asked of the engine.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace drydock::cli {

class RecoveryWatch {
 public:
  // Before the broker starts. `commit_log` need not exist.
  RecoveryWatch(const std::string& store_root, std::string commit_log);

  // The store held messages.
  bool had_messages() const { return !used_.empty(); }
  bool after_crash() const { return after_crash_; }

  // After recovery has cut the log at `end` and before the first append: what it cut, as words
  // ("cut 77 bytes at 1234 …"), or "" if nothing.
  std::string describe_cut(std::int64_t end) const;

 private:
  std::string commit_log_;
  bool after_crash_ = false;  // There was an abort file.
  // Files whose first bytes were not zero: they held something.
  std::vector<std::string> used_;
};

}  // namespace drydock::cli
