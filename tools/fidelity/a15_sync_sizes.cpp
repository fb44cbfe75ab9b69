// A15: fsync after N bytes were stored through a mapping.
#include "tools/fidelity/actor.hpp"
#include "tools/fidelity/all.hpp"
#include "tools/fidelity/devices.hpp"
#include "tools/fidelity/set_up.hpp"
#include "tools/fidelity/statistics.hpp"

namespace drydock::fidelity {
namespace {

// What was measured is summed up in a line t0 + N / B: Linux I/O model, section 4.1. B is how fast
// the pages of one file leave the page cache, less than what fio gets out of the disk. It is a
// parameter of the disk here, so the rows show what page cache, file system and journal add to it.
// Where the section gives a range, the line here is its middle.
struct Disk {
  const char* name;
  sim::DiskProfile profile;
  double t0_ms;
  double bytes_per_s;
};

double median_sync_ms(const Disk& disk, std::int64_t bytes) {
  std::vector<double> times;
  for (std::uint64_t seed = 1; seed <= 9; ++seed) {
    StorageWorld world({.disk = disk.profile, .files = default_dirty_limits(), .seed = seed});
    Actor actor(world, "actor");
    File& file = actor.filled("/f", bytes);
    world.run_for(Duration::ms(20));  // Times of files are no finer than a jiffy.
    MappedFile& map = actor.map("/f", bytes);
    for (std::int64_t offset = 0; offset < bytes; offset += sim::kPageBytes) {
      actor.must(map.store(actor.worker(), offset, SharedBytes::zeros(sim::kPageBytes)));
    }
    times.push_back(ms(actor.time_of(file.sync_all(actor.worker()))));
  }
  return median(times);
}

sim::DiskProfile native_at(std::int64_t bytes_per_s) {
  sim::DiskProfile disk = native_disk();
  disk.write_bytes_per_s = bytes_per_s;
  return disk;
}

}  // namespace

std::vector<Row> sync_sizes(const CalibrationData&) {
  const Disk disks[] = {
      {"loop", loop_disk(435'000'000), 1.6, 435e6},
      {"native", native_at(750'000'000), 2.5, 750e6},
  };
  std::vector<Row> rows;
  for (const Disk& disk : disks) {
    for (const std::int64_t kib : {4, 64, 1024, 4096, 16384, 65536}) {
      const std::int64_t bytes = kib << 10;
      const double line_ms = disk.t0_ms + static_cast<double>(bytes) / disk.bytes_per_s * 1e3;
      const std::string size =
          kib < 1024 ? std::to_string(kib) + " KiB" : std::to_string(kib / 1024) + " MiB";
      const Statistic statistic{std::string(disk.name) + ", " + size, "ms",
                                median_sync_ms(disk, bytes), line_ms};
      rows.push_back(bytes >= kMiB ? within_percent(statistic, 30) : within_factor(statistic, 2));
    }
  }
  return rows;
}

}  // namespace drydock::fidelity
