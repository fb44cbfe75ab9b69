// A11: as A10, beside a thread that calls msync every 500 ms: msync hangs with the disk, and the
// writer stops no later than with the next periodic commit.
#include "tools/fidelity/all.hpp"
#include "tools/fidelity/csv_table.hpp"
#include "tools/fidelity/devices.hpp"
#include "tools/fidelity/set_up.hpp"
#include "tools/fidelity/statistics.hpp"

namespace drydock::fidelity {
namespace {

constexpr const char* kRun = "freeze10_fill4k_20_flush500";
constexpr Duration kHangBegins = Duration::s(3);
constexpr Duration kHangEnds = kHangBegins + Duration::ms(10'270);

}  // namespace

std::vector<Row> hang_beside_msync(const CalibrationData& measured) {
  StorageWorld world({.disk = loop_disk(300'000'000), .files = default_dirty_limits()});
  constexpr std::int64_t kFileBytes = 400 * kMiB;
  make_file(world, "/log", kFileBytes, Contents::filled);
  RecordWriter writer(world, "writer",
                      {.file_bytes = kFileBytes,
                       .bytes_per_s = 20'000'000,
                       .length = Duration::s(18),
                       .flush_pause = Duration::ms(500)});
  const Duration start = world.now();
  world.at(start + kHangBegins, [&] { world.disk().hang(sim::DiskHang::writes); });
  world.at(start + kHangEnds, [&] { world.disk().release(sim::DiskHang::writes); });
  writer.wait();
  const Stall stall = longest(writer.stalls());
  const Stall real_stall = longest(measured_stalls(measured, kRun));
  std::vector<double> lengths;
  for (const Flush& flush : writer.flushes()) lengths.push_back(seconds(flush.length));
  const CsvTable flushes(measured, "mmap_writer_flush.csv");
  std::vector<double> real_lengths;
  for (const CsvTable::Row* row : flushes.rows_with("label", kRun)) {
    real_lengths.push_back(row->number("flush_ms") / 1000);
  }
  return {
      within_percent({"longest msync", "s", most(lengths), most(real_lengths)}, 10),
      at_most({"the writer stops after the disk", "s", seconds(stall.at - kHangBegins),
               seconds(real_stall.at - kHangBegins)},
              5.5),
      within({"it goes on after the disk", "ms", ms(stall.end() - kHangEnds), 0}, 500),
  };
}

}  // namespace drydock::fidelity
