// A9: a writer at 20 MB/s under a limit of 64 MiB; data writes hang for 5 s while the journal's go
// through. It is blocked when D + W reaches the limit, and goes on with the disk.
#include "tools/fidelity/all.hpp"
#include "tools/fidelity/devices.hpp"
#include "tools/fidelity/set_up.hpp"

namespace drydock::fidelity {

std::vector<Row> hang_at_the_limit(const CalibrationData& measured) {
  // When the recorded hang ended is known by the writer, which went on within 20 ms.
  constexpr Duration kHangEnds = Duration::ms(8'570);
  constexpr Duration kHangBegins = kHangEnds - Duration::s(5);
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
  world.at(start + kHangBegins, [&] { world.disk().hang(sim::DiskHang::data_writes); });
  world.at(start + kHangEnds, [&] { world.disk().release(sim::DiskHang::data_writes); });
  double frozen_mib = 0;
  world.at(start + Duration::s(7), [&] {
    const std::int64_t pages = world.cache().dirty_pages() + world.cache().writeback_pages();
    frozen_mib = static_cast<double>(pages * sim::kPageBytes) / static_cast<double>(kMiB);
  });
  writer.wait();
  const Stall stall = longest(writer.stalls());
  const Stall real = longest(measured_stalls(measured, "hang_32_64_20"));
  return {
      within({"blocked from", "s", seconds(stall.at), seconds(real.at)}, 0.15),
      within({"blocked for", "s", seconds(stall.length), seconds(real.length)}, 0.3),
      // Linux I/O model, section 11: frozen at 64.2 MiB.
      within_percent({"D+W meanwhile", "MiB", frozen_mib, 64.2}, 2),
      at_most({"goes on after the disk", "ms", ms(stall.end() - kHangEnds), 20}, 20),
  };
}

}  // namespace drydock::fidelity
