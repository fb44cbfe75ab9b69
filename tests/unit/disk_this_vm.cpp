// The disk of the profile `this-vm` against the measurements of the disk that it describes.
// Facts: Linux I/O model, section 7.1, and experiment A21 of section 11.
#include <gtest/gtest.h>

#include "sim/disk/compiled_profile.hpp"
#include "sim/profiles/builtin_profiles.hpp"
#include "tests/support/disk_load.hpp"
#include "tests/support/disk_world.hpp"

namespace drydock::test {
namespace {

using Kind = sim::DiskCommand::Kind;

sim::DiskOptions this_vm() {
  const sim::Profile* const file = sim::builtin_profile("this-vm");
  sim::DiskProfile profile = sim::compiled_profile(*file, 1 << 30);
  return {.name = "d0", .capacity_bytes = 1 << 30, .profile = std::move(profile)};
}

TEST(ThisVm, IsAsFastAtEveryDepthAsMeasured) {
  const std::vector<std::pair<int, std::int64_t>> measured = {
      {1, 8'928},   {4, 24'697},  {8, 27'153},  {16, 35'222},
      {32, 50'790}, {64, 40'799}, {128, 64'059}};
  for (const auto& [depth, iops] : measured) {
    DiskWorld world(this_vm());
    DiskLoad load(world.kernel, world.path, {.kind = Kind::read, .depth = depth});
    world.run_for(Duration::s(3));
    EXPECT_NEAR(static_cast<double>(load.per_second()), static_cast<double>(iops),
                static_cast<double>(iops) * 0.25)
        << depth;
  }
}

TEST(ThisVm, WritesAsFastAtBothDepthsAsMeasured) {
  for (const auto& [depth, iops] : {std::pair{1, 9'015.0}, std::pair{32, 46'400.0}}) {
    DiskWorld world(this_vm());
    DiskLoad load(world.kernel, world.path, {.kind = Kind::write, .depth = depth});
    world.run_for(Duration::s(1));
    EXPECT_NEAR(static_cast<double>(load.per_second()), iops, iops * 0.25) << depth;
  }
}

TEST(ThisVm, AProbeBesideAWriterTakesAsLongAsMeasured) {
  DiskWorld world(this_vm());
  DiskLoad writer(world.kernel, world.path, {.kind = Kind::write, .bytes = 256 << 10, .depth = 16});
  DiskLoad probe(world.kernel, world.path, {.kind = Kind::read});
  world.run_for(Duration::ms(100));
  probe.forget_the_past();
  world.run_for(Duration::s(1));
  EXPECT_GT(probe.percentile(500), 1'056 / 2);
  EXPECT_LT(probe.percentile(500), 1'056 * 2);
}

TEST(ThisVm, AMixOfReadsAndWritesIsAsFastAsMeasured) {
  DiskWorld world(this_vm());
  DiskLoad load(world.kernel, world.path, {.depth = 32, .read_percent = 70});
  world.run_for(Duration::s(1));
  EXPECT_NEAR(static_cast<double>(load.per_second(load.reads())), 27'734, 27'734 * 0.25);
  EXPECT_NEAR(static_cast<double>(load.per_second(load.writes())), 11'939, 11'939 * 0.25);
}

}  // namespace
}  // namespace drydock::test
