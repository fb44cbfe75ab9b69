// What a power cut leaves, row by row and column by column of the table in the Linux I/O model,
// section 4.5, which was measured on a real kernel (device cache surviving). Every test makes one
// pattern, lets the column's time pass, cuts the power and looks.
#include <gtest/gtest.h>

#include <functional>

#include "tests/support/file_world.hpp"

namespace drydock::test {
namespace {

constexpr std::int64_t kTwoPages = 8192;
const std::string kOld(kTwoPages, 'o');
const std::string kNew(kTwoPages, 'n');
const std::string kZeros(kTwoPages, '\0');

enum class Cut { after_500_ms, after_another_sync, after_7700_ms, after_40_s };

std::string name_of_column(const testing::TestParamInfo<Cut>& column) {
  switch (column.param) {
    case Cut::after_500_ms: return "After500Ms";
    case Cut::after_another_sync: return "AfterAnotherSync";
    case Cut::after_7700_ms: return "After7700Ms";
    case Cut::after_40_s: return "After40S";
  }
  return "";
}

class PowerCut : public testing::TestWithParam<Cut> {
 protected:
  // A file that was there before, durable.
  void with(const std::string& path, const std::string& content) {
    ASSERT_TRUE(world->write(path, 0, content).has_value());
    ASSERT_TRUE(world->sync(path).has_value());
    world->close(path);
    world.settle();
  }
  void cut() {
    switch (GetParam()) {
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
    world.power_cut();
  }
  // The cell of the present column.
  const std::string& cell(const std::string& after_500_ms, const std::string& after_another_sync,
                          const std::string& after_7700_ms, const std::string& after_40_s) const {
    switch (GetParam()) {
      case Cut::after_500_ms: return after_500_ms;
      case Cut::after_another_sync: return after_another_sync;
      case Cut::after_7700_ms: return after_7700_ms;
      case Cut::after_40_s: return after_40_s;
    }
    return after_500_ms;
  }

  const std::string absent = "<absent>";
  const std::string empty;
  FileWorld world;
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
                         testing::Values(Cut::after_500_ms, Cut::after_another_sync,
                                         Cut::after_7700_ms, Cut::after_40_s),
                         name_of_column);

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
