// What the parts of the simulation do not model, and what they assume, is in every report.
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <sstream>

#include "scenarios/world_sim/modelled.hpp"
#include "sim/disk/limits.hpp"
#include "sim/fs/limits.hpp"
#include "sim/host/limits.hpp"
#include "sim/net/limits.hpp"
#include "sim/pagecache/limits.hpp"
#include "sim/profiles/limits.hpp"

namespace drydock::test {
namespace {

template <class Part>
void expect_all_of(const Part& part, const std::vector<std::string>& report) {
  EXPECT_FALSE(part.empty());
  for (const std::string_view line : part) {
    EXPECT_EQ(std::ranges::count(report, line), 1) << line;
  }
}

TEST(Limits, OfEveryPartAreReported) {
  const std::vector<std::string> report = scenarios::not_modelled();
  expect_all_of(sim::kNetNotModelled, report);
  expect_all_of(sim::kDiskNotModelled, report);
  expect_all_of(sim::kPageCacheNotModelled, report);
  expect_all_of(sim::kFsNotModelled, report);
  expect_all_of(sim::kHostNotModelled, report);
}

TEST(Limits, AssumptionsOfEveryPartAreReported) {
  const std::vector<std::string> report = scenarios::assumptions_of(scenarios::Drill());
  expect_all_of(sim::kNetAssumed, report);
  expect_all_of(sim::kDiskAssumed, report);
  expect_all_of(sim::kPageCacheAssumed, report);
  expect_all_of(sim::kFsAssumed, report);
  expect_all_of(sim::kHostAssumed, report);
  expect_all_of(sim::kProfilesAssumed, report);
}

bool has_code(const std::filesystem::path& folder) {
  const std::filesystem::directory_iterator files(folder);
  return std::ranges::any_of(files, [](const std::filesystem::directory_entry& entry) {
    return entry.path().extension() == ".hpp";
  });
}

// A folder that is new has lists of its own. The kernel models nothing: it runs events. Profiles
// are data.
TEST(Limits, AreKeptByEveryFolderOfTheSimulation) {
  const std::filesystem::path root(DRYDOCK_SOURCE_ROOT);
  std::ifstream file(root / "scenarios/world_sim/modelled.cpp");
  std::ostringstream world;
  world << file.rdbuf();
  int folders = 0;
  for (const auto& entry : std::filesystem::directory_iterator(root / "sim")) {
    const std::string folder = entry.path().filename().string();
    if (!entry.is_directory() || folder == "kernel" || !has_code(entry.path())) continue;
    const std::string name = "sim/" + folder + "/limits.hpp";
    EXPECT_TRUE(std::filesystem::exists(root / name)) << name;
    EXPECT_NE(world.str().find("#include \"" + name + "\""), std::string::npos) << name;
    ++folders;
  }
  EXPECT_GE(folders, 6);
}

}  // namespace
}  // namespace drydock::test
