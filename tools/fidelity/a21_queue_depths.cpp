// A21: the disk after `drydock calibrate`: random reads of 4 KiB at several depths of the queue,
// and single reads beside a writer.
#include "scenarios/drill/drill.hpp"
#include "sim/disk/compiled_profile.hpp"
#include "sim/disk/depth_model.hpp"
#include "sim/profiles/builtin_profiles.hpp"
#include "sim/profiles/fit.hpp"
#include "tools/fidelity/all.hpp"
#include "tools/fidelity/fio_run.hpp"
#include "tools/fidelity/measured_fio.hpp"
#include "tools/fidelity/statistics.hpp"

namespace drydock::fidelity {
namespace {

const char* const kJobs[] = {"randread_4k_qd1",   "randread_4k_qd4",
                             "randread_4k_qd8",   "randread_4k_qd16",
                             "randread_4k_qd32",  "randread_4k_qd64",
                             "randread_4k_qd128", "randwrite_4k_qd1",
                             "randwrite_4k_qd32", "randread_16k_qd1",
                             "randwrite_16k_qd1", "seqread_1m_qd8",
                             "seqwrite_1m_qd8",   "fsync_each_4k",
                             "randrw70_4k_qd32",  "interference_read_qd1_vs_seqwrite"};

sim::Profile calibrated(const CalibrationData& measured) {
  std::vector<sim::FioJob> jobs;
  for (const char* const name : kJobs) {
    const std::vector<sim::FioJob> more = fio_jobs(measured, name);
    jobs.insert(jobs.end(), more.begin(), more.end());
  }
  // What fio does not show of the machine; of the disk's times nothing is left to it.
  sim::Profile base = *sim::builtin_profile("this-vm");
  base[sim::ProfileKey::servers_per_doubling].reset();
  const auto calibration =
      sim::calibrate(jobs, base, {.name = "calibrated", .model = sim::command_ns_at_depth});
  if (!calibration) throw scenarios::InputError(calibration.error());
  return calibration->profile;
}

}  // namespace

std::vector<Row> queue_depths(const CalibrationData& measured) {
  const sim::Profile profile = calibrated(measured);
  const sim::DiskProfile disk = sim::compiled_profile(profile, std::int64_t{1} << 30);
  std::vector<Row> rows;
  for (const int depth : {1, 4, 8, 16, 32, 64, 128}) {
    const FioRunJob job{.depth = depth};
    const FioRunResult model = run_fio(disk, {}, {job}, Duration::s(3)).front();
    const std::string number = std::to_string(depth);
    const sim::FioJob real = fio_jobs(measured, "randread_4k_qd" + number).front();
    rows.push_back(
        within_percent({"reads at depth " + number, "/s", model.per_second, real.read.iops}, 25));
  }
  const FioRunJob probe;
  const FioRunJob writer{.write = true, .random = false, .block_bytes = 256 << 10, .depth = 16};
  const FioRunResult beside = run_fio(disk, {}, {probe, writer}, Duration::s(3)).front();
  const sim::FioJob real = fio_jobs(measured, "interference_read_qd1_vs_seqwrite").front();
  rows.push_back(within_factor({"median read beside a writer", "ms", median(beside.latency_ms),
                                percentile_ms(real, 500'000)},
                               2));
  return rows;
}

}  // namespace drydock::fidelity
