#include "scenarios/world_sim/jvm_of_program.hpp"

#include "scenarios/drill/cells.hpp"
#include "scenarios/drill/units.hpp"
#include "sim/profiles/quantity.hpp"

namespace drydock::scenarios {
namespace {

std::string line_of(const std::string& program, const JvmSpec& jvm, const Behaviour& behaviour) {
  const std::string rate = sim::text_of(sim::ProfileUnit::size, jvm.allocated_per_second);
  std::string text = program + " (JVM): allocates " + rate + "/s, so its young generation of " +
                     sim::text_of(sim::ProfileUnit::size, jvm.young_bytes) +
                     " is collected so often, " + text_of(jvm.young_pause) + " each";
  if (jvm.safepoint_interval > Duration()) {
    text +=
        "; a safepoint " + text_of(jvm.safepoint_interval) + " after the last one (JDK 8 to 11)";
  }
  const bool coupled = behaviour.faithful(BehaviourSwitch::jvm_safepoint_coupling);
  return text + (coupled ? "; it waits for threads in mapped files"
                         : "; it does not wait for threads in mapped files");
}

}  // namespace

sim::JvmOptions jvm_options(const JvmSpec& spec, const Behaviour& behaviour) {
  sim::JvmOptions options;
  options.heap_bytes = spec.heap_bytes;
  options.young_bytes = spec.young_bytes;
  options.direct_bytes = spec.direct_bytes;
  options.transient_pool_bytes = spec.transient_pool_bytes;
  options.pre_touch = spec.pre_touch;
  options.allocated_per_second = spec.allocated_per_second;
  options.young_pause = spec.young_pause;
  options.guaranteed_interval = spec.safepoint_interval;
  options.waits_for_mapped = behaviour.faithful(BehaviourSwitch::jvm_safepoint_coupling);
  options.gc_log = spec.gc_log;
  options.perf_data = spec.perf_data;
  return options;
}

std::vector<std::string> jvm_assumptions(const Drill& drill) {
  const Behaviour behaviour = behaviour_in(drill);
  std::vector<std::string> lines;
  for (const BrokerSpec& broker : drill.brokers) {
    lines.push_back(line_of(broker.name, broker.jvm, behaviour));
  }
  for (const WriterSpec& writer : drill.writers) {
    if (writer.jvm) lines.push_back(line_of(writer.name, *writer.jvm, behaviour));
  }
  return lines;
}

}  // namespace drydock::scenarios
