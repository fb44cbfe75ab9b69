// A16: 64 MiB are dirtied, far below every limit; after 20 s one of the pages once more. Age counts
// from the first dirtying: all of it is written in one burst after 30 s.
#include "tools/fidelity/actor.hpp"
#include "tools/fidelity/all.hpp"
#include "tools/fidelity/csv_table.hpp"
#include "tools/fidelity/devices.hpp"
#include "tools/fidelity/set_up.hpp"

namespace drydock::fidelity {
namespace {

constexpr std::int64_t kBytes = 64 * kMiB;

struct Burst {
  double began_s = 0;      // After the first dirtying.
  double first_share = 0;  // Of all pages, in the first sample that shows any written.
};

Burst model_burst() {
  StorageWorld world({.disk = loop_disk(1'000'000'000), .files = default_dirty_limits()});
  Actor actor(world, "actor");
  File& file = actor.filled("/f", kBytes);
  const Duration start = world.now();
  actor.write(file, 0, kBytes);
  world.run_to(start + Duration::s(20));
  actor.must(file.write_at(actor.worker(), kBytes / 2, SharedBytes::zeros(4096)));
  Burst burst;
  // Every 200 ms, as it was measured.
  for (Duration time = Duration::s(20); time <= Duration::s(43); time += Duration::ms(200)) {
    world.run_to(start + time);
    const std::int64_t left = world.cache().dirty_pages() + world.cache().writeback_pages();
    const std::int64_t gone = kBytes / sim::kPageBytes - left;
    if (gone == 0) continue;
    burst.began_s = seconds(time);
    burst.first_share = 100 * static_cast<double>(gone * sim::kPageBytes) / kBytes;
    break;
  }
  return burst;
}

Burst measured_burst(const CalibrationData& data) {
  const CsvTable table(data, "dirty_expire_watch.csv");
  const double dirtied = table.row_with("event", "dirtied_64MB").number("t_s");
  Burst burst;
  for (const CsvTable::Row& row : table.rows()) {
    const double written = row.number("bdi_written_kb") * 1024;
    if (written == 0) continue;
    burst.began_s = row.number("t_s") - dirtied;
    burst.first_share = 100 * written / kBytes;
    break;
  }
  return burst;
}

}  // namespace

std::vector<Row> dirty_expiry(const CalibrationData& measured) {
  const Burst model = model_burst();
  const Burst real = measured_burst(measured);
  return {
      in_range({"seen written after", "s", model.began_s, real.began_s}, 30, 35),
      in_range({"in one burst: written by then", "%", model.first_share, real.first_share}, 99,
               101),
  };
}

}  // namespace drydock::fidelity
