#include "scenarios/drill/drill.hpp"

#include <algorithm>

#include "scenarios/drill/json_position.hpp"

namespace drydock::scenarios {

std::string Source::at(std::string_view path) const {
  for (const PathSetting& setting : set) {
    const std::string place = "/" + setting.path;
    if (path == place) return "--set " + setting.path;
    if (path.starts_with(place + "/")) return "--set " + setting.path + ": " + std::string(path);
  }
  const TextPosition position = position_of(text, path);
  return file + ":" + std::to_string(position.line) + ":" + std::to_string(position.column) + ": " +
         (path.empty() ? "/" : std::string(path));
}

std::string host_named(const Drill& drill, const std::string& name) {
  for (const BrokerSpec& broker : drill.brokers) {
    if (broker.name == name) return broker.host;
  }
  for (const NameServerSpec& name_server : drill.name_servers) {
    if (name_server.name == name) return name_server.host;
  }
  const bool is_host = std::ranges::find(drill.hosts, name, &HostSpec::name) != drill.hosts.end();
  return is_host ? name : "";
}

std::string host_at_start(const Drill& drill, const faults::Selector& selector) {
  if (selector.by == faults::Selector::By::name) return host_named(drill, selector.value);
  if (selector.value == "nameserver") return drill.name_servers.front().host;
  const auto broker = std::ranges::find(drill.brokers, selector.value, &BrokerSpec::role);
  return broker == drill.brokers.end() ? "" : broker->host;
}

const SharedDiskSpec* shared_disk_of(const Drill& drill, const std::string& host) {
  for (const SharedDiskSpec& shared : drill.shared_disks) {
    const auto found = std::ranges::find(shared.attached_to, host);
    if (found != shared.attached_to.end()) return &shared;
  }
  return nullptr;
}

const DiskSpec* disk_of(const Drill& drill, const std::string& host) {
  const auto spec = std::ranges::find(drill.hosts, host, &HostSpec::name);
  if (spec->disk) return &*spec->disk;
  const SharedDiskSpec* const shared = shared_disk_of(drill, host);
  return shared == nullptr ? nullptr : &shared->disk;
}

}  // namespace drydock::scenarios
