// tools/fidelity holds the acceptance experiments of the simulated storage: each sets up what was
// once measured on a real kernel, lets the model do it, and compares. `drydock fidelity` runs them.
//
//   experiment        this file: what an experiment is, and which there are
//   row               a statistic of the model beside the measurement, and whether it is close
//   calibration_data  the measurements, compiled into the program or from a user's folder
//   csv_table         a file of them
//   devices           the disks on which they were made
//   storage_world     a host with one of these disks, and nothing else on it
//   record_writer     a process that writes records, as the measurements' own writer did
//   a01_* to a24_*    the experiments
//
// Set-ups, expected values and tolerances: Linux I/O model, section 11. Nothing here decides how
// the model behaves; floating point is for statistics.
#pragma once

#include <span>
#include <string_view>
#include <vector>

#include "tools/fidelity/calibration_data.hpp"
#include "tools/fidelity/row.hpp"

namespace drydock::fidelity {

struct Experiment {
  std::string_view id;  // "A9"
  std::string_view title;
  // Throws scenarios::InputError if the measurements are not what they should be.
  std::vector<Row> (*run)(const CalibrationData& measured);
};

// All of section 11, in its order.
std::span<const Experiment> experiments();

// Every row is inside. Of no rows: no.
bool inside(const std::vector<Row>& rows);
// The same with those rows as section 11 words them that compare with records read again.
bool inside_by_words(const std::vector<Row>& rows);

}  // namespace drydock::fidelity
