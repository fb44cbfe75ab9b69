// A18: touches of a mapping of 128 MiB: how many faults they are, and what they read.
#include "tools/fidelity/actor.hpp"
#include "tools/fidelity/all.hpp"
#include "tools/fidelity/csv_table.hpp"
#include "tools/fidelity/devices.hpp"
#include "tools/fidelity/set_up.hpp"

namespace drydock::fidelity {
namespace {

constexpr std::int64_t kFileBytes = 128 * kMiB;
constexpr std::int64_t kPages = kFileBytes / sim::kPageBytes;

enum class State : std::uint8_t { cached, absent };

// Faults that the touches of these pages are.
sim::FaultCounters touch(State state, Advice advice, const std::vector<std::int64_t>& pages) {
  StorageWorld world({.disk = loop_disk(1'000'000'000), .files = default_dirty_limits()});
  Actor actor(world, "actor");
  actor.filled("/f", kFileBytes);
  if (state == State::absent) world.cache().drop_clean();
  MappedFile& map = actor.map("/f", kFileBytes);
  ENSURE(map.advise(advice).has_value());
  world.cache().faults() = {};
  for (const std::int64_t page : pages) {
    const std::int64_t offset = page * sim::kPageBytes;
    if (map.try_load(offset, 1).empty()) actor.must(map.load(actor.worker(), offset, 1));
  }
  return world.cache().faults();
}

std::vector<std::int64_t> all_pages() {
  std::vector<std::int64_t> pages;
  for (std::int64_t page = 0; page < kPages; ++page) pages.push_back(page);
  return pages;
}

// Each at most once.
std::vector<std::int64_t> some_pages(std::size_t count) {
  RandomStream random(1, "touches");
  std::vector<std::int64_t> pages = all_pages();
  for (std::size_t i = 0; i < count; ++i) {
    std::swap(pages[i], pages[i + static_cast<std::size_t>(random.below(pages.size() - i))]);
  }
  pages.resize(count);
  return pages;
}

double kib_read(const sim::FaultCounters& faults) {
  return static_cast<double>(faults.pages_read * sim::kPageBytes / 1024);
}

}  // namespace

std::vector<Row> page_faults(const CalibrationData& measured) {
  const CsvTable table(measured, "pagefault_loop_readahead128k.csv");
  const CsvTable::Row& real_random = table.row_with("case", "file_cold_random_MADV_RANDOM");
  const CsvTable::Row& real_around = table.row_with("case", "file_cold_random_MADV_NORMAL");
  const auto touches = [](const CsvTable::Row& row) {
    return static_cast<std::size_t>(row.count("count", kPages));
  };
  const sim::FaultCounters random =
      touch(State::absent, Advice::random, some_pages(touches(real_random)));
  const sim::FaultCounters around =
      touch(State::absent, Advice::normal, some_pages(touches(real_around)));
  const sim::FaultCounters cached = touch(State::cached, Advice::normal, all_pages());
  const auto count = static_cast<double>(real_around.count("count", kPages));
  return {
      within({"random advice: major faults", "", static_cast<double>(random.major),
              real_random.number("majflt")},
             0),
      within({"random advice: read", "KiB", kib_read(random), real_random.number("read_kb")}, 0),
      within_percent({"read-around: major faults", "", static_cast<double>(around.major),
                      real_around.number("majflt")},
                     25),
      within_percent({"read-around: read per touch", "KiB", kib_read(around) / count,
                      real_around.number("read_kb") / count},
                     25),
      // Linux I/O model, section 3.2; the measured file was in folios of 1 MiB.
      within({"cached pages that a fault maps", "",
              static_cast<double>(kPages) / static_cast<double>(cached.minor), 16},
             0),
  };
}

}  // namespace drydock::fidelity
