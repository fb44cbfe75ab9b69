#include "scenarios/world_sim/memory_of_host.hpp"

#include "sim/profiles/quantity.hpp"

namespace drydock::scenarios {
namespace {

constexpr std::int64_t kPageBytes = 4096;

std::string text_of_size(std::int64_t bytes) { return sim::text_of(sim::ProfileUnit::size, bytes); }

// Without a cache of a few pages nothing of the host would move.
constexpr std::int64_t kCacheBytesMin = std::int64_t{16} << 20;

}  // namespace

void check_memory(const Drill& drill, const HostSpec& host) {
  const sim::MemoryOptions options = memory_of(host);
  const std::string path = "/topology/hosts/" + host.name + "/memory";
  std::int64_t heap = 0;  // What machines take at their start.
  std::string whose;
  const auto take = [&](const JvmSpec& jvm, const std::string& name) {
    const std::int64_t touched = jvm.pre_touch ? jvm.heap_bytes : 0;
    heap += touched + jvm.transient_pool_bytes;
    if (touched > 0) whose += text_of_size(touched) + " of " + name + " (its heap), ";
    if (jvm.transient_pool_bytes == 0) return;
    whose += text_of_size(jvm.transient_pool_bytes) + " of " + name + " (its transient pool), ";
  };
  for (const BrokerSpec& broker : drill.brokers) {
    if (broker.host == host.name) take(broker.jvm, broker.name);
  }
  for (const WriterSpec& writer : drill.writers) {
    if (writer.host == host.name && writer.jvm) take(*writer.jvm, writer.name);
  }
  const std::int64_t reserve = sim::watermarks_of(options).high * kPageBytes;
  if (options.bytes < heap + reserve + kCacheBytesMin) {
    throw InputError(drill.source.at(path) + ": must be more than " + whose +
                     text_of_size(reserve) + " that the kernel keeps free and " +
                     text_of_size(kCacheBytesMin) + " of page cache");
  }
  if (options.group_limit_bytes > 0 && options.group_limit_bytes < heap + kCacheBytesMin) {
    throw InputError(drill.source.at(path + "/group_limit") + ": must be more than " + whose +
                     text_of_size(kCacheBytesMin) + " of page cache");
  }
}

sim::MemoryOptions memory_of(const HostSpec& host) {
  if (!host.memory) return {};
  return {.bytes = host.memory->bytes,
          .group_limit_bytes = host.memory->group_limit_bytes,
          .group_limits_dirty = host.memory->group_limits_dirty,
          .swap_bytes = host.memory->swap_bytes,
          .min_free_bytes = host.memory->min_free_bytes,
          .kernel = *sim::kernel_named(host.kernel)};
}

std::vector<std::string> memory_assumptions(const Drill& drill, const HostSpec& host) {
  std::vector<std::string> lines;
  if (!host.memory) return lines;
  lines.push_back("host " + host.name + ": the scenario gives it " +
                  text_of_size(host.memory->bytes) + " of memory");
  for (const BrokerSpec& broker : drill.brokers) {
    if (broker.host != host.name) continue;
    const JvmSpec& jvm = broker.jvm;
    const std::int64_t taken = (jvm.pre_touch ? jvm.heap_bytes : 0) + jvm.transient_pool_bytes;
    lines.push_back(broker.name + ": takes " + text_of_size(taken) + " of memory at its start, " +
                    (jvm.pre_touch ? "and no more later"
                                   : "and its young generation as it is first allocated from"));
  }
  return lines;
}

}  // namespace drydock::scenarios
