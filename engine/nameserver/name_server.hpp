// engine/nameserver is RocketMQ's name server: brokers register with it, clients ask it where
// topics are. Name servers know nothing of each other, and keep nothing on disk.
//
//   route_table  what it knows, and how that changes (pure)
//   name_server  serves requests, notices connections that end, forgets who is silent
//
// What it does not do: key-value configuration, ordered topics, static topics, notifications of a
// changed lowest id, the controller.
//
// This file: one name server process.
#pragma once

#include "engine/nameserver/route_table.hpp"
#include "engine/runtime/context.hpp"

namespace drydock {

// Defaults are those of RocketMQ 5.3.3's NamesrvConfig; the comment names the key.
struct NameServerConfiguration {
  std::uint16_t listen_port = 9876;                           // listenPort
  Duration scan_not_active_broker_interval = Duration::s(5);  // scanNotActiveBrokerInterval
  RouteTable::Options routes;                                 // supportActingMaster
};

// The program of a name server process: serves until `context.terminate` is set, then returns. It
// also returns, after an error line in the log, if its port is taken.
//
// Emits `serving_started` once it accepts. A broker is forgotten as soon as its connection ends, or
// at the first scan after it has been silent for too long. RocketMQ closes the connection of a
// broker that a scan forgets; here it lives on until its own 120 s of silence are over, which for a
// broker that is cut off is the same moment or an earlier one.
Task<void> run_name_server(Context& context, NameServerConfiguration configuration);

}  // namespace drydock
