// A9: a writer at 20 MB/s under a limit of 64 MiB; data writes hang for 5 s while the journal's go
// through. It is blocked when D + W reaches the limit; when the disk goes on it sleeps to the end
// of its sleep, and then goes on, too.
#include <cmath>

#include "scenarios/drill/drill.hpp"
#include "tools/fidelity/all.hpp"
#include "tools/fidelity/csv_table.hpp"
#include "tools/fidelity/devices.hpp"
#include "tools/fidelity/set_up.hpp"

namespace drydock::fidelity {
namespace {

constexpr const char* kRun = "hang_32_64_20";

// The recorded hang ended between these two samples: the first that has seen pages written since
// the writer is blocked, and the one before.
struct HangEnd {
  Duration earliest;
  Duration latest;
  Duration middle() const { return (earliest + latest) / 2; }
};
HangEnd measured_end(const CalibrationData& measured, Duration blocked) {
  const CsvTable samples(measured, "mmap_writer_samples_100ms.csv");
  const auto us = [](const CsvTable::Row& row) {
    return Duration::us(std::llround(1000 * row.number("t_ms")));
  };
  const CsvTable::Row* before = nullptr;
  for (const CsvTable::Row* sample : samples.rows_with("label", kRun)) {
    const bool written = before != nullptr && us(*before) > blocked &&
                         sample->number("vm_written_kb") > before->number("vm_written_kb");
    if (written) return {us(*before), us(*sample)};
    before = sample;
  }
  throw scenarios::InputError(measured.place("mmap_writer_samples_100ms.csv") + ": " + kRun +
                              " does not go on");
}

}  // namespace

std::vector<Row> hang_at_the_limit(const CalibrationData& measured) {
  const Stall real = longest(measured_stalls(measured, kRun));
  const HangEnd end = measured_end(measured, real.at);
  const Duration begin = end.middle() - Duration::s(5);
  sim::FileSystemOptions files = dirty_limits(32 * kMiB, 64 * kMiB);
  files.commit_interval = Duration::s(600);  // The journal is not what is looked at.
  files.page_cache.command_bytes = 4 * kMiB;
  StorageWorld world({.disk = throttled_loop_disk(), .files = files});
  constexpr std::int64_t kFileBytes = 300 * kMiB;
  make_file(world, "/log", kFileBytes, Contents::filled);
  RecordWriter writer(
      world, "writer",
      {.file_bytes = kFileBytes, .bytes_per_s = 20'000'000, .length = Duration::s(13)});
  const Duration start = world.now();
  world.at(start + begin, [&] { world.disk().hang(sim::DiskHang::data_writes); });
  world.at(start + end.middle(), [&] { world.disk().release(sim::DiskHang::data_writes); });
  double frozen_mib = 0;
  world.at(start + Duration::s(7), [&] {
    const std::int64_t pages = world.cache().dirty_pages() + world.cache().writeback_pages();
    frozen_mib = static_cast<double>(pages * sim::kPageBytes) / static_cast<double>(kMiB);
  });
  writer.wait();
  const Stall stall = longest(writer.stalls());
  const double late_ms = ms(stall.end() - end.middle());
  return {
      within({"blocked from", "s", seconds(stall.at), seconds(real.at)}, 0.15),
      within({"blocked for", "s", seconds(stall.length), seconds(real.length)}, 0.3),
      // Linux I/O model, section 11: frozen at 64.2 MiB.
      within_percent({"D+W meanwhile", "MiB", frozen_mib, 64.2}, 2),
      // Linux I/O model, section 11: within 20 ms, which the samples of the same run exclude.
      re_read(in_range({"goes on after the disk", "ms", late_ms, ms(real.end() - end.middle())},
                       ms(real.end() - end.latest), ms(real.end() - end.earliest)),
              at_most({"", "ms", late_ms, 0}, 20)),
  };
}

}  // namespace drydock::fidelity
