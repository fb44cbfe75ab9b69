// A20: a power cut after operations without and with fsync, device cache surviving: every file is
// found as it was found on the real file system, after the same time.
#include <algorithm>

#include "tools/fidelity/actor.hpp"
#include "tools/fidelity/all.hpp"
#include "tools/fidelity/csv_table.hpp"
#include "tools/fidelity/devices.hpp"
#include "tools/fidelity/set_up.hpp"

namespace drydock::fidelity {
namespace {

constexpr std::int64_t kOldBytes = 8192;
constexpr std::int64_t kMapBytes = kMiB;

SharedBytes filled_with(char letter) {
  return SharedBytes::copy_of(std::string(static_cast<std::size_t>(kOldBytes), letter));
}

// The files that were there before, durable.
void make_old_files(Actor& actor) {
  for (const char* const name :
       {"C_overwrite_nosync", "D_append_nosync", "E_rename_over_nosync", "K_unlink_nosync",
        "L_extend_truncate_nosync", "F_tmp_fsync_rename_over"}) {
    File& file = actor.file(std::string("/") + name);
    actor.must(file.write_at(actor.worker(), 0, filled_with('o')));
    actor.must(file.sync_all(actor.worker()));
  }
  for (const char* const name : {"H_sparse_mmap_nosync", "N_sparse_mmap_msync"}) {
    File& file = actor.file(std::string("/") + name);
    actor.must(file.truncate(actor.worker(), kMapBytes));
    actor.must(file.sync_all(actor.worker()));
  }
  for (const char* const name : {"I_falloc_mmap_nosync", "M_falloc_mmap_msync"}) {
    File& file = actor.file(std::string("/") + name);
    actor.must(file.allocate(actor.worker(), 0, kMapBytes));
    actor.must(file.sync_all(actor.worker()));
  }
}

void write_new(Actor& actor, const std::string& path, std::int64_t offset = 0) {
  actor.must(actor.file(path).write_at(actor.worker(), offset, filled_with('n')));
}
void sync(Actor& actor, const std::string& path) {
  actor.must(actor.file(path).sync_all(actor.worker()));
}
void rename(Actor& actor, const std::string& from, const std::string& to) {
  actor.must(actor.files().rename(actor.worker(), from, to));
}
MappedFile& store_new(Actor& actor, const std::string& path) {
  MappedFile& map = actor.map(path, kMapBytes);
  actor.must(map.store(actor.worker(), 0, filled_with('n')));
  return map;
}

void operate_without_sync(Actor& actor) {
  write_new(actor, "/A_new_nosync");
  write_new(actor, "/C_overwrite_nosync");
  write_new(actor, "/D_append_nosync", kOldBytes);
  write_new(actor, "/E.tmp");
  rename(actor, "/E.tmp", "/E_rename_over_nosync");
  write_new(actor, "/G.tmp");
  rename(actor, "/G.tmp", "/G_rename_newname_nosync");
  store_new(actor, "/H_sparse_mmap_nosync");
  store_new(actor, "/I_falloc_mmap_nosync");
  actor.must(actor.files().remove(actor.worker(), "/K_unlink_nosync"));
  actor.must(actor.file("/L_extend_truncate_nosync").truncate(actor.worker(), 2 * kOldBytes));
}

void operate_with_sync(Actor& actor) {
  write_new(actor, "/B_new_fsync");
  sync(actor, "/B_new_fsync");
  write_new(actor, "/F.tmp");
  sync(actor, "/F.tmp");
  rename(actor, "/F.tmp", "/F_tmp_fsync_rename_over");
  actor.must(actor.files().create_directories(actor.worker(), "/J"));
  write_new(actor, "/J/dir_file_fsync");
  sync(actor, "/J/dir_file_fsync");
  for (const char* const path : {"/M_falloc_mmap_msync", "/N_sparse_mmap_msync"}) {
    MappedFile& map = store_new(actor, path);
    actor.must(map.sync(actor.worker(), 0, sim::kPageBytes));
  }
  write_new(actor, "/P_after_last_fsync");
}

// In the words of crash_outcomes.csv.
std::string state_of(Actor& actor, const std::string& path) {
  const OpenOptions options{.mode = OpenMode::read_only};
  const auto opened = actor.start(actor.files().open(actor.worker(), path, options));
  actor.wait(opened);
  if (!opened->result->has_value()) return "absent";
  File& file = ***opened->result;
  const ByteChain bytes = actor.must(file.read_at(actor.worker(), 0, 2 * kMapBytes));
  if (bytes.size() == 0) return "size=0 empty";
  const SharedBytes whole = bytes.flatten();
  const auto count = [&whole](char letter) {
    return std::count(whole.span().begin(), whole.span().end(), static_cast<std::byte>(letter));
  };
  const std::string size = "size=" + std::to_string(whole.size()) + " ";
  const auto all = static_cast<std::ptrdiff_t>(whole.size());
  if (count('o') == all) return size + "all-old";
  if (count('n') == all) return size + "all-new";
  if (count('\0') == all) return size + "all-zero";
  return size + "mixed(new=" + std::to_string(count('n')) + ",old=" + std::to_string(count('o')) +
         ",zero=" + std::to_string(count('\0')) + ")";
}

// A state per file: what is found after a power cut `after` the operations.
std::map<std::string, std::string> cut_after(Duration after, bool with_sync,
                                             const std::vector<const CsvTable::Row*>& cells) {
  sim::DiskProfile disk = loop_disk(1'000'000'000);
  disk.volatile_cache = false;
  StorageWorld world({.disk = disk, .files = default_dirty_limits()});
  Actor before(world, "before");
  make_old_files(before);
  world.run_for(Duration::s(60));
  const Duration start = world.now();
  operate_without_sync(before);
  if (with_sync) operate_with_sync(before);
  world.run_to(start + after);
  world.host().lose_power();
  world.run_for(Duration());
  world.host().restore_power();
  world.run_for(Duration::s(1));
  Actor afterwards(world, "afterwards");
  std::map<std::string, std::string> states;
  for (const CsvTable::Row* cell : cells) {
    states[cell->text("file")] = state_of(afterwards, "/" + cell->text("file"));
  }
  return states;
}

}  // namespace

std::vector<Row> power_cuts(const CalibrationData& measured) {
  const CsvTable table(measured, "crash_outcomes.csv");
  // Cells by scenario and time.
  std::map<std::pair<std::string, double>, std::vector<const CsvTable::Row*>> snapshots;
  for (const CsvTable::Row& row : table.rows()) {
    snapshots[{row.text("scenario"), row.number("snapshot_after_s")}].push_back(&row);
  }
  std::vector<Row> rows;
  for (const auto& [snapshot, cells] : snapshots) {
    const auto& [scenario, after_s] = snapshot;
    const bool with_sync = scenario != "nosync_only";
    const auto states =
        cut_after(Duration::ms(static_cast<std::int64_t>(after_s * 1000)), with_sync, cells);
    std::string name = "after " + text_of(after_s, "s");
    if (with_sync) name += ", others synced";
    double equal = 0;
    for (const CsvTable::Row* cell : cells) {
      const std::string& file = cell->text("file");
      const std::string& real = cell->text("state_after_recovery");
      if (states.at(file) == real) {
        ++equal;
      } else {
        rows.push_back(same(name + ": " + file, states.at(file), real));
      }
    }
    const auto all = static_cast<double>(cells.size());
    rows.push_back(within({name + ": files as they were found", "", equal, all}, 0));
  }
  return rows;
}

}  // namespace drydock::fidelity
