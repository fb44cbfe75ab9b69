// topology: hosts, links, and which programs run where.
#include <algorithm>

#include "scenarios/drill/disk_profile.hpp"
#include "scenarios/loader/did_you_mean.hpp"
#include "scenarios/loader/sections.hpp"

namespace drydock::scenarios {
namespace {

constexpr std::int64_t kPageBytes = 4'096;
constexpr std::int64_t kLinksMax = 8;  // Of one host to one disk.
constexpr std::int64_t kHeapBytesMin = 2 << 20;
constexpr std::int64_t kCoresMax = 1'024;
// With more a stream hardly gets through before it is given up.
constexpr std::int64_t kLossPercentMax = 50;

// A name, a file, or the text of a profile: `check` prints it in the place of the file.
std::string read_profile_of_disk(const JsonAt& profile) {
  if (profile.is_object()) return profile.dump();
  return is_profile_file(profile.text()) ? profile.text() : profile.name();
}

DiskThrottle read_throttle(const JsonAt& json) {
  json.allow_only({"read_bandwidth", "write_bandwidth", "read_iops", "write_iops"});
  if (json.keys().empty()) json.refuse("must have a limit");
  DiskThrottle throttle;
  if (json.has("read_bandwidth")) {
    throttle.read_bytes_per_second = json.at("read_bandwidth").bytes_per_second();
  }
  if (json.has("write_bandwidth")) {
    throttle.write_bytes_per_second = json.at("write_bandwidth").bytes_per_second();
  }
  if (json.has("read_iops")) throttle.reads_per_second = json.at("read_iops").rate_per_second();
  if (json.has("write_iops")) throttle.writes_per_second = json.at("write_iops").rate_per_second();
  return throttle;
}

// 0: never.
Duration read_time_or_never(const JsonAt& json) {
  if (json.text() == "never") return Duration();
  const Duration time = json.duration();
  if (time < Duration::ms(1)) json.refuse("must be at least 1 ms, or never");
  return time;
}

DiskSpec read_disk(const JsonAt& disk, const std::string& kernel) {
  DiskSpec spec{.profile = read_profile_of_disk(disk.at("profile")),
                .bytes = disk.at("size").size()};
  if (disk.has("throttle")) spec.throttle = read_throttle(disk.at("throttle"));
  if (disk.has("io_timeout")) spec.io_timeout = read_time_or_never(disk.at("io_timeout"));
  if (disk.has("links")) spec.links = static_cast<int>(disk.at("links").count(1, kLinksMax));
  if (disk.has("link_loss_timeout")) {
    const Duration timeout = read_time_or_never(disk.at("link_loss_timeout"));
    if (timeout > Duration()) spec.link_loss_timeout = timeout;
  }
  if (disk.has("mount")) spec.mount = read_mount(disk.at("mount"), spec.bytes, kernel);
  return spec;
}

// One of vm.dirty_bytes and vm.dirty_ratio: the kernel sets the other to 0.
struct DirtyLimit {
  std::int64_t bytes = 0;
  std::int64_t percent = 0;
};
DirtyLimit read_dirty_limit(const JsonAt& dirty, const char* bytes, const char* ratio) {
  if (dirty.has(bytes) == dirty.has(ratio)) {
    dirty.refuse("must have one of " + std::string(bytes) + " and " + ratio);
  }
  if (dirty.has(ratio)) {
    const DirtyLimit limit{.percent = dirty.at(ratio).percent()};
    if (limit.percent == 0) dirty.at(ratio).refuse("must be at least 1%");
    return limit;
  }
  const DirtyLimit limit{.bytes = dirty.at(bytes).size()};
  if (limit.bytes < kPageBytes) dirty.at(bytes).refuse("must be at least 4 KiB");
  return limit;
}

DirtyLimits read_dirty(const JsonAt& dirty) {
  dirty.allow_only(
      {"bytes", "background_bytes", "ratio", "background_ratio", "expire", "writeback"});
  const DirtyLimit limit = read_dirty_limit(dirty, "bytes", "ratio");
  const DirtyLimit background = read_dirty_limit(dirty, "background_bytes", "background_ratio");
  const DirtyLimits limits{.bytes = limit.bytes,
                           .background_bytes = background.bytes,
                           .percent = limit.percent,
                           .background_percent = background.percent,
                           .expire = dirty.at("expire").duration(),
                           .writeback = dirty.at("writeback").duration()};
  if (limit.bytes > 0 && background.bytes >= limit.bytes) {
    dirty.at("background_bytes").refuse("must be less than bytes");
  }
  if (limit.percent > 0 && background.percent >= limit.percent) {
    dirty.at("background_ratio").refuse("must be less than ratio");
  }
  if (limits.writeback < Duration::ms(10)) dirty.at("writeback").refuse("must be at least 10 ms");
  return limits;
}

// RHEL 7 and 8 mount version 1 unless told otherwise.
bool uses_cgroup2(const std::string& kernel) { return kernel != "el7" && kernel != "el8"; }

// A size, or an object with one.
MemorySpec read_memory(const JsonAt& memory, const std::string& kernel) {
  if (!memory.is_object()) return {.bytes = memory.size()};
  memory.allow_only({"size", "group_limit", "cgroup", "swap", "min_free"});
  MemorySpec spec{.bytes = memory.at("size").size()};
  if (memory.has("group_limit")) {
    spec.group_limit_bytes = memory.at("group_limit").size();
    if (spec.group_limit_bytes == 0) memory.at("group_limit").refuse("must be more than 0");
  }
  if (memory.has("swap")) spec.swap_bytes = memory.at("swap").size();
  if (memory.has("min_free")) {
    spec.min_free_bytes = memory.at("min_free").size();
    if (spec.min_free_bytes == 0) memory.at("min_free").refuse("must be more than 0");
  }
  if (spec.group_limit_bytes > spec.bytes) {
    memory.at("group_limit").refuse("must be at most size");
  }
  spec.group_limits_dirty = spec.group_limit_bytes > 0 && uses_cgroup2(kernel);
  if (!memory.has("cgroup")) return spec;
  const JsonAt version = memory.at("cgroup");
  if (version.text() != "v1" && version.text() != "v2") version.refuse("must be v1 or v2");
  if (spec.group_limit_bytes == 0) version.refuse("says something of a group: give a group_limit");
  spec.group_limits_dirty = version.text() == "v2";
  return spec;
}

// A name, or the profile itself. Which there are is known where they are used.
CpuSpec read_cpu(const JsonAt& json) {
  json.allow_only({"cores", "profile"});
  CpuSpec cpu;
  cpu.cores = static_cast<int>(json.at("cores").count(1, kCoresMax));
  const JsonAt profile = json.at("profile");
  cpu.profile = profile.is_object() ? profile.dump() : profile.name();
  return cpu;
}

// Hosts, and what runs on them, can be named in a partition's `from`.
void refuse_reserved(const std::string& name, const JsonAt& json) {
  if (name != kAllOthers) return;
  json.refuse("'" + name + "' is what a partition calls all other hosts; choose another name");
}

HostSpec read_host(const std::string& name, const JsonAt& json) {
  refuse_reserved(name, json);
  json.allow_only({"labels", "disk", "boot", "dirty", "kernel", "memory", "open_files", "cpu"});
  HostSpec host;
  host.name = name;
  if (json.has("labels")) {
    const JsonAt labels = json.at("labels");
    for (const std::string& key : labels.keys()) host.labels[key] = labels.at(key).name();
  }
  if (json.has("boot")) host.boot = json.at("boot").duration();
  if (json.has("kernel")) host.kernel = json.at("kernel").text();
  if (json.has("disk")) {
    const JsonAt disk = json.at("disk");
    disk.refuse_unbuilt("shared_by", "a disk that several hosts attach stands in /topology/disks");
    disk.allow_only(
        {"profile", "size", "throttle", "io_timeout", "links", "link_loss_timeout", "mount"});
    host.disk = read_disk(disk, host.kernel);
  }
  if (json.has("dirty")) host.dirty = read_dirty(json.at("dirty"));
  if (json.has("open_files")) {
    host.open_files_max = static_cast<int>(json.at("open_files").count(16, 1'048'576));
  }
  if (json.has("cpu")) host.cpu = read_cpu(json.at("cpu"));
  if (json.has("memory")) host.memory = read_memory(json.at("memory"), host.kernel);
  const bool ratio = host.dirty && (host.dirty->bytes == 0 || host.dirty->background_bytes == 0);
  if (ratio && !host.memory) {
    json.at("dirty").refuse("a ratio is of the host's memory: give the host a memory, or bytes");
  }
  return host;
}

// What a host needs a disk for, its own or one that it shares.
void refuse_without_disk(const JsonAt& hosts, const Drill& drill) {
  for (const HostSpec& host : drill.hosts) {
    if (disk_of(drill, host.name) != nullptr) continue;
    const JsonAt json = hosts.at(host.name);
    if (host.dirty) json.at("dirty").refuse("its host has no disk, so no dirty pages");
    if (host.memory) json.at("memory").refuse("its host has no disk, so nothing that fills it");
    if (json.has("kernel")) {
      json.at("kernel").refuse("its host has no disk, and kernels differ in what they do with one");
    }
  }
}

// Sends and their dispatch are what has a price.
void refuse_without_broker(const JsonAt& hosts, const Drill& drill) {
  for (const HostSpec& host : drill.hosts) {
    const auto here = [&host](const BrokerSpec& broker) { return broker.host == host.name; };
    if (!host.cpu || std::ranges::any_of(drill.brokers, here)) continue;
    hosts.at(host.name).at("cpu").refuse(
        "no broker runs on its host, and nothing else has a price");
  }
}

SharedDiskSpec read_shared_disk(const std::string& name, const JsonAt& json, const Drill& drill) {
  refuse_reserved(name, json);
  json.allow_only({"profile", "size", "throttle", "io_timeout", "links", "link_loss_timeout",
                   "mount", "attached_to", "mounted_by"});
  SharedDiskSpec shared{.name = name};
  for (const JsonAt& item : json.at("attached_to").items()) {
    const std::string host = read_host_name(item, drill);
    if (std::ranges::find(shared.attached_to, host) != shared.attached_to.end()) {
      item.refuse("occurs twice");
    }
    if (std::ranges::find(drill.hosts, host, &HostSpec::name)->disk) {
      item.refuse("has a disk of its own; this version gives a host one disk");
    }
    if (const SharedDiskSpec* const other = shared_disk_of(drill, host)) {
      item.refuse("attaches '" + other->name + "' already; this version gives a host one disk");
    }
    shared.attached_to.push_back(host);
  }
  if (shared.attached_to.size() < 2) {
    json.at("attached_to").refuse("must be two hosts or more; the disk of one host stands there");
  }
  shared.mounted_by = read_host_name(json.at("mounted_by"), drill);
  if (std::ranges::find(shared.attached_to, shared.mounted_by) == shared.attached_to.end()) {
    json.at("mounted_by").refuse("does not attach it: see attached_to");
  }
  const auto owner = std::ranges::find(drill.hosts, shared.mounted_by, &HostSpec::name);
  shared.disk = read_disk(json, owner->kernel);
  return shared;
}

// The hosts that a name, or a label written "label:KEY=VALUE", means. Not empty.
std::vector<std::string> read_hosts(const JsonAt& json, const Drill& drill) {
  const std::string text = json.text();
  const std::string label = "label:";
  if (!text.starts_with(label)) return {read_host_name(json, drill)};
  const std::size_t equals = text.find('=');
  if (equals == std::string::npos) json.refuse("a label is written label:KEY=VALUE");
  const std::string key = text.substr(label.size(), equals - label.size());
  std::vector<std::string> names;
  for (const HostSpec& host : drill.hosts) {
    const auto found = host.labels.find(key);
    if (found != host.labels.end() && found->second == text.substr(equals + 1)) {
      names.push_back(host.name);
    }
  }
  if (names.empty()) json.refuse("no host in /topology/hosts has the label " + text);
  return names;
}

// A link that has no ends, or whose ends an earlier one has: one of the two would count for
// nothing. A label may speak of a host that a later link names.
void refuse_pointless(const JsonAt& json, const LinkSpec& link, const Drill& drill) {
  if (link.from.size() == 1 && link.from == link.to) {
    json.at("to").refuse("a host has no link to itself");
  }
  for (std::size_t i = 0; i < drill.links.size(); ++i) {
    if (drill.links[i].from != link.from || drill.links[i].to != link.to) continue;
    json.refuse("/topology/links/" + std::to_string(i) + " is from and to the same hosts");
  }
}

LinkSpec read_link(const JsonAt& json, const Drill& drill) {
  json.allow_only({"from", "to", "latency", "bandwidth", "loss"});
  LinkSpec link;
  link.from = read_hosts(json.at("from"), drill);
  link.to = read_hosts(json.at("to"), drill);
  refuse_pointless(json, link, drill);
  if (json.has("latency")) link.latency = json.at("latency").duration();
  if (json.has("bandwidth")) link.bandwidth_per_second = json.at("bandwidth").bytes_per_second();
  if (json.has("loss")) {
    const std::int64_t percent = json.at("loss").percent();
    if (percent > kLossPercentMax) json.at("loss").refuse("must be at most 50%");
    link.loss_ppm = static_cast<std::uint32_t>(percent * 10'000);
  }
  if (!link.latency && !link.bandwidth_per_second && !link.loss_ppm) {
    json.refuse("must have one of latency, bandwidth, loss");
  }
  return link;
}

BrokerSpec read_broker(const std::string& name, const JsonAt& json, const Drill& drill) {
  refuse_reserved(name, json);
  json.allow_only({"host", "role", "heap", "jvm"});
  BrokerSpec broker;
  broker.name = name;
  broker.host = read_host_name(json.at("host"), drill);
  broker.role = json.has("role") ? json.at("role").name() : "master";
  if (broker.role != "master" && broker.role != "slave") {
    json.at("role").refuse("role '" + broker.role +
                           "' is not supported; known here: master, slave" +
                           did_you_mean(broker.role, {"master", "slave"}));
  }
  for (const HostSpec& host : drill.hosts) {
    if (host.name != broker.host) continue;
    if (shared_disk_of(drill, host.name) != nullptr) {
      json.refuse("its host shares a disk, and brokers on such a disk are not simulated yet");
    }
    if (!host.disk) json.refuse("its host has no disk");
    if (json.has("jvm")) broker.jvm = read_jvm(json.at("jvm"), host);
    if (!json.has("heap")) continue;
    if (!host.memory) {
      json.at("heap").refuse("its host has no size of memory, so it never runs out");
    }
    if (json.has("jvm")) json.at("heap").refuse("jvm has a heap, too");
    broker.jvm.heap_bytes = json.at("heap").size();
    if (broker.jvm.heap_bytes < kHeapBytesMin) json.at("heap").refuse("must be at least 2 MiB");
    broker.jvm.young_bytes = broker.jvm.heap_bytes / 2;
  }
  for (const BrokerSpec& other : drill.brokers) {
    if (other.host == broker.host) json.refuse("its host runs broker '" + other.name + "' already");
  }
  return broker;
}

NameServerSpec read_name_server(const std::string& name, const JsonAt& json, const Drill& drill) {
  refuse_reserved(name, json);
  json.allow_only({"host"});
  if (find_broker(drill, name) != nullptr) json.refuse("a broker has that name, too");
  NameServerSpec name_server{name, read_host_name(json.at("host"), drill)};
  for (const NameServerSpec& other : drill.name_servers) {
    if (other.host == name_server.host) {
      json.refuse("its host runs name server '" + other.name + "' already");
    }
  }
  return name_server;
}

void read_brokers(const JsonAt& brokers, Drill& drill) {
  for (const std::string& name : brokers.keys()) {
    drill.brokers.push_back(read_broker(name, brokers.at(name), drill));
  }
  const auto masters = std::ranges::count(drill.brokers, "master", &BrokerSpec::role);
  if (masters != 1) brokers.refuse("must have one master: this version runs one group of brokers");
}

}  // namespace

const BrokerSpec* find_broker(const Drill& drill, const std::string& name) {
  const auto found = std::ranges::find(drill.brokers, name, &BrokerSpec::name);
  return found == drill.brokers.end() ? nullptr : &*found;
}

std::string read_host_name(const JsonAt& json, const Drill& drill) {
  const std::string name = json.name();
  const bool known =
      std::ranges::any_of(drill.hosts, [&](const HostSpec& host) { return host.name == name; });
  if (!known) {
    json.refuse("there is no host '" + name + "' in /topology/hosts" +
                did_you_mean(name, names_of(drill.hosts)));
  }
  return name;
}

void read_topology(const JsonAt& topology, Drill& drill) {
  topology.allow_only({"hosts", "disks", "links", "name_servers", "brokers"});
  const JsonAt hosts = topology.at("hosts");
  for (const std::string& name : hosts.keys()) {
    drill.hosts.push_back(read_host(name, hosts.at(name)));
  }
  // Addresses follow names, so that the order in the file decides nothing.
  std::ranges::sort(drill.hosts, {}, &HostSpec::name);
  if (topology.has("disks")) {
    const JsonAt disks = topology.at("disks");
    for (const std::string& name : disks.keys()) {
      drill.shared_disks.push_back(read_shared_disk(name, disks.at(name), drill));
    }
  }
  refuse_without_disk(hosts, drill);
  for (const char* key : {"links", "name_servers"}) {
    if (topology.has(key) && !topology.has("brokers")) {
      topology.at(key).refuse("the topology has no broker, so nothing goes over the network");
    }
  }
  if (topology.has("links")) {
    for (const JsonAt& link : topology.at("links").items()) {
      drill.links.push_back(read_link(link, drill));
    }
  }
  if (topology.has("brokers")) read_brokers(topology.at("brokers"), drill);
  refuse_without_broker(hosts, drill);
  if (!drill.brokers.empty() && !drill.shared_disks.empty()) {
    topology.at("disks").refuse("a topology with a broker has none yet");
  }
  if (topology.has("name_servers")) {
    const JsonAt name_servers = topology.at("name_servers");
    for (const std::string& name : name_servers.keys()) {
      drill.name_servers.push_back(read_name_server(name, name_servers.at(name), drill));
    }
    std::ranges::sort(drill.name_servers, {}, &NameServerSpec::name);
  }
  // The master first, as reports count them; then by name.
  std::ranges::sort(drill.brokers, {}, [](const BrokerSpec& broker) {
    return std::pair(broker.role != "master", broker.name);
  });
}

}  // namespace drydock::scenarios
