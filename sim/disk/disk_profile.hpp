// What is known of a kind of device: times, limits, and what it promises.
#pragma once

#include <optional>
#include <string>

#include "sim/disk/device_load.hpp"
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

  // Of a shared quota: it is handed out in slices of this length, and what is not used is kept for
  // `quota_burst`. 0: it is spread evenly.
  Duration quota_slice;
  Duration quota_burst;

  // From the caller to the device and back: no server is taken meanwhile.
  Duration read_submission;
  Duration write_submission;

  // A command takes so much longer for each KiB beyond the first four. Transfers go on meanwhile:
  // it counts until they take longer.
  Duration read_time_per_kib;
  Duration write_time_per_kib;

  // How much longer a read takes at full bandwidth of writes, in thousandths; between idle and full
  // in proportion. The median grows by this factor, every read by as much as the median.
  std::int64_t read_factor_at_full_write = 1000;
  // See Parallelism: how many servers' worth a doubling of the commands at the device brings, in
  // thousandths. 0: all servers work at full speed.
  std::int64_t servers_per_doubling = 0;
  bool shared_servers = false;  // Reads and writes are in each other's way.
  CollectionTimes collection;

  std::int64_t logical_block_bytes = 512;  // 512 or 4096.
  std::int64_t atomic_write_bytes = 512;   // Not torn by a power loss: 512 or 4096.
  bool volatile_cache = false;
  std::int64_t cache_bytes = 0;
  bool force_unit_access = true;  // Without it, the host follows a write by a flush.

  // What Linux does with such a device by default: see BlockQueueOptions.
  int queue_requests = 0;
  Duration wbt_target;
  std::optional<Duration> io_timeout = std::nullopt;
};

// Those of sim/profiles with these names. Tails beyond the 99.9th percentile are not known; the
// tables end there.
DiskProfile local_nvme();  // Datacentre NVMe with power-loss protection: no volatile cache.
DiskProfile sata_ssd();    // Consumer SATA SSD: volatile cache, no FUA.
DiskProfile cloud_essd_pl1(std::int64_t capacity_bytes);  // Its quota grows with its size.

}  // namespace drydock::sim
