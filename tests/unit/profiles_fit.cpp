// From fio's results to a profile. The measurements are those of sim/profiles/calibration; what
// must come out of them is the this-vm column of the Linux I/O model, section 9.
#include "sim/profiles/fit.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>

#include "sim/disk/depth_model.hpp"
#include "sim/kernel/quantile_table.hpp"
#include "sim/profiles/builtin_profiles.hpp"
#include "sim/profiles/depth_fit.hpp"
#include "sim/profiles/latency_fit.hpp"
#include "sim/profiles/profile_reader.hpp"
#include "sim/profiles/profile_writer.hpp"
#include "tests/support/disk_profiles.hpp"

namespace drydock::test {
namespace {

using sim::Calibration;
using sim::FioJob;
using sim::ProfileKey;

constexpr std::array kAll{
    "randread_4k_qd1",   "randread_4k_qd4",   "randread_4k_qd8",
    "randread_4k_qd16",  "randread_4k_qd32",  "randread_4k_qd64",
    "randread_4k_qd128", "randwrite_4k_qd1",  "randwrite_4k_qd32",
    "randread_16k_qd1",  "randwrite_16k_qd1", "seqread_1m_qd8",
    "seqwrite_1m_qd8",   "randrw70_4k_qd32",  "interference_read_qd1_vs_seqwrite",
    "fsync_each_4k",     "fdatasync_each_4k", "direct_dsync_4k"};

std::vector<FioJob> all_jobs() {
  std::vector<FioJob> jobs;
  for (const char* name : kAll) {
    const std::vector<FioJob> more = fio_jobs(name);
    jobs.insert(jobs.end(), more.begin(), more.end());
  }
  return jobs;
}

std::expected<Calibration, std::string> calibrated(
    const std::vector<FioJob>& jobs, const char* base = "local-nvme",
    const sim::DepthModel& model = sim::command_ns_at_depth) {
  return sim::calibrate(jobs, *sim::builtin_profile(base), {.name = "mine", .model = model});
}

// For tests in which the depths do not matter: the same for every law.
std::int64_t always_1_us(const sim::Profile&, sim::CommandDirection, int) { return 1'000; }

std::int64_t at(const sim::ProfileValue& value, std::int64_t per_million) {
  std::vector<sim::QuantilePoint> points;
  for (const sim::LatencyPoint& point : value.points) {
    points.push_back({point.per_million, point.ns});
  }
  return sim::QuantileTable(points).at(per_million).count_ns();
}

// Within `percent` of `wanted`.
void expect_near(std::int64_t value, std::int64_t wanted, std::int64_t percent) {
  EXPECT_LE(std::abs(value - wanted) * 100, wanted * percent) << value << " for " << wanted;
}

bool says(const std::vector<std::string>& lines, std::string_view part) {
  return std::ranges::any_of(lines, [&](const std::string& line) { return line.contains(part); });
}

// The column is rounded to two or three digits, up to 1.7% (939 us for a flush became 950); servers
// and limits of a disk whose rate isn't monotone in the depth are good to 25% (section 11, A21).
TEST(Calibrate, GivesTheMeasuredColumnOfThisVm) {
  const auto result = calibrated(all_jobs());
  ASSERT_TRUE(result.has_value()) << result.error();
  const sim::Profile& profile = result->profile;
  const sim::Profile column = *sim::builtin_profile("this-vm");
  for (const ProfileKey key : {ProfileKey::read_latency, ProfileKey::write_latency}) {
    for (const std::int64_t quantile : {500'000, 990'000, 999'000}) {
      expect_near(at(profile.get(key), quantile), at(column.get(key), quantile), 2);
    }
  }
  for (const std::int64_t quantile : {500'000, 990'000}) {
    expect_near(at(profile.get(ProfileKey::flush_latency), quantile),
                at(column.get(ProfileKey::flush_latency), quantile), 2);
  }
  for (const ProfileKey key : {ProfileKey::read_bandwidth, ProfileKey::write_bandwidth}) {
    expect_near(profile.get(key).low, column.get(key).low, 1);
  }
  expect_near(profile[ProfileKey::read_factor_at_full_write]->low,
              column[ProfileKey::read_factor_at_full_write]->low, 2);
  for (const ProfileKey key : {ProfileKey::read_servers, ProfileKey::write_servers,
                               ProfileKey::max_read_iops, ProfileKey::max_write_iops}) {
    expect_near(profile.get(key).low, column.get(key).low, 25);
  }
  EXPECT_EQ(profile.get(ProfileKey::force_unit_access).low, 0);
  EXPECT_EQ(profile[ProfileKey::shared_servers]->low, 1);
  // 1e9 / 8928 less 66.358 us; 16 KiB less 4 KiB took 10.7 us more.
  expect_near(profile[ProfileKey::read_submission]->low, 45'648, 1);
  expect_near(profile[ProfileKey::write_time_per_kib]->low, 895, 1);
}

TEST(Calibrate, NamesWhatItDidNotMeasureAndWhereThatIsFrom) {
  const auto result = calibrated(all_jobs(), "local-nvme", always_1_us);
  ASSERT_TRUE(result.has_value()) << result.error();
  const std::vector<std::string_view>& kept = result->kept;
  EXPECT_EQ(std::ranges::count(kept, "placement"), 1);
  EXPECT_EQ(std::ranges::count(kept, "volatile_cache"), 1);
  EXPECT_EQ(std::ranges::count(kept, "read_latency"), 0);
  const sim::Stamp& stamp = result->profile.get(ProfileKey::placement).stamp;
  EXPECT_EQ(stamp.evidence, sim::Evidence::assumed);
  EXPECT_EQ(stamp.citation, "as in local-nvme (assumed: it is in the host)");
}

TEST(Calibrate, WritesAProfileThatTheReaderAccepts) {
  const auto result = calibrated(all_jobs(), "cloud-essd-pl1", always_1_us);
  ASSERT_TRUE(result.has_value()) << result.error();
  const std::string text = sim::write_profile(result->profile);
  const auto read = sim::read_profile("mine.json", text);
  ASSERT_TRUE(read.has_value()) << read.error();
  EXPECT_EQ(sim::write_profile(*read), text);
  EXPECT_EQ(read->name, "mine");
}

TEST(Calibrate, FlagsWhatMakesTheMeasurementsDoubtful) {
  const auto result = calibrated(all_jobs());
  ASSERT_TRUE(result.has_value()) << result.error();
  EXPECT_TRUE(says(result->flags, "randread_4k_qd64: ran for 3 s, less than 5 s"));
  EXPECT_FALSE(says(result->flags, "randread_4k_qd32: ran"));
  EXPECT_TRUE(
      says(result->flags, "read: fewer commands per second at depth 64 than at a smaller one"));
  EXPECT_TRUE(
      says(result->flags, "seqwriter: 3268 MB/s, more than the 1799 MB/s of seqwrite_1m_qd8"));
  EXPECT_TRUE(says(result->flags, "read_time_per_kib: 16 KiB are not slower than 4 KiB"));
  EXPECT_FALSE(says(result->flags, "something else used the disk"));  // 140 times.
  EXPECT_FALSE(says(result->flags, "lower bounds"));
  EXPECT_FALSE(says(result->flags, "the fit is off"));
  EXPECT_TRUE(says(result->notes, "fdatasync_each_4k would give a median of 436608 ns"));

  const std::string noisy =
      with(fio_text("randread_4k_qd1"), "\"50.000000\": 30592", "\"50.000000\": 20000");
  const auto jobs = sim::read_fio("a.json", noisy);
  ASSERT_TRUE(jobs.has_value()) << jobs.error();
  const auto doubted = calibrated(*jobs);
  ASSERT_TRUE(doubted.has_value()) << doubted.error();
  EXPECT_TRUE(
      says(doubted->flags, "read latency: p99.9 is 214 times p50: something else used the disk"));
}

TEST(Calibrate, TablesEndWhereSamplesDo) {
  const auto result = calibrated(fio_jobs("randread_4k_qd1"));
  ASSERT_TRUE(result.has_value()) << result.error();
  EXPECT_TRUE(says(result->notes, "read latency: no tail beyond p99.95: 53747 samples"));
  EXPECT_EQ(result->profile.get(ProfileKey::read_latency).points.back().per_million, 999'500);

  std::vector<FioJob> fewer = fio_jobs("randread_4k_qd1");
  fewer.front().read.completion.samples = 9'999;
  const auto without = calibrated(fewer);
  ASSERT_TRUE(without.has_value()) << without.error();
  EXPECT_TRUE(says(without->notes, "read latency: no tail beyond p99.5: 9999 samples"));
  fewer.front().read.completion.samples = 10'000;
  const auto enough = calibrated(fewer);
  ASSERT_TRUE(enough.has_value()) << enough.error();
  EXPECT_TRUE(says(enough->notes, "read latency: no tail beyond p99.9: 10000 samples"));
  fewer.front().read.completion.samples = 19;
  EXPECT_EQ(
      calibrated(fewer).error(),
      "randread_4k_qd1.json: /jobs/0 (randread_4k_qd1): 19 samples are too few: a median takes 20");
}

TEST(Calibrate, RefusesJobsThatMeasureSomethingElse) {
  const auto refusal = [](const std::string& name, std::string_view from, std::string_view to) {
    const auto jobs = sim::read_fio("a.json", with(fio_text(name), from, to));
    if (!jobs) return jobs.error();
    const auto result = calibrated(*jobs);
    EXPECT_FALSE(result.has_value()) << to;
    return result ? "" : result.error();
  };
  EXPECT_EQ(
      refusal("randread_4k_qd1", "\"direct\": \"1\"", "\"direct\": \"0\""),
      "a.json: /jobs/0 (randread_4k_qd1): measures the page cache, not the disk: set direct=1");
  EXPECT_EQ(refusal("randread_4k_qd1", "\"rw\": \"randread\"", "\"rw\": \"trim\""),
            "a.json: /jobs/0: rw=trim tells calibrate nothing; it reads randread, randwrite, read, "
            "write, randrw");
  EXPECT_EQ(refusal("randread_4k_qd1", "\"bs\": \"4k\"", "\"bs\": \"64k\""),
            "a.json: /jobs/0 (randread_4k_qd1): nothing to fit in these jobs");
  EXPECT_EQ(refusal("randread_4k_qd1", "\"99.000000\"", "\"98.000000\""),
            "a.json: /jobs/0 (randread_4k_qd1): has no percentile 99%: run fio with "
            "--percentile_list");
  EXPECT_EQ(refusal("randread_4k_qd1", "\"percentile\"", "\"percentiles\""),
            "a.json: /jobs/0/read/clat_ns: has no percentiles: run fio with clat_percentiles=1");
  EXPECT_EQ(refusal("randread_4k_qd1", "\"90.000000\": 83456", "\"90.000000\": 30000"),
            "a.json: /jobs/0/read/clat_ns/percentile: times fall from 50% to 90%: a quantile is "
            "never below a lower one");
  EXPECT_TRUE(
      refusal("interference_read_qd1_vs_seqwrite", "\"iodepth\": \"1\"", "\"iodepth\": \"2\"")
          .starts_with("a.json: /jobs/0 (probe_read): ran at the same time as seqwriter: "));
  std::vector<FioJob> twice = fio_jobs("randread_4k_qd1");
  twice.push_back(twice.front());
  twice.back().place = "b.json: /jobs/0 (again)";
  EXPECT_EQ(calibrated(twice).error(),
            "b.json: /jobs/0 (again): measures depth 1 again, after randread_4k_qd1.json: /jobs/0 "
            "(randread_4k_qd1)");
}

TEST(FioFile, RefusesWhatIsNoResultOfFio) {
  const auto refusal = [](std::string_view text) {
    const auto jobs = sim::read_fio("a.json", text);
    EXPECT_FALSE(jobs.has_value());
    return jobs ? "" : jobs.error();
  };
  EXPECT_EQ(refusal("{}"), "a.json: no result of fio: 'fio version' is missing");
  EXPECT_TRUE(refusal("[").starts_with("a.json:1:2: no JSON: "));
  EXPECT_TRUE(refusal("fio: a warning\n{\n  5}").starts_with("a.json:3:3: no JSON: "));
  EXPECT_EQ(refusal("{\"fio version\": \"fio-3.33\", \"jobs\": []}"),
            "a.json: /jobs: must have a job");
  EXPECT_EQ(refusal("{\"fio version\": \"fio-3.33\", \"jobs\": [{\"jobname\": \"a\"}]}"),
            "a.json: /jobs/0: 'job options' is missing");
}

TEST(FioFile, ReadsJobsThatRanTogetherAndWarningsInFront) {
  const std::vector<FioJob> pair = fio_jobs("interference_read_qd1_vs_seqwrite");
  ASSERT_EQ(pair.size(), 2u);
  EXPECT_EQ(pair[0].stage, pair[1].stage);
  EXPECT_TRUE(pair[1].direct);  // Of the options of all jobs.
  EXPECT_EQ(pair[1].block_bytes, 256 << 10);
  EXPECT_EQ(pair[1].depth, 16);
  const auto apart = sim::read_fio(
      "a.json", "fio: a warning\n" + with(fio_text("interference_read_qd1_vs_seqwrite"),
                                          "\"name\": \"seqwriter\"",
                                          "\"stonewall\": \"1\", \"name\": \"seqwriter\""));
  ASSERT_TRUE(apart.has_value()) << apart.error();
  EXPECT_NE(apart->at(0).stage, apart->at(1).stage);
  EXPECT_EQ(fio_jobs("direct_dsync_4k").front().sync, sim::FioSync::dsync);
  EXPECT_EQ(fio_jobs("fdatasync_each_4k").front().sync_latency.samples, 10'084);
}

// A disk made up: 4 servers, 100 us each.
TEST(DepthFit, FindsServersAndLimitOfAModelDisk) {
  std::vector<sim::DepthPoint> points;
  for (const int depth : {1, 2, 4, 8, 64}) points.push_back({depth, std::min(depth, 4) * 10'000.0});
  const sim::DepthFit fit = sim::fit_depth(points, 100'000, "made up");
  EXPECT_EQ(fit.limits.servers, 4);
  EXPECT_EQ(fit.limits.max_iops, 40'000);
  EXPECT_TRUE(fit.saturated);
  EXPECT_TRUE(fit.fallen.empty());
  for (const sim::FitRow& row : fit.table.rows) EXPECT_EQ(row.fit, row.measured) << row.name;
  points.resize(3);
  EXPECT_FALSE(sim::fit_depth(points, 100'000, "too shallow").saturated);
}

// Made up: times of 100 us, 1 ms, 100 ms at 50, 90, 99.9%; 10,000 samples.
TEST(LatencyFit, FollowsTheLogarithmBetweenPercentiles) {
  const sim::FioLatency measured{.samples = 10'000,
                                 .min_ns = 50'000,
                                 .max_ns = 90'000'000,
                                 .mean_ns = 500'000,
                                 .percentiles = {{500'000, 100'000},
                                                 {900'000, 1'000'000},
                                                 {999'000, 100'000'000},
                                                 {999'900, 110'000'000}}};
  const sim::LatencyFit fit = sim::fit_latency(measured, 10'000, "made up", "none");
  EXPECT_EQ(fit.tail_per_million, 999'000);
  sim::ProfileValue value;
  value.points = fit.points;
  EXPECT_EQ(at(value, 0), 40'000);
  EXPECT_EQ(at(value, 250'000), 65'000);  // A straight line up to the first percentile.
  EXPECT_EQ(at(value, 500'000), 90'000);
  EXPECT_EQ(at(value, 700'000), 298'496);     // sqrt(90 us * 990 us).
  EXPECT_EQ(at(value, 999'000), 89'990'000);  // Never more than the largest sample.
  ASSERT_EQ(fit.table.rows.size(), 5u);
  EXPECT_FALSE(fit.table.rows[1].beyond);
  EXPECT_TRUE(fit.table.rows[3].beyond);
  EXPECT_EQ(fit.table.rows[4].name, "mean");
}

}  // namespace
}  // namespace drydock::test
