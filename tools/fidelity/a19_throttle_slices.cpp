// A19: the kernel's block throttle gives a budget per slice of 100 ms: the mean rate is the limit,
// most commands take no time, and the rest wait for the next slice.
#include "tools/fidelity/all.hpp"
#include "tools/fidelity/devices.hpp"
#include "tools/fidelity/fio_run.hpp"
#include "tools/fidelity/measured_fio.hpp"
#include "tools/fidelity/statistics.hpp"

namespace drydock::fidelity {

std::vector<Row> throttle_slices(const CalibrationData& measured) {
  constexpr Duration kLength = Duration::s(30);
  // What the loop device takes by itself: a queue of four 256 KiB writes 0.6 ms, one of 32 reads
  // 2.2 ms, one command after the other (the measured medians).
  sim::DiskProfile loop = fast_loop_disk();
  loop.read = sim::QuantileTable::constant(Duration::us(69));
  loop.write = sim::QuantileTable::constant(Duration::us(150));
  loop.read_servers = 1;
  loop.write_servers = 1;
  loop.write_bytes_per_s = 0;
  loop.read_bytes_per_s = 0;
  const FioRunResult bytes =
      run_fio(loop, {.writes = {.bytes_per_s = kThrottledBytesPerS}},
              {{.write = true, .random = false, .block_bytes = 256 << 10, .depth = 4}}, kLength)
          .front();
  const FioRunResult commands =
      run_fio(loop, {.reads = {.commands_per_s = 2000}}, {{.depth = 32}}, kLength).front();
  const sim::FioJob real_bytes = fio_jobs(measured, "throttle_bps50M_write_256k_qd4").front();
  const sim::FioJob real_commands =
      fio_jobs(measured, "throttle_iops2000_randread_4k_qd32").front();
  return {
      within_percent({"256 KiB writes, depth 4, 50 MiB/s: rate", "MB/s", bytes.bytes_per_s / 1e6,
                      static_cast<double>(real_bytes.write.bytes_per_s) / 1e6},
                     2),
      within_percent(
          {"their p99", "ms", quantile(bytes.latency_ms, 0.99), percentile_ms(real_bytes, 990'000)},
          15),
      within_percent({"4 KiB reads, depth 32, 2000/s: rate", "/s", commands.per_second,
                      real_commands.read.iops},
                     2),
      within_percent({"their p99", "ms", quantile(commands.latency_ms, 0.99),
                      percentile_ms(real_commands, 990'000)},
                     15),
  };
}

}  // namespace drydock::fidelity
