#include "tools/fidelity/set_up.hpp"

#include <cmath>

#include "scenarios/drill/drill.hpp"
#include "tools/fidelity/actor.hpp"
#include "tools/fidelity/csv_table.hpp"

namespace drydock::fidelity {

sim::FileSystemOptions dirty_limits(std::int64_t background_bytes, std::int64_t bytes) {
  sim::FileSystemOptions options;
  options.page_cache.dirty_background_bytes = background_bytes;
  options.page_cache.dirty_bytes = bytes;
  return options;
}

sim::FileSystemOptions default_dirty_limits() {
  return dirty_limits(std::int64_t{2'393'756} << 10, std::int64_t{4'793'368} << 10);
}

void make_file(StorageWorld& world, const std::string& path, std::int64_t bytes,
               Contents contents) {
  Actor actor(world, "set-up" + path);
  File& file = actor.file(path);
  switch (contents) {
    case Contents::sparse: actor.must(file.truncate(actor.worker(), bytes)); break;
    case Contents::allocated: actor.must(file.allocate(actor.worker(), 0, bytes)); break;
    case Contents::filled: actor.write(file, 0, bytes); break;
  }
  actor.must(file.sync_all(actor.worker()));
  world.run_for(Duration::s(60));
}

std::vector<Stall> measured_stalls(const CalibrationData& data, const std::string& run) {
  const CsvTable table(data, "mmap_writer_stalls.csv");
  const auto time = [](double in_ms) { return Duration::ns(std::llround(in_ms * 1e6)); };
  std::vector<Stall> stalls;
  for (const CsvTable::Row* row : table.rows_with("label", run)) {
    stalls.push_back({.at = time(row->number("t_ms")),
                      .length = time(row->number("stall_ms")),
                      .offset = std::llround(row->number("offset_kb")) << 10});
  }
  if (stalls.empty()) {
    throw scenarios::InputError(data.place("mmap_writer_stalls.csv") + ": has no stalls of " + run);
  }
  return stalls;
}

}  // namespace drydock::fidelity
