// What a power cut leaves, row by row and column by column. A test makes one pattern, lets the
// column's time pass, cuts the power and looks.
//
//   ext4, data=ordered  the table in the Linux I/O model, section 4.5, which was measured on a real
//                       kernel (device cache surviving)
//   ext4, data=journal  not measured: data and metadata of a call are in one transaction, which is
//                       committed 5 s after it began, or when anybody syncs
//   xfs                 not measured: delayed logging every 30 s, sizes that grow when I/O
//                       completes, no ordered data, nothing that protects a rename without a sync
//
// The same tables hold for a panic, whatever the device: its cache keeps its power (design,
// section 3).
#include <gtest/gtest.h>

#include <array>
#include <functional>

#include "tests/support/file_world.hpp"

namespace drydock::test {
namespace {

constexpr std::int64_t kTwoPages = 8192;
const std::string kOld(kTwoPages, 'o');
const std::string kNew(kTwoPages, 'n');
const std::string kZeros(kTwoPages, '\0');
const std::string kAbsent = "<absent>";
const std::string kEmpty;

// What survives in the device: it has no volatile cache, or its cache keeps its power.
enum class Loss { power_without_device_cache, panic_with_device_cache };

enum class Cut { after_500_ms, after_another_sync, after_7700_ms, after_40_s, after_70_s };
constexpr std::array<const char*, 5> kCuts = {"After500Ms", "AfterAnotherSync", "After7700Ms",
                                              "After40S", "After70S"};

enum class Format { ext4_ordered, ext4_journal, xfs };

// Everything is done to /f; the cells say what is found there, by Cut.
struct Row {
  const char* name;
  void (*play)(FileWorld&);
  std::vector<std::string> cells;
};

// A file that was there before, durable. Afterwards an interval of xfs's log begins.
void with_old_file(FileWorld& world) {
  ASSERT_TRUE(world->write("/f", 0, kOld).has_value());
  ASSERT_TRUE(world->sync("/f").has_value());
  world->close("/f");
  world.run_for(Duration::ns(Duration::s(90).count_ns() - world.kernel.now()));
}
void create(FileWorld& world) { ASSERT_TRUE(world->write("/f", 0, kNew).has_value()); }
void overwrite(FileWorld& world) {
  with_old_file(world);
  ASSERT_TRUE(world->write("/f", 0, kNew).has_value());
}
void append(FileWorld& world) {
  with_old_file(world);
  ASSERT_TRUE(world->write("/f", kTwoPages, kNew).has_value());
}
void write_and_rename(FileWorld& world) {
  ASSERT_TRUE(world->write("/f.tmp", 0, kNew).has_value());
  ASSERT_TRUE(world->now(world->files().rename(world->worker(), "/f.tmp", "/f")).has_value());
}
void rename_over(FileWorld& world) {
  with_old_file(world);
  write_and_rename(world);
}
void store(FileWorld& world) {
  MappedFile& map = world->map("/f", kTwoPages);
  const SharedBytes bytes = SharedBytes::copy_of(kNew);
  ASSERT_TRUE(world->now(map.store(world->worker(), 0, bytes)).has_value());
}
void store_into_sparse(FileWorld& world) {
  world->map("/f", kTwoPages);
  ASSERT_TRUE(world->sync("/f").has_value());
  world.settle();
  store(world);
}
void store_into_fallocated(FileWorld& world) {
  ASSERT_TRUE(world->now(world->file("/f").allocate(world->worker(), 0, kTwoPages)).has_value());
  ASSERT_TRUE(world->sync("/f").has_value());
  world.settle();
  store(world);
}
void unlink(FileWorld& world) {
  with_old_file(world);
  ASSERT_TRUE(world->now(world->files().remove(world->worker(), "/f")).has_value());
}
void extend(FileWorld& world) {
  with_old_file(world);
  ASSERT_TRUE(world->now(world->file("/f").truncate(world->worker(), 2 * kTwoPages)).has_value());
}

const std::string kLonger = kOld + kNew;
const std::string kExtended = kOld + kZeros;

// Cells: after 0.5 s; after 0.5 s with another file synced meanwhile; 7.7 s; 40 s.
const std::vector<Row> kExt4Ordered = {
    {"Create", create, {kAbsent, kEmpty, kEmpty, kNew}},
    {"Overwrite", overwrite, {kOld, kOld, kOld, kNew}},
    {"Append", append, {kOld, kOld, kOld, kLonger}},
    {"RenameOver", rename_over, {kOld, kNew, kNew, kNew}},
    {"RenameToAFreshName", write_and_rename, {kAbsent, kEmpty, kEmpty, kNew}},
    {"StoreIntoSparse", store_into_sparse, {kZeros, kZeros, kZeros, kNew}},
    {"StoreIntoFallocated", store_into_fallocated, {kZeros, kZeros, kZeros, kNew}},
    {"Unlink", unlink, {kOld, kAbsent, kAbsent, kAbsent}},
    {"Extend", extend, {kOld, kExtended, kExtended, kExtended}},
};
const std::vector<Row> kExt4Journal = {
    {"Create", create, {kAbsent, kNew, kNew, kNew}},
    {"Overwrite", overwrite, {kOld, kNew, kNew, kNew}},
    {"Append", append, {kOld, kLonger, kLonger, kLonger}},
    {"RenameOver", rename_over, {kOld, kNew, kNew, kNew}},
    {"RenameToAFreshName", write_and_rename, {kAbsent, kNew, kNew, kNew}},
    {"StoreIntoSparse", store_into_sparse, {kZeros, kNew, kNew, kNew}},
    {"StoreIntoFallocated", store_into_fallocated, {kZeros, kNew, kNew, kNew}},
    {"Unlink", unlink, {kOld, kAbsent, kAbsent, kAbsent}},
    {"Extend", extend, {kOld, kExtended, kExtended, kExtended}},
};
// And after 70 s. The name is in the log after 30 s, the data on the disk after 30 to 35 s, the
// size that its end gave the file in the log after 60 s.
const std::vector<Row> kXfs = {
    {"Create", create, {kAbsent, kEmpty, kAbsent, kEmpty, kNew}},
    {"Overwrite", overwrite, {kOld, kOld, kOld, kNew, kNew}},
    {"Append", append, {kOld, kOld, kOld, kOld, kLonger}},
    {"RenameOver", rename_over, {kOld, kEmpty, kOld, kEmpty, kNew}},
    {"Unlink", unlink, {kOld, kAbsent, kOld, kAbsent, kAbsent}},
};

struct Case {
  Format format;
  Loss loss;
  const Row* row;
  Cut cut;
};

std::vector<Case> cases_of(Format format, Loss loss, const std::vector<Row>& rows) {
  std::vector<Case> cases;
  for (const Row& row : rows) {
    for (std::size_t cut = 0; cut < row.cells.size(); ++cut) {
      cases.push_back({format, loss, &row, static_cast<Cut>(cut)});
    }
  }
  return cases;
}

std::string name_of_case(const testing::TestParamInfo<Case>& info) {
  return std::string(info.param.row->name) + kCuts[static_cast<std::size_t>(info.param.cut)];
}

FileWorldOptions options_for(Format format, Loss loss) {
  FileWorldOptions options;
  if (loss == Loss::panic_with_device_cache) options.disk.profile = sim::sata_ssd();
  if (format == Format::xfs) options.files.kind = sim::FsKind::xfs;
  if (format == Format::ext4_journal) options.files.data = sim::DataMode::journal;
  return options;
}

class CrashTable : public testing::TestWithParam<Case> {
 protected:
  void wait_for_cut() {
    switch (GetParam().cut) {
      case Cut::after_500_ms: world.run_for(Duration::ms(500)); break;
      case Cut::after_another_sync:
        world.run_for(Duration::ms(250));
        ASSERT_TRUE(world->write("/another", 0, "x").has_value());
        ASSERT_TRUE(world->sync("/another").has_value());
        world.run_for(Duration::ms(250));
        break;
      case Cut::after_7700_ms: world.run_for(Duration::ms(7700)); break;
      case Cut::after_40_s: world.run_for(Duration::s(40)); break;
      case Cut::after_70_s: world.run_for(Duration::s(70)); break;
    }
  }
  FileWorld world{options_for(GetParam().format, GetParam().loss)};
};

TEST_P(CrashTable, SaysWhatIsFound) {
  const Case& the = GetParam();
  the.row->play(world);
  wait_for_cut();
  if (the.loss == Loss::panic_with_device_cache) {
    world.panic();
  } else {
    world.power_cut();
  }
  EXPECT_EQ(world->read("/f"), the.row->cells[static_cast<std::size_t>(the.cut)]);
  EXPECT_EQ(world->read("/f.tmp"), kAbsent);
}

INSTANTIATE_TEST_SUITE_P(Ext4Power, CrashTable,
                         testing::ValuesIn(cases_of(Format::ext4_ordered,
                                                    Loss::power_without_device_cache,
                                                    kExt4Ordered)),
                         name_of_case);
INSTANTIATE_TEST_SUITE_P(Ext4Panic, CrashTable,
                         testing::ValuesIn(cases_of(Format::ext4_ordered,
                                                    Loss::panic_with_device_cache, kExt4Ordered)),
                         name_of_case);
INSTANTIATE_TEST_SUITE_P(Ext4JournalPower, CrashTable,
                         testing::ValuesIn(cases_of(Format::ext4_journal,
                                                    Loss::power_without_device_cache,
                                                    kExt4Journal)),
                         name_of_case);
INSTANTIATE_TEST_SUITE_P(Ext4JournalPanic, CrashTable,
                         testing::ValuesIn(cases_of(Format::ext4_journal,
                                                    Loss::panic_with_device_cache, kExt4Journal)),
                         name_of_case);
INSTANTIATE_TEST_SUITE_P(XfsPower, CrashTable,
                         testing::ValuesIn(cases_of(Format::xfs, Loss::power_without_device_cache,
                                                    kXfs)),
                         name_of_case);
INSTANTIATE_TEST_SUITE_P(XfsPanic, CrashTable,
                         testing::ValuesIn(cases_of(Format::xfs, Loss::panic_with_device_cache,
                                                    kXfs)),
                         name_of_case);

// What the device has acknowledged and not flushed: the row by which a panic and a loss of power
// differ on a local disk with a volatile cache. Returns whether the page is found new.
bool written_page_is_new_after(std::uint64_t seed, const std::function<void(FileWorld&)>& blow) {
  FileWorldOptions options = options_for(Format::ext4_ordered, Loss::panic_with_device_cache);
  options.kernel.seed = seed;
  FileWorld world(options);
  EXPECT_TRUE(world->write("/f", 0, kOld).has_value());
  EXPECT_TRUE(world->sync("/f").has_value());
  world.settle();
  EXPECT_TRUE(world->write("/f", 0, kNew).has_value());
  // sync_file_range: the pages reach the device, no flush follows.
  EXPECT_TRUE(world->now(world->file("/f").sync_range(world->worker(), 0, kTwoPages)).has_value());
  blow(world);
  return world->read("/f") == kNew;
}

TEST(DeviceCache, OfALocalDiskSurvivesAPanicAndNotALossOfPower) {
  int kept_by_panic = 0;
  int kept_without_power = 0;
  int kept_by_both = 0;
  const auto panic_then_power_cut = [](FileWorld& world) {
    world.host.panic();
    world.run_for(Duration());
    world.power_cut();
  };
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    if (written_page_is_new_after(seed, &FileWorld::panic)) ++kept_by_panic;
    if (written_page_is_new_after(seed, &FileWorld::power_cut)) ++kept_without_power;
    if (written_page_is_new_after(seed, panic_then_power_cut)) ++kept_by_both;
  }
  EXPECT_EQ(kept_by_panic, 20);
  EXPECT_LT(kept_without_power, 20);
  EXPECT_LT(kept_by_both, 20);
}

// The rows with one cell.

TEST(PowerCutAfterASync, KeepsAFileInAFreshDirectoryWithoutADirectorySync) {
  FileWorld world;
  ASSERT_TRUE(world->now(world->files().create_directories(world->worker(), "/a/b")).has_value());
  ASSERT_TRUE(world->write("/a/b/f", 0, kNew).has_value());
  ASSERT_TRUE(world->sync("/a/b/f").has_value());
  world.power_cut();
  EXPECT_EQ(world->read("/a/b/f"), kNew);
}

TEST(PowerCutAfterASync, KeepsARenameOverOnceAnotherFileIsSynced) {
  FileWorld world;
  ASSERT_TRUE(world->write("/f", 0, kOld).has_value());
  ASSERT_TRUE(world->sync("/f").has_value());
  ASSERT_TRUE(world->write("/f.tmp", 0, kNew).has_value());
  ASSERT_TRUE(world->sync("/f.tmp").has_value());
  ASSERT_TRUE(world->now(world->files().rename(world->worker(), "/f.tmp", "/f")).has_value());
  ASSERT_TRUE(world->write("/another", 0, "x").has_value());
  ASSERT_TRUE(world->sync("/another").has_value());
  world.power_cut();
  EXPECT_EQ(world->read("/f"), kNew);
}

TEST(PowerCutAfterASync, OfOnePageKeepsThatPageAlone) {
  FileWorld world;
  world->map("/f", kTwoPages);
  ASSERT_TRUE(world->sync("/f").has_value());
  MappedFile& map = world->map("/f", kTwoPages);
  ASSERT_TRUE(map.try_store(world->worker(), 0, bytes_of(kNew)));
  ASSERT_TRUE(world->now(map.sync(world->worker(), 0, 4096)).has_value());
  world.power_cut();
  EXPECT_EQ(world->read("/f"), kNew.substr(0, 4096) + kZeros.substr(0, 4096));
}

}  // namespace
}  // namespace drydock::test
