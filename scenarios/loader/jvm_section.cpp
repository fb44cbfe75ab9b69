// jvm: the Java virtual machine of a broker or a bare writer.
#include <algorithm>

#include "scenarios/loader/sections.hpp"

namespace drydock::scenarios {
namespace {

// A region of G1 is 1 MiB or more; with less the machine would do nothing but collect.
constexpr std::int64_t kYoungBytesMin = std::int64_t{1} << 20;
constexpr Duration kPauseMax = Duration::s(60);
constexpr Duration kIntervalMin = Duration::ms(10);

Duration read_pause(const JsonAt& json) {
  const Duration pause = json.duration();
  if (pause > kPauseMax) json.refuse("must be at most 60 s");
  return pause;
}

void read_generations(const JsonAt& json, JvmSpec& jvm) {
  if (json.has("heap")) jvm.heap_bytes = json.at("heap").size();
  if (jvm.heap_bytes < 2 * kYoungBytesMin) json.at("heap").refuse("must be at least 2 MiB");
  // -Xmn4g of -Xmx8g.
  jvm.young_bytes = json.has("young") ? json.at("young").size() : jvm.heap_bytes / 2;
  if (jvm.young_bytes < kYoungBytesMin) json.at("young").refuse("must be at least 1 MiB");
  if (jvm.young_bytes > jvm.heap_bytes) json.at("young").refuse("must be at most heap");
}

void read_direct_memory(const JsonAt& json, const HostSpec& host, JvmSpec& jvm) {
  if (json.has("direct")) jvm.direct_bytes = json.at("direct").size();
  if (!json.has("transient_pool")) return;
  const JsonAt pool = json.at("transient_pool");
  if (!host.memory) pool.refuse("its host has no size of memory, so it never runs out");
  jvm.transient_pool_bytes = pool.size();
  if (jvm.transient_pool_bytes == 0) pool.refuse("must be more than 0");
  if (jvm.transient_pool_bytes > jvm.direct_bytes) {
    pool.refuse(
        "must be at most direct, or the program ends with an OutOfMemoryError: Direct "
        "buffer memory");
  }
}

}  // namespace

JvmSpec read_jvm(const JsonAt& json, const HostSpec& host) {
  json.allow_only({"heap", "young", "direct", "transient_pool", "pre_touch", "allocation",
                   "young_pause", "safepoint_interval", "gc_log", "perf_data"});
  JvmSpec jvm;
  read_generations(json, jvm);
  read_direct_memory(json, host, jvm);
  if (json.has("pre_touch")) {
    if (!host.memory) {
      json.at("pre_touch").refuse("its host has no size of memory, so it never runs out");
    }
    jvm.pre_touch = json.at("pre_touch").boolean();
  }
  if (json.has("allocation")) {
    jvm.allocated_per_second = json.at("allocation").bytes_per_second();
    // A hundred collections a second are no program any more.
    if (jvm.allocated_per_second / 100 > jvm.young_bytes) {
      json.at("allocation").refuse("must be at most 100 times young");
    }
  }
  if (json.has("young_pause")) jvm.young_pause = read_pause(json.at("young_pause"));
  if (json.has("safepoint_interval")) {
    jvm.safepoint_interval = json.at("safepoint_interval").duration();
    const bool none = jvm.safepoint_interval == Duration();
    if (!none && jvm.safepoint_interval < kIntervalMin) {
      json.at("safepoint_interval").refuse("must be at least 10 ms, or 0 s for none");
    }
  }
  if (json.has("gc_log")) jvm.gc_log = read_path(json.at("gc_log"));
  if (json.has("perf_data")) jvm.perf_data = read_path(json.at("perf_data"));
  if (json.has("perf_data") && jvm.perf_data == jvm.gc_log) {
    json.at("perf_data").refuse("is the file of gc_log");
  }
  return jvm;
}

}  // namespace drydock::scenarios
