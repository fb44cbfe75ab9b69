// A10: every write of the disk hangs, the journal's too, from 3 s on. A writer at 20 MB/s, far
// below the dirty limit, stops at the next periodic commit, 5 s after its first record, because the
// commit cannot write its log and the writer has to change an inode that is in it.
#include "tools/fidelity/all.hpp"
#include "tools/fidelity/devices.hpp"
#include "tools/fidelity/set_up.hpp"

namespace drydock::fidelity {
namespace {

constexpr Duration kHangBegins = Duration::s(3);
// The msync that hung from the first to the last moment: mmap_writer_flush.csv.
constexpr Duration kHangEnds = kHangBegins + Duration::ms(10'270);
constexpr Duration kCommitTimer = Duration::s(5);

struct Case {
  const char* name;
  const char* run;
  Contents contents;
  RecordWriterOptions::Way way;
};

void add_rows(const Case& test, const CalibrationData& data, std::vector<Row>& rows) {
  StorageWorld world({.disk = loop_disk(300'000'000), .files = default_dirty_limits()});
  constexpr std::int64_t kFileBytes = 400 * kMiB;
  make_file(world, "/log", kFileBytes, test.contents);
  RecordWriter writer(world, "writer",
                      {.file_bytes = kFileBytes,
                       .way = test.way,
                       .bytes_per_s = 20'000'000,
                       .length = Duration::s(18)});
  const Duration start = world.now();
  world.at(start + kHangBegins, [&] { world.disk().hang(sim::DiskHang::writes); });
  world.at(start + kHangEnds, [&] { world.disk().release(sim::DiskHang::writes); });
  WaitPlace place = WaitPlace::none;
  world.at(start + Duration::s(8), [&] { place = writer.wait_place(); });
  writer.wait();
  const Stall stall = longest(writer.stalls());
  const Stall measured = longest(measured_stalls(data, test.run));
  const std::string name = test.name;
  rows.push_back(within({name + ": stalls after the timer of the commit", "ms",
                         ms(stall.at - kCommitTimer), ms(measured.at - kCommitTimer)},
                        100));
  rows.push_back(
      within({name + ": stalled for", "s", seconds(stall.length), seconds(measured.length)}, 0.5));
  rows.push_back(
      at_most({name + ": goes on after the disk", "ms", ms(stall.end() - kHangEnds), 0}, 500));
  // The stacks of all three: in the journal's get-write-access (Linux I/O model, section 4.2).
  rows.push_back(
      same(name + ": waits for", place == WaitPlace::journal ? "journal" : "other", "journal"));
}

}  // namespace

std::vector<Row> hang_of_all_writes(const CalibrationData& measured) {
  using Way = RecordWriterOptions::Way;
  const Case cases[] = {
      {"mapped, written", "freeze10_fill4k_20", Contents::filled, Way::mapped},
      {"mapped, sparse", "freeze10_sparse_20", Contents::sparse, Way::mapped},
      {"pwrite, written", "freeze10_write_20", Contents::filled, Way::pwrite},
  };
  std::vector<Row> rows;
  for (const Case& test : cases) add_rows(test, measured, rows);
  return rows;
}

}  // namespace drydock::fidelity
