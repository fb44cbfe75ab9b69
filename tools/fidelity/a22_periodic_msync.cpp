// A22: a writer at 40 MB/s on a disk of 52.4 MB/s, far below the dirty limit, beside a thread that
// calls msync 500 ms after the last one has ended. Each msync writes what came during the one
// before, so they grow.
#include "tools/fidelity/all.hpp"
#include "tools/fidelity/csv_table.hpp"
#include "tools/fidelity/devices.hpp"
#include "tools/fidelity/set_up.hpp"
#include "tools/fidelity/statistics.hpp"

namespace drydock::fidelity {

std::vector<Row> periodic_msync(const CalibrationData& measured) {
  StorageWorld world({.disk = throttled_loop_disk(), .files = default_dirty_limits()});
  constexpr std::int64_t kFileBytes = 400 * kMiB;
  make_file(world, "/log", kFileBytes, Contents::filled);
  RecordWriter writer(world, "writer",
                      {.file_bytes = kFileBytes,
                       .bytes_per_s = 40'000'000,
                       .length = Duration::s(8),
                       .flush_pause = Duration::ms(500)});
  writer.wait();
  std::vector<double> lengths;
  for (const Flush& flush : writer.flushes()) lengths.push_back(ms(flush.length));
  const CsvTable summary(measured, "mmap_writer_summary.csv");
  const CsvTable::Row& real = summary.row_with("label", "p4k_def_40_flush500");
  return {
      within_percent({"msync, median", "ms", median(lengths), real.number("flush_p50_ns") / 1e6},
                     25),
      within_percent({"msync, longest", "ms", most(lengths), real.number("flush_max_ns") / 1e6},
                     25),
      at_most({"longest stall of the writer", "ms", ms(longest(writer.stalls()).length),
               real.number("stall_max_ms")},
              100),
  };
}

}  // namespace drydock::fidelity
