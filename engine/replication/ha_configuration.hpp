// engine/replication keeps copies of a broker's log on other hosts.
//
//   ha_configuration   roles and times, with RocketMQ's defaults
//   ha_frames          the two kinds of bytes on the HA port (pure)
//   replica_request    one put that waits for copies
//   ha_master          ships the log to every slave that connects, and counts their
//   acknowledgements ha_slave           connects to the master, appends what comes, reports how far
//   it is
//
// This is the classic master/slave mode (HA reference, section 1): no handshake, no truncation, no
// failover. A slave acknowledges what is in its page cache; a master ships what is in its own.
//
// This file: the part of the configuration that is about copies.
#pragma once

#include <cstdint>
#include <optional>

#include "engine/runtime/network.hpp"
#include "engine/types/time.hpp"

namespace drydock {

enum class BrokerRole : std::uint8_t { async_master, sync_master, slave };

// Defaults are those of RocketMQ 5.3.3's MessageStoreConfig; the comment names the key.
struct HaConfiguration {
  BrokerRole role = BrokerRole::async_master;             // brokerRole
  std::uint16_t listen_port = 0;                          // haListenPort; 0: listenPort + 1
  std::optional<Endpoint> master_address;                 // haMasterAddress
  std::int32_t in_sync_replicas = 1;                      // inSyncReplicas, the master included
  Duration slave_timeout = Duration::ms(3'000);           // slaveTimeout
  Duration heartbeat_interval = Duration::ms(5'000);      // haSendHeartbeatInterval
  Duration housekeeping_interval = Duration::ms(20'000);  // haHousekeepingInterval
  std::int32_t transfer_batch_size = 32 * 1024;           // haTransferBatchSize, bytes

  // Copies that a put waits for, the master's included. 1: for nobody.
  std::int32_t copies_awaited() const {
    return role == BrokerRole::sync_master ? in_sync_replicas : 1;
  }
};

}  // namespace drydock
