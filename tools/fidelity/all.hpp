// The experiments, for the table of them: what each does is told at the top of its own file.
#pragma once

#include <vector>

#include "tools/fidelity/calibration_data.hpp"
#include "tools/fidelity/row.hpp"

namespace drydock::fidelity {

std::vector<Row> throttle_replay(const CalibrationData& measured);          // A1
std::vector<Row> writer_rates(const CalibrationData& measured);             // A2
std::vector<Row> writer_stalls(const CalibrationData& measured);            // A3
std::vector<Row> tiny_limit(const CalibrationData& measured);               // A4
std::vector<Row> start_up(const CalibrationData& measured);                 // A5
std::vector<Row> paced_below_device(const CalibrationData& measured);       // A6
std::vector<Row> paced_above_device(const CalibrationData& measured);       // A7
std::vector<Row> two_writers(const CalibrationData& measured);              // A8
std::vector<Row> hang_at_the_limit(const CalibrationData& measured);        // A9
std::vector<Row> hang_of_all_writes(const CalibrationData& measured);       // A10
std::vector<Row> hang_beside_msync(const CalibrationData& measured);        // A11
std::vector<Row> hang_of_data(const CalibrationData& measured);             // A12
std::vector<Row> sync_behind_writeback(const CalibrationData& measured);    // A13
std::vector<Row> sync_beside_dirty_pages(const CalibrationData& measured);  // A14
std::vector<Row> sync_sizes(const CalibrationData& measured);               // A15
std::vector<Row> dirty_expiry(const CalibrationData& measured);             // A16
std::vector<Row> cold_read_storm(const CalibrationData& measured);          // A17
std::vector<Row> page_faults(const CalibrationData& measured);              // A18
std::vector<Row> throttle_slices(const CalibrationData& measured);          // A19
std::vector<Row> power_cuts(const CalibrationData& measured);               // A20
std::vector<Row> queue_depths(const CalibrationData& measured);             // A21
std::vector<Row> periodic_msync(const CalibrationData& measured);           // A22
std::vector<Row> strict_limit(const CalibrationData& measured);             // A23
std::vector<Row> determinism(const CalibrationData& measured);              // A24

}  // namespace drydock::fidelity
