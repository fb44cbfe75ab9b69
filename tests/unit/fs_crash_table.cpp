// What a power cut leaves, row by row and column by column of the table in the Linux I/O model,
// section 4.5, which was measured on a real kernel (device cache surviving). Every test makes one
// pattern, lets the column's time pass, cuts the power and looks. The same table holds for a panic,
// whatever the device: its cache keeps its power (design, section 3).
#include <gtest/gtest.h>

#include <functional>
#include <tuple>

#include "tests/support/file_world.hpp"

namespace drydock::test {
namespace {

constexpr std::int64_t kTwoPages = 8192;
const std::string kOld(kTwoPages, 'o');
const std::string kNew(kTwoPages, 'n');
const std::string kZeros(kTwoPages, '\0');

enum class Cut { after_500_ms, after_another_sync, after_7700_ms, after_40_s };

// What survives in the device: it has no volatile cache, or its cache keeps its power.
enum class Loss { power_without_device_cache, panic_with_device_cache };
using Column = std::tuple<Cut, Loss>;

std::string name_of_cut(Cut cut) {
  switch (cut) {
    case Cut::after_500_ms: return "After500Ms";
    case Cut::after_another_sync: return "AfterAnotherSync";
    case Cut::after_7700_ms: return "After7700Ms";
    case Cut::after_40_s: return "After40S";
  }
  return "";
}

std::string name_of_column(const testing::TestParamInfo<Column>& column) {
  const bool panic = std::get<Loss>(column.param) == Loss::panic_with_device_cache;
  return (panic ? "Panic" : "Power") + name_of_cut(std::get<Cut>(column.param));
}

FileWorldOptions options_for(Loss loss) {
  FileWorldOptions options;
  if (loss == Loss::panic_with_device_cache) options.disk.profile = sim::sata_ssd();
  return options;
}

class PowerCut : public testing::TestWithParam<Column> {
 protected:
  // A file that was there before, durable.
  void with(const std::string& path, const std::string& content) {
    ASSERT_TRUE(world->write(path, 0, content).has_value());
    ASSERT_TRUE(world->sync(path).has_value());
    world->close(path);
    world.settle();
  }
  void cut() {
    switch (std::get<Cut>(GetParam())) {
      case Cut::after_500_ms: world.run_for(Duration::ms(500)); break;
      case Cut::after_another_sync:
        world.run_for(Duration::ms(250));
        ASSERT_TRUE(world->write("/another", 0, "x").has_value());
        ASSERT_TRUE(world->sync("/another").has_value());
        world.run_for(Duration::ms(250));
        break;
      case Cut::after_7700_ms: world.run_for(Duration::ms(7700)); break;
      case Cut::after_40_s: world.run_for(Duration::s(40)); break;
    }
    if (std::get<Loss>(GetParam()) == Loss::panic_with_device_cache) return world.panic();
    world.power_cut();
  }
  // The cell of the present column.
  const std::string& cell(const std::string& after_500_ms, const std::string& after_another_sync,
                          const std::string& after_7700_ms, const std::string& after_40_s) const {
    switch (std::get<Cut>(GetParam())) {
      case Cut::after_500_ms: return after_500_ms;
      case Cut::after_another_sync: return after_another_sync;
      case Cut::after_7700_ms: return after_7700_ms;
      case Cut::after_40_s: return after_40_s;
    }
    return after_500_ms;
  }

  const std::string absent = "<absent>";
  const std::string empty;
  FileWorld world{options_for(std::get<Loss>(GetParam()))};
};

TEST_P(PowerCut, OfACreatedAndWrittenFile) {
  ASSERT_TRUE(world->write("/f", 0, kNew).has_value());
  cut();
  EXPECT_EQ(world->read("/f"), cell(absent, empty, empty, kNew));
}

TEST_P(PowerCut, OfAnOverwriteInPlace) {
  with("/f", kOld);
  ASSERT_TRUE(world->write("/f", 0, kNew).has_value());
  cut();
  EXPECT_EQ(world->read("/f"), cell(kOld, kOld, kOld, kNew));
}

TEST_P(PowerCut, OfAnAppend) {
  with("/f", kOld);
  ASSERT_TRUE(world->write("/f", kTwoPages, kNew).has_value());
  cut();
  EXPECT_EQ(world->read("/f"), cell(kOld, kOld, kOld, kOld + kNew));
}

TEST_P(PowerCut, OfARenameOverAnExistingFile) {
  with("/f", kOld);
  ASSERT_TRUE(world->write("/f.tmp", 0, kNew).has_value());
  ASSERT_TRUE(world->now(world->files().rename(world->worker(), "/f.tmp", "/f")).has_value());
  cut();
  EXPECT_EQ(world->read("/f"), cell(kOld, kNew, kNew, kNew));
  EXPECT_EQ(world->read("/f.tmp"), absent);
}

TEST_P(PowerCut, OfARenameToAFreshName) {
  ASSERT_TRUE(world->write("/f.tmp", 0, kNew).has_value());
  ASSERT_TRUE(world->now(world->files().rename(world->worker(), "/f.tmp", "/f")).has_value());
  cut();
  EXPECT_EQ(world->read("/f"), cell(absent, empty, empty, kNew));
}

TEST_P(PowerCut, OfAStoreIntoASparseMapping) {
  world->map("/f", kTwoPages);
  ASSERT_TRUE(world->sync("/f").has_value());
  world.settle();
  ASSERT_TRUE(world->map("/f", kTwoPages).try_store(world->worker(), 0, bytes_of(kNew)));
  cut();
  EXPECT_EQ(world->read("/f"), cell(kZeros, kZeros, kZeros, kNew));
}

TEST_P(PowerCut, OfAStoreIntoAFallocatedMapping) {
  ASSERT_TRUE(world->now(world->file("/f").allocate(world->worker(), 0, kTwoPages)).has_value());
  ASSERT_TRUE(world->sync("/f").has_value());
  world.settle();
  ASSERT_TRUE(world->map("/f", kTwoPages).try_store(world->worker(), 0, bytes_of(kNew)));
  cut();
  EXPECT_EQ(world->read("/f"), cell(kZeros, kZeros, kZeros, kNew));
}

TEST_P(PowerCut, OfAnUnlink) {
  with("/f", kOld);
  ASSERT_TRUE(world->now(world->files().remove(world->worker(), "/f")).has_value());
  cut();
  EXPECT_EQ(world->read("/f"), cell(kOld, absent, absent, absent));
}

TEST_P(PowerCut, OfATruncateThatExtends) {
  with("/f", kOld);
  ASSERT_TRUE(world->now(world->file("/f").truncate(world->worker(), 2 * kTwoPages)).has_value());
  cut();
  const std::string extended = kOld + kZeros;
  EXPECT_EQ(world->read("/f"), cell(kOld, extended, extended, extended));
}

INSTANTIATE_TEST_SUITE_P(Table, PowerCut,
                         testing::Combine(testing::Values(Cut::after_500_ms,
                                                          Cut::after_another_sync,
                                                          Cut::after_7700_ms, Cut::after_40_s),
                                          testing::Values(Loss::power_without_device_cache,
                                                          Loss::panic_with_device_cache)),
                         name_of_column);

// What the device has acknowledged and not flushed: the row by which a panic and a loss of power
// differ on a local disk with a volatile cache. Returns whether the page is found new.
bool written_page_is_new_after(std::uint64_t seed, const std::function<void(FileWorld&)>& blow) {
  FileWorldOptions options = options_for(Loss::panic_with_device_cache);
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
