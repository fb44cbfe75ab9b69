// The sections of a scenario file, each read by itself. For loader.cpp.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "scenarios/drill/drill.hpp"
#include "scenarios/loader/json_at.hpp"

namespace drydock::scenarios {

// Null if there is no broker of that name.
const BrokerSpec* find_broker(const Drill& drill, const std::string& name);
// The name of a host of the topology, which has been read.
std::string read_host_name(const JsonAt& json, const Drill& drill);
// An absolute path of one name.
std::string read_path(const JsonAt& json);
// Of a program on that host, which has a disk.
JvmSpec read_jvm(const JsonAt& json, const HostSpec& host);
// The value of a key of broker.conf, one of several in `keys`. Refused if RocketMQ has no such key:
// unlike a user's file, a scenario says nothing in vain.
std::string read_conf_value(const JsonAt& keys, const std::string& key);

// How the file system on a disk of that size is made and mounted, on a host with that kernel.
MountSpec read_mount(const JsonAt& json, std::int64_t disk_bytes, const std::string& kernel);
void read_topology(const JsonAt& topology, Drill& drill);
void read_conf(const JsonAt& conf, Drill& drill);
void read_behaviour(const JsonAt& behaviour, Drill& drill);
void read_load(const JsonAt& load, Drill& drill);
// Of load: what uses files without a broker.
void read_bare_programs(const JsonAt& load, Drill& drill);
void read_phases(const JsonAt& phases, Drill& drill);
// The name of an event, and which occurrence of it the member `occurrence` says; without it the
// first.
EventName read_event(const JsonAt& json);
std::uint64_t read_occurrence(const JsonAt& when);
void read_faults(const JsonAt& faults, Drill& drill);
// Of a fault of a disk: what the disk does wrong. Kind, selector and span have been read.
faults::DiskTrouble read_disk_trouble(const JsonAt& json, const FaultSpec& fault,
                                      const Drill& drill);
// Whether faults of the kind have a member of that name, of those that read_disk_trouble reads.
bool takes_of_disk(faults::FaultKind kind, std::string_view key);
// A flush that lies, in a set that takes no power: nothing would ever show it.
void refuse_hidden_lies(const std::vector<JsonAt>& items, const std::vector<FaultSpec>& set);
// What would come after the phases in which it counts, and files that are full before the end of
// the load. Everything else has been read.
void refuse_too_late(const JsonAt& root, const Drill& drill);
void read_matrix(const JsonAt& matrix, Drill& drill);
void read_expectations(const JsonAt& expectations, Drill& drill);

}  // namespace drydock::scenarios
