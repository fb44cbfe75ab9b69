// How `servers_per_doubling` is fitted: the model of a disk is run until it is as fast as fio said.
// Facts: Linux I/O model, sections 7.1 and 10; what a synthetic disk was made with.
#include <gtest/gtest.h>

#include <algorithm>

#include "sim/disk/compiled_profile.hpp"
#include "sim/disk/depth_model.hpp"
#include "sim/profiles/builtin_profiles.hpp"
#include "sim/profiles/fit.hpp"
#include "tests/support/disk_load.hpp"
#include "tests/support/disk_profiles.hpp"
#include "tests/support/disk_world.hpp"

namespace drydock::test {
namespace {

using sim::Calibration;
using sim::FioJob;
using sim::ProfileKey;
using Kind = sim::DiskCommand::Kind;

constexpr auto kLaw = ProfileKey::servers_per_doubling;

std::vector<FioJob> jobs_of(const std::vector<std::string>& names) {
  std::vector<FioJob> jobs;
  for (const std::string& name : names) jobs.push_back(fio_jobs(name).front());
  return jobs;
}

Calibration calibrated(const std::vector<FioJob>& jobs, const char* base = "local-nvme") {
  const sim::CalibrationOptions options{.name = "mine", .model = sim::command_ns_at_depth};
  auto result = sim::calibrate(jobs, *sim::builtin_profile(base), options);
  EXPECT_TRUE(result.has_value()) << result.error();
  return std::move(result).value_or(Calibration());
}

bool says(const std::vector<std::string>& lines, std::string_view part) {
  return std::ranges::any_of(lines, [&](const std::string& line) { return line.contains(part); });
}

void set_law(sim::Profile& profile, std::int64_t per_doubling) {
  sim::ProfileValue law;
  law.low = per_doubling;
  law.stamp = {sim::Evidence::assumed, "made up"};
  profile[kLaw] = law;
}

// What a load like fio's gets out of a disk of that profile, which is no part of the fit.
double rate_of(const sim::Profile& profile, Kind kind, int depth) {
  sim::DiskOptions options{.name = "real",
                           .capacity_bytes = 1 << 30,
                           .profile = sim::compiled_profile(profile, 1 << 30)};
  DiskWorld world(std::move(options), 7);
  DiskLoad load(world.kernel, world.path, {.kind = kind, .depth = depth});
  world.run_for(Duration::s(2));
  return static_cast<double>(load.per_second());
}

// A disk of 8 servers, 100 us each. 0: it has no law, or no limit to speak of.
struct Made {
  std::int64_t law = 0;
  std::int64_t max_read_iops = 0;
};

// fio's jobs on it: reads at these depths.
std::vector<FioJob> synthetic_jobs(const Made& made, const std::vector<int>& depths) {
  sim::Profile disk = *sim::builtin_profile("local-nvme");
  disk[ProfileKey::read_latency]->points = {{.per_million = 0, .ns = 100'000, .stamp = {}}};
  disk[ProfileKey::read_servers]->low = 8;
  if (made.law > 0) set_law(disk, made.law);
  if (made.max_read_iops > 0) disk[ProfileKey::max_read_iops]->low = made.max_read_iops;
  FioJob job = fio_jobs("randread_4k_qd1").front();
  sim::FioLatency& latency = job.read.completion;
  latency.mean_ns = 100'000;
  latency.min_ns = latency.max_ns = 100'000;
  for (sim::FioPercentile& percentile : latency.percentiles) percentile.ns = 100'000;
  std::vector<FioJob> jobs;
  for (const int depth : depths) {
    job.place = "made.json: /jobs/" + std::to_string(jobs.size());
    job.stage = static_cast<int>(jobs.size());
    job.depth = depth;
    job.read.iops = rate_of(disk, Kind::read, depth);
    jobs.push_back(job);
  }
  return jobs;
}

const std::vector<int> kDepths{1, 4, 8, 32, 128};

// Their deepest queues reach their limits.
TEST(Parallelism, TheLawOfASyntheticDiskIsFoundAgain) {
  for (const Made& made : {Made{200, 22'000}, Made{430, 36'000}, Made{700, 55'000}}) {
    const Calibration result = calibrated(synthetic_jobs(made, kDepths));
    ASSERT_TRUE(result.profile[kLaw].has_value()) << made.law;
    const std::int64_t found = result.profile[kLaw]->low;
    EXPECT_LE(std::abs(found - made.law) * 20, made.law) << found << " for " << made.law;
    EXPECT_LE(std::abs(result.profile.get(ProfileKey::max_read_iops).low - made.max_read_iops) * 50,
              made.max_read_iops);
    EXPECT_EQ(result.profile[kLaw]->stamp.evidence, sim::Evidence::measured);
    EXPECT_FALSE(says(result.flags, "the fit is off")) << made.law;
  }
}

// The limit is then what it reached, which is too low, and the law makes up for it.
TEST(Parallelism, ADiskThatReachesNoLimitIsStillAsFastAsMeasured) {
  const Calibration result = calibrated(synthetic_jobs({.law = 430}, kDepths));
  ASSERT_TRUE(result.profile[kLaw].has_value());
  EXPECT_NEAR(static_cast<double>(result.profile[kLaw]->low), 430, 65);
  EXPECT_FALSE(says(result.flags, "the fit is off"));
}

TEST(Parallelism, ADiskWithoutALawGetsNoneThoughItsBaseHasOne) {
  const Calibration result = calibrated(synthetic_jobs({}, kDepths), "this-vm");
  EXPECT_FALSE(result.profile[kLaw].has_value());
  EXPECT_TRUE(says(result.notes, "servers_per_doubling: none, the disk needs no such law"));
  EXPECT_EQ(std::ranges::count(result.kept, "servers_per_doubling"), 0);
}

TEST(Parallelism, TwoDepthsDoNotShowIt) {
  const Calibration result = calibrated(synthetic_jobs({.law = 430}, {1, 32}));
  EXPECT_FALSE(result.profile[kLaw].has_value());
  EXPECT_TRUE(says(result.notes,
                   "servers_per_doubling: not fitted: that takes 4 KiB at random at "
                   "3 depths or more, 1 of them"));
  // With nothing measured it is the base's, as everything else.
  const Calibration kept = calibrated(synthetic_jobs({.law = 430}, {1, 32}), "this-vm");
  EXPECT_EQ(kept.profile[kLaw]->stamp.evidence, sim::Evidence::assumed);
  EXPECT_EQ(std::ranges::count(kept.kept, "servers_per_doubling"), 1);
}

TEST(Parallelism, DepthsWithoutASingleCommandDoNotShowIt) {
  const Calibration result = calibrated(
      jobs_of({"randread_4k_qd4", "randread_4k_qd8", "randread_4k_qd16", "randwrite_4k_qd1"}));
  EXPECT_FALSE(result.profile[kLaw].has_value());
  EXPECT_TRUE(says(result.flags, "read servers: not fitted without a job at depth 1"));
  EXPECT_TRUE(says(result.notes, "servers_per_doubling: not fitted"));
}

TEST(Parallelism, CommandsOfMinutesAreNotSimulated) {
  std::vector<FioJob> jobs = synthetic_jobs({.law = 430}, {1, 4, 8});
  sim::FioLatency& latency = jobs.front().read.completion;
  latency.max_ns = latency.percentiles.back().ns = 61'000'000'000;
  latency.samples = 1'000'000;
  const Calibration result = calibrated(jobs);
  EXPECT_FALSE(result.profile[kLaw].has_value());
  EXPECT_TRUE(says(result.flags, "servers_per_doubling: not fitted: a command takes more than"));
}

// Reads and writes have one law: what both are closest to.
TEST(Parallelism, BothDirectionsAreFittedTogether) {
  std::vector<sim::DepthRuns> runs;
  const sim::Profile& disk = *sim::builtin_profile("local-nvme");
  const sim::DepthModel model = [&](const sim::Profile& profile, sim::CommandDirection direction,
                                    int) {
    // Reads would be closest at 0.4, writes at 0.8.
    const std::int64_t law = profile[kLaw] ? profile[kLaw]->low : 100'000;
    const std::int64_t wanted = direction == sim::CommandDirection::read ? 400 : 800;
    return 1'000'000 + std::abs(law - wanted) * 100;
  };
  for (const auto direction : {sim::CommandDirection::read, sim::CommandDirection::write}) {
    sim::DepthRuns run{.direction = direction, .points = {}, .reached = {4, 16'000}};
    for (const int depth : {1, 4, 16}) run.points.push_back({depth, depth * 1e3});
    runs.push_back(std::move(run));
  }
  const sim::ParallelismFit fit = sim::fit_parallelism(disk, runs, model);
  ASSERT_TRUE(fit.per_doubling.has_value());
  EXPECT_NEAR(static_cast<double>(*fit.per_doubling), 600, 20);
  EXPECT_EQ(fit.model_ns.size(), 6u);
}

TEST(Parallelism, ThisVmHasTheValueThatItsMeasurementsGive) {
  const std::int64_t in_profile = (*sim::builtin_profile("this-vm"))[kLaw]->low;
  const Calibration result = calibrated(
      jobs_of({"randread_4k_qd1", "randread_4k_qd4", "randread_4k_qd8", "randread_4k_qd16",
               "randread_4k_qd32", "randread_4k_qd64", "randread_4k_qd128", "randwrite_4k_qd1",
               "randwrite_4k_qd32", "seqread_1m_qd8", "seqwrite_1m_qd8"}));
  EXPECT_EQ(result.profile[kLaw]->low, in_profile);
}

// Worked out by hand: 4 servers of 100 us without a limit.
TEST(DepthModel, IsTheRateOfAFullQueue) {
  sim::Profile disk = *sim::builtin_profile("local-nvme");
  for (const ProfileKey key : {ProfileKey::read_latency, ProfileKey::write_latency}) {
    disk[key]->points = {{.per_million = 0, .ns = 100'000, .stamp = {}}};
  }
  disk[ProfileKey::read_servers]->low = 4;
  disk[ProfileKey::write_servers]->low = 2;
  const auto ns = [&](sim::CommandDirection direction, int depth) {
    return static_cast<double>(sim::command_ns_at_depth(disk, direction, depth));
  };
  EXPECT_NEAR(ns(sim::CommandDirection::read, 1), 100'000, 100);
  EXPECT_NEAR(ns(sim::CommandDirection::read, 4), 100'000, 100);
  EXPECT_NEAR(ns(sim::CommandDirection::read, 8), 200'000, 200);
  EXPECT_NEAR(ns(sim::CommandDirection::write, 8), 400'000, 400);
  set_law(disk, 500);
  EXPECT_NEAR(ns(sim::CommandDirection::read, 1), 100'000, 100);
  // When one begins, the one before has just gone: of the 8 there are 7, and 2.75 doublings.
  EXPECT_NEAR(ns(sim::CommandDirection::read, 8), 8 * 100'000 / 2.375, 340);
}

}  // namespace
}  // namespace drydock::test
