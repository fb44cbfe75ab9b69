// The measurements that experiments compare with: files of sim/profiles/calibration.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>

namespace drydock::fidelity {

class CalibrationData {
 public:
  // Those compiled into the program; a file of the same name in `directory` takes precedence.
  explicit CalibrationData(const std::optional<std::string>& directory = std::nullopt);

  // The text of "mmap_writer_summary.csv". Throws scenarios::InputError if there is no such file.
  const std::string& text(const std::string& name) const;
  // With its folder, if it has one: for messages.
  std::string place(const std::string& name) const;
  // Whether there is a file from `directory`.
  bool replaced() const { return !places_.empty(); }
  // Whether anybody has asked for the text of a file from `directory`.
  bool replacement_read() const { return replacement_read_; }

 private:
  std::map<std::string, std::string> texts_;
  std::map<std::string, std::string> places_;  // Of the files from `directory`.
  mutable bool replacement_read_ = false;
};

}  // namespace drydock::fidelity
