// A13: fsync or fdatasync of 4 KiB in one file, 30 ms after another file's fsync has sent 64 or
// 128 MiB to the disk: first come, first served.
#include "tools/fidelity/actor.hpp"
#include "tools/fidelity/all.hpp"
#include "tools/fidelity/csv_table.hpp"
#include "tools/fidelity/devices.hpp"
#include "tools/fidelity/set_up.hpp"
#include "tools/fidelity/statistics.hpp"

namespace drydock::fidelity {
namespace {

enum class Small : std::uint8_t { overwrite_fdatasync, append_fsync };

double small_sync_ms(const sim::DiskProfile& disk, std::int64_t large_bytes, Small small) {
  StorageWorld world({.disk = disk, .files = default_dirty_limits()});
  Actor actor(world, "actor");
  File& a = actor.filled("/a", kMiB);
  File& b = actor.filled("/b", large_bytes);
  actor.write(b, 0, large_bytes);
  const Asked<void> large = actor.start(b.sync_all(actor.worker("large")));
  world.run_for(Duration::ms(30));
  const bool append = small == Small::append_fsync;
  actor.must(a.write_at(actor.worker(), append ? kMiB : 0, SharedBytes::zeros(4096)));
  const Duration took =
      actor.time_of(append ? a.sync_all(actor.worker()) : a.sync_data(actor.worker()));
  actor.wait(large);
  return ms(took);
}

// Of several syncs in a row the one that met the writeback.
double measured_ms(const CalibrationData& data, const std::string& label, Small small) {
  const CsvTable table(data, "fsync_entangle_inflight_writeback.csv");
  std::vector<double> times;
  for (const CsvTable::Row* row : table.rows_with("label", label)) {
    const bool append = row->text("a_op") == "append_fsync";
    if (append == (small == Small::append_fsync)) times.push_back(row->number("a_max_ms"));
  }
  return median(times);
}

}  // namespace

std::vector<Row> sync_behind_writeback(const CalibrationData& measured) {
  // Linux I/O model, section 4.3: about 1 GB/s without the throttle.
  const sim::DiskProfile fast = loop_disk(1'000'000'000);
  std::vector<Row> rows;
  for (const Small small : {Small::overwrite_fdatasync, Small::append_fsync}) {
    const std::string name = small == Small::append_fsync ? "append, fsync" : "fdatasync";
    rows.push_back(within_percent({name + " behind 64 MiB at 50 MiB/s", "ms",
                                   small_sync_ms(throttled_loop_disk(), 64 * kMiB, small),
                                   measured_ms(measured, "loop_50MBps_default", small)},
                                  10));
    rows.push_back(within_factor(
        {name + " behind 128 MiB at 1 GB/s", "ms", small_sync_ms(fast, 128 * kMiB, small),
         measured_ms(measured, "loop_unthrottled_default", small)},
        2));
  }
  return rows;
}

}  // namespace drydock::fidelity
