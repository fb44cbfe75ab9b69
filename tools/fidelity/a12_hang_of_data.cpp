// A12: data writes hang for 11 s while the journal's go through. msync waits for all of it; the
// writer, far below the dirty limit, does not.
#include "tools/fidelity/all.hpp"
#include "tools/fidelity/csv_table.hpp"
#include "tools/fidelity/devices.hpp"
#include "tools/fidelity/set_up.hpp"
#include "tools/fidelity/statistics.hpp"

namespace drydock::fidelity {

std::vector<Row> hang_of_data(const CalibrationData& measured) {
  constexpr const char* kRun = "hang11_def_20_flush500";
  // The throttle lets the journal pass.
  StorageWorld world({.disk = fast_loop_disk(),
                      .throttle = {.writes = {.bytes_per_s = kThrottledBytesPerS}},
                      .files = default_dirty_limits()});
  constexpr std::int64_t kFileBytes = 400 * kMiB;
  make_file(world, "/log", kFileBytes, Contents::filled);
  RecordWriter writer(world, "writer",
                      {.file_bytes = kFileBytes,
                       .bytes_per_s = 20'000'000,
                       .length = Duration::s(18),
                       .flush_pause = Duration::ms(500)});
  // The recorded msync, the first one, began with the hang or in it.
  const Duration start = world.now();
  world.at(start + Duration::ms(500), [&] { world.disk().hang(sim::DiskHang::data_writes); });
  world.at(start + Duration::ms(11'500), [&] { world.disk().release(sim::DiskHang::data_writes); });
  writer.wait();
  std::vector<double> lengths;
  for (const Flush& flush : writer.flushes()) lengths.push_back(seconds(flush.length));
  const CsvTable flushes(measured, "mmap_writer_flush.csv");
  std::vector<double> real_lengths;
  for (const CsvTable::Row* row : flushes.rows_with("label", kRun)) {
    real_lengths.push_back(row->number("flush_ms") / 1000);
  }
  const CsvTable summary(measured, "mmap_writer_summary.csv");
  const double real_stall = summary.row_with("label", kRun).number("stall_max_ms");
  return {
      within_percent({"longest msync", "s", most(lengths), most(real_lengths)}, 10),
      at_most(
          {"longest stall of the writer", "ms", ms(longest(writer.stalls()).length), real_stall},
          200),
  };
}

}  // namespace drydock::fidelity
