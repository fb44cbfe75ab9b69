// What several experiments have in common.
#pragma once

#include <string>
#include <vector>

#include "tools/fidelity/calibration_data.hpp"
#include "tools/fidelity/record_writer.hpp"
#include "tools/fidelity/storage_world.hpp"

namespace drydock::fidelity {

inline constexpr std::int64_t kMiB = 1 << 20;

// vm.dirty_background_bytes and vm.dirty_bytes.
sim::FileSystemOptions dirty_limits(std::int64_t background_bytes, std::int64_t bytes);
// 10 and 20 % of the memory of the machine: environment.json, dirty_thresholds_observed_kb.
sim::FileSystemOptions default_dirty_limits();

// How a file of a record writer begins.
enum class Contents : std::uint8_t {
  sparse,
  allocated,  // Blocks that were never written.
  filled,     // Written, and clean in the page cache.
};
// Makes the file; nothing of that is left to be written afterwards.
void make_file(StorageWorld& world, const std::string& path, std::int64_t bytes, Contents contents);

// Stalls of one run of mmap_writer_stalls.csv. Throws scenarios::InputError: there are none.
std::vector<Stall> measured_stalls(const CalibrationData& data, const std::string& run);

inline double ms(Duration time) { return static_cast<double>(time.count_ns()) / 1e6; }
inline double seconds(Duration time) { return static_cast<double>(time.count_ns()) / 1e9; }

}  // namespace drydock::fidelity
