// What the model of a disk gets from the files: the values that drills have always run with.
#include <gtest/gtest.h>

#include "sim/disk/compiled_profile.hpp"
#include "sim/profiles/builtin_profiles.hpp"

namespace drydock::test {
namespace {

using sim::DiskProfile;
using sim::QuantileTable;

struct Percentiles {
  std::int64_t least, p50, p99, p999;  // Microseconds.
};

// The same draw at every quantile means the same run.
void expect_draws(const QuantileTable& table, const Percentiles& us) {
  const QuantileTable before{{0, us.least * 1'000},
                             {500'000, us.p50 * 1'000},
                             {990'000, us.p99 * 1'000},
                             {999'000, us.p999 * 1'000}};
  for (std::int64_t at = 0; at < QuantileTable::kMillion; at += 101) {
    ASSERT_EQ(table.at(at), before.at(at)) << at;
  }
}

TEST(DiskProfiles, LocalNvmeIsAsItWas) {
  const DiskProfile profile = sim::local_nvme();
  EXPECT_EQ(profile.name, "local-nvme");
  expect_draws(profile.read, {65, 80, 150, 400});
  expect_draws(profile.write, {12, 15, 60, 1'000});
  expect_draws(profile.flush, {15, 20, 60, 60});
  EXPECT_EQ(profile.read_servers, 64);
  EXPECT_EQ(profile.write_servers, 16);
  EXPECT_EQ(profile.read_bytes_per_s, 3'200'000'000);
  EXPECT_EQ(profile.write_bytes_per_s, 1'800'000'000);
  EXPECT_EQ(profile.read_iops, 700'000);
  EXPECT_EQ(profile.write_iops, 150'000);
  EXPECT_FALSE(profile.shared_quota);
  EXPECT_EQ(profile.logical_block_bytes, 512);
  EXPECT_EQ(profile.atomic_write_bytes, 512);
  EXPECT_FALSE(profile.volatile_cache);
  EXPECT_TRUE(profile.force_unit_access);
}

TEST(DiskProfiles, SataSsdIsAsItWas) {
  const DiskProfile profile = sim::sata_ssd();
  EXPECT_EQ(profile.name, "sata-ssd");
  expect_draws(profile.read, {100, 130, 300, 2'000});
  expect_draws(profile.write, {45, 60, 400, 8'000});
  expect_draws(profile.flush, {1'000, 1'500, 8'000, 8'000});
  EXPECT_EQ(profile.read_servers, 10);
  EXPECT_EQ(profile.write_servers, 4);
  EXPECT_EQ(profile.read_bytes_per_s, 540'000'000);
  EXPECT_EQ(profile.write_bytes_per_s, 450'000'000);
  EXPECT_EQ(profile.read_iops, 90'000);
  EXPECT_EQ(profile.write_iops, 60'000);
  EXPECT_FALSE(profile.shared_quota);
  EXPECT_EQ(profile.atomic_write_bytes, 512);
  EXPECT_TRUE(profile.volatile_cache);
  EXPECT_EQ(profile.cache_bytes, 256 << 20);
  EXPECT_FALSE(profile.force_unit_access);
}

TEST(DiskProfiles, CloudEssdPl1IsAsItWasAtEverySize) {
  for (const std::int64_t gib : {0, 1, 20, 64, 459, 460, 461, 963, 964, 965, 30'000}) {
    const DiskProfile profile = sim::cloud_essd_pl1(gib << 30);
    const std::int64_t iops = std::min<std::int64_t>(1'800 + 50 * gib, 50'000);
    const std::int64_t bytes = std::min<std::int64_t>(120'000'000 + gib * 500'000, 350'000'000);
    EXPECT_EQ(profile.read_iops, iops) << gib;
    EXPECT_EQ(profile.write_iops, iops) << gib;
    EXPECT_EQ(profile.read_bytes_per_s, bytes) << gib;
    EXPECT_EQ(profile.write_bytes_per_s, bytes) << gib;
  }
  const DiskProfile profile = sim::cloud_essd_pl1(1 << 20);
  EXPECT_EQ(profile.name, "cloud-essd-pl1");
  expect_draws(profile.read, {200, 250, 700, 3'000});
  expect_draws(profile.write, {160, 200, 600, 3'000});
  expect_draws(profile.flush, {200, 250, 2'000, 2'000});
  EXPECT_EQ(profile.read_servers, 32);
  EXPECT_EQ(profile.write_servers, 32);
  EXPECT_TRUE(profile.shared_quota);
  EXPECT_FALSE(profile.volatile_cache);
  EXPECT_TRUE(profile.force_unit_access);
}

// Of as many draws as there are steps.
double mean_of(const QuantileTable& table) {
  constexpr std::int64_t kSteps = 10'000;
  double sum = 0;
  for (std::int64_t i = 0; i < kSteps; ++i) {
    sum += static_cast<double>(
        table.at((2 * i + 1) * QuantileTable::kMillion / (2 * kSteps)).count_ns());
  }
  return sum / kSteps;
}

// fio_randread_4k_qd1, fio_randwrite_4k_qd1 and fio_fsync_each_4k less the median of a write: a
// table with a point too few is on a straight line where most of the times are not.
TEST(DiskProfiles, ThisVmsTablesHaveTheMeanThatWasMeasured) {
  const DiskProfile profile = sim::compiled_profile(*sim::builtin_profile("this-vm"), 1 << 30);
  EXPECT_NEAR(mean_of(profile.read), 66'358, 66'358 * 0.1);
  EXPECT_NEAR(mean_of(profile.write), 67'272, 67'272 * 0.15);  // Longest: 77 ms, beyond the table.
  EXPECT_NEAR(mean_of(profile.flush), 1'178'807 - 32'384, 1'146'000 * 0.05);
}

// Linux I/O model, section 9.
TEST(DiskProfiles, ThisVmIsTheMeasuredColumn) {
  const sim::Profile* const file = sim::builtin_profile("this-vm");
  ASSERT_NE(file, nullptr);
  const DiskProfile profile = sim::compiled_profile(*file, 1 << 30);
  EXPECT_EQ(profile.read.at(500'000), Duration::us(31));
  EXPECT_EQ(profile.read.at(999'000), Duration::us(4'300));
  EXPECT_EQ(profile.write.at(990'000), Duration::us(403));
  EXPECT_EQ(profile.flush.at(990'000), Duration::us(6'000));
  EXPECT_EQ(profile.read_servers, 7);
  EXPECT_EQ(profile.write_servers, 6);
  EXPECT_EQ(profile.read_iops, 64'000);
  EXPECT_EQ(profile.write_bytes_per_s, 1'800'000'000);
  EXPECT_FALSE(profile.force_unit_access);
}

TEST(DiskProfiles, TimesPerKibReachTheDisk) {
  sim::Profile file = *sim::builtin_profile("this-vm");
  file[sim::ProfileKey::read_time_per_kib] = sim::ProfileValue{.low = 500};
  file[sim::ProfileKey::write_time_per_kib] = sim::ProfileValue{.low = 895};
  const DiskProfile profile = sim::compiled_profile(file, 1 << 30);
  EXPECT_EQ(profile.read_time_per_kib, Duration::ns(500));
  EXPECT_EQ(profile.write_time_per_kib, Duration::ns(895));
}

// Linux page-writeback: 25,600 pages a second.
TEST(DiskProfiles, HostsBeginWithTheKernelsEstimateOfTheirBandwidth) {
  for (const std::string& name : sim::builtin_profile_names()) {
    const auto& known = (*sim::builtin_profile(name))[sim::ProfileKey::initial_write_bandwidth];
    ASSERT_TRUE(known.has_value()) << name;
    EXPECT_EQ(known->low, 25'600 * 4096) << name;
  }
}

}  // namespace
}  // namespace drydock::test
