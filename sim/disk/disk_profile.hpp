// What is known of a kind of device: times, limits, and what it promises.
#pragma once

#include <string>

#include "sim/kernel/quantile_table.hpp"

namespace drydock::sim {

struct DiskProfile {
  std::string name;

  // Time of one 4 KiB command on an idle device. Flush: the whole command.
  QuantileTable read;
  QuantileTable write;
  QuantileTable flush;

  // Commands served at the same time; more of them wait, first come, first served.
  int read_servers = 1;
  int write_servers = 1;

  // Transfers follow one another at these rates. With `shared_quota` reads and writes together may
  // use the write limits (a cloud volume's quota), otherwise each direction has its own.
  std::int64_t read_bytes_per_s = 0;
  std::int64_t write_bytes_per_s = 0;
  std::int64_t read_iops = 0;
  std::int64_t write_iops = 0;
  bool shared_quota = false;

  std::int64_t logical_block_bytes = 512;  // 512 or 4096.
  std::int64_t atomic_write_bytes = 512;   // Not torn by a power loss: 512 or 4096.
  bool volatile_cache = false;
  std::int64_t cache_bytes = 0;
  bool force_unit_access = true;  // Without it, the host follows a write by a flush.
};

// Those of sim/profiles with these names. Tails beyond the 99.9th percentile are not known; the
// tables end there.
DiskProfile local_nvme();  // Datacentre NVMe with power-loss protection: no volatile cache.
DiskProfile sata_ssd();    // Consumer SATA SSD: volatile cache, no FUA.
DiskProfile cloud_essd_pl1(std::int64_t capacity_bytes);  // Its quota grows with its size.

}  // namespace drydock::sim
