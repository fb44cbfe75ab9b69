// A14: a sync of 4 KiB in one file while another one has 32 MiB of dirty pages that nothing writes
// yet. With delayed allocation the commit does not wait for them.
#include "tools/fidelity/actor.hpp"
#include "tools/fidelity/all.hpp"
#include "tools/fidelity/csv_table.hpp"
#include "tools/fidelity/devices.hpp"
#include "tools/fidelity/set_up.hpp"
#include "tools/fidelity/statistics.hpp"

namespace drydock::fidelity {
namespace {

constexpr std::int64_t kDirtyBytes = 32 * kMiB;

struct Case {
  const char* name;
  bool large_is_filled;
  bool append;
};

struct Times {
  double small_ms = 0;
  double large_ms = 0;
};

Times sync_both(const Case& test) {
  StorageWorld world({.disk = throttled_loop_disk(), .files = default_dirty_limits()});
  Actor actor(world, "actor");
  File& a = actor.filled("/a", kMiB);
  File& b = test.large_is_filled ? actor.filled("/b", kDirtyBytes) : actor.file("/b");
  actor.must(b.sync_all(actor.worker()));
  actor.write(b, 0, kDirtyBytes);
  actor.must(a.write_at(actor.worker(), test.append ? kMiB : 0, SharedBytes::zeros(4096)));
  Times times;
  times.small_ms =
      ms(actor.time_of(test.append ? a.sync_all(actor.worker()) : a.sync_data(actor.worker())));
  times.large_ms = ms(actor.time_of(b.sync_all(actor.worker())));
  return times;
}

Times measured_times(const CalibrationData& data, const Case& test) {
  const CsvTable table(data, "fsync_entangle_idle_writeback.csv");
  std::vector<double> small;
  std::vector<double> large;
  for (const CsvTable::Row* row : table.rows_with("label", "loop_journal_50MBps")) {
    if (row->text("a_op") != (test.append ? "append" : "overwrite")) continue;
    if (row->text("b_state") != (test.large_is_filled ? "fill" : "append")) continue;
    small.push_back(row->number("a_sync_ms"));
    large.push_back(row->number("b_sync_ms"));
  }
  return {median(small), median(large)};
}

}  // namespace

std::vector<Row> sync_beside_dirty_pages(const CalibrationData& measured) {
  const Case cases[] = {
      {"fdatasync beside an overwritten file", true, false},
      {"append, fsync beside an overwritten file", true, true},
      {"fdatasync beside a new file", false, false},
      {"append, fsync beside a new file", false, true},
  };
  std::vector<Row> rows;
  for (const Case& test : cases) {
    const Times model = sync_both(test);
    const Times real = measured_times(measured, test);
    rows.push_back(at_most({test.name, "ms", model.small_ms, real.small_ms}, 40));
    rows.push_back(within_percent(
        {std::string(test.name) + ": fsync of that file", "ms", model.large_ms, real.large_ms},
        15));
  }
  return rows;
}

}  // namespace drydock::fidelity
