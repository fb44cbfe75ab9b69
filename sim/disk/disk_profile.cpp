#include "sim/disk/disk_profile.hpp"

#include <algorithm>

namespace drydock::sim {
namespace {

constexpr std::int64_t kMegabyte = 1'000'000;
constexpr std::int64_t kMebibyte = 1 << 20;
constexpr std::int64_t kGibibyte = 1 << 30;

// The 50th, 99th and 99.9th percentile in microseconds.
QuantileTable percentiles_us(std::int64_t least, std::int64_t p50, std::int64_t p99,
                             std::int64_t p999) {
  return QuantileTable{
      {0, least * 1000}, {500'000, p50 * 1000}, {990'000, p99 * 1000}, {999'000, p999 * 1000}};
}

}  // namespace

DiskProfile local_nvme() {
  return {
      .name = "local-nvme",
      .read = percentiles_us(65, 80, 150, 400),
      .write = percentiles_us(12, 15, 60, 1'000),
      .flush = percentiles_us(15, 20, 60, 60),
      .read_servers = 64,
      .write_servers = 16,
      .read_bytes_per_s = 3'200 * kMegabyte,
      .write_bytes_per_s = 1'800 * kMegabyte,
      .read_iops = 700'000,
      .write_iops = 150'000,
  };
}

DiskProfile sata_ssd() {
  return {
      .name = "sata-ssd",
      .read = percentiles_us(100, 130, 300, 2'000),
      .write = percentiles_us(45, 60, 400, 8'000),
      .flush = percentiles_us(1'000, 1'500, 8'000, 8'000),
      .read_servers = 10,
      .write_servers = 4,
      .read_bytes_per_s = 540 * kMegabyte,
      .write_bytes_per_s = 450 * kMegabyte,
      .read_iops = 90'000,
      .write_iops = 60'000,
      .volatile_cache = true,
      .cache_bytes = 256 * kMebibyte,
      .force_unit_access = false,
  };
}

DiskProfile cloud_essd_pl1(std::int64_t capacity_bytes) {
  const std::int64_t size = capacity_bytes / kGibibyte;
  const std::int64_t iops = std::min<std::int64_t>(1'800 + 50 * size, 50'000);
  const std::int64_t bytes =
      std::min<std::int64_t>(120 * kMegabyte + size * kMegabyte / 2, 350 * kMegabyte);
  return {
      .name = "cloud-essd-pl1",
      .read = percentiles_us(200, 250, 700, 3'000),
      .write = percentiles_us(160, 200, 600, 3'000),
      .flush = percentiles_us(200, 250, 2'000, 2'000),
      .read_servers = 32,
      .write_servers = 32,
      .read_bytes_per_s = bytes,
      .write_bytes_per_s = bytes,
      .read_iops = iops,
      .write_iops = iops,
      .shared_quota = true,
  };
}

}  // namespace drydock::sim
