// From what fio measured to a profile: the rules of the Linux I/O model, section 10.
#pragma once

#include <expected>
#include <string>
#include <vector>

#include "sim/profiles/fio_file.hpp"
#include "sim/profiles/fit_table.hpp"
#include "sim/profiles/parallelism_fit.hpp"

namespace drydock::sim {

struct CalibrationOptions {
  std::string name;      // Of the new profile.
  bool journal = false;  // The fsync jobs ran on a file system with a journal.
  DepthModel model;      // Of a disk: sim/disk/depth_model.hpp. Not empty.
};

struct JobUse {
  std::string job;  // Its place and name.
  std::string use;  // "read latency", or why it is not used.
};

struct Calibration {
  Profile profile;
  std::vector<JobUse> uses;      // In the order of the jobs.
  std::vector<FitTable> tables;  // Measurements beside the fit.
  std::vector<std::string> notes;
  std::vector<std::string> flags;      // What makes the measurements doubtful.
  std::vector<std::string_view> kept;  // Names of the values that are those of the base profile.
};

// The error is one line: a job that measures something else, or the same thing twice, a latency
// without the percentiles that a table needs, nothing to fit at all.
std::expected<Calibration, std::string> calibrate(const std::vector<FioJob>& jobs,
                                                  const Profile& base,
                                                  const CalibrationOptions& options);

}  // namespace drydock::sim
