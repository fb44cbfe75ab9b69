// Times of a scenario against its phases: what would come too late counts for nothing.
#include "scenarios/drill/units.hpp"
#include "scenarios/loader/sections.hpp"

namespace drydock::scenarios {
namespace {

// At most: phases may end earlier.
Duration length_of_load(const Phases& phases) {
  return phases.warm.at_most + phases.inject.at_most + phases.hold.at_most + phases.heal.at_most;
}

void refuse_beyond_load(const JsonAt& json, Duration time, Duration load) {
  if (time < load) return;
  json.refuse("must be less than the load, which lasts up to " + text_of(load));
}

// Of a writer or a broker.
void check_jvm(const JsonAt& program, const JvmSpec& jvm, Duration load) {
  if (!program.has("jvm") || !program.at("jvm").has("safepoint_interval")) return;
  const JsonAt interval = program.at("jvm").at("safepoint_interval");
  if (jvm.safepoint_interval < load) return;
  interval.refuse("is longer than the load, which lasts up to " + text_of(load) +
                  "; 0 s: no such safepoints");
}

void check_writer(const JsonAt& json, const WriterSpec& writer, Duration load) {
  const std::int64_t ms_to_fill = writer.file_bytes / (writer.bytes_per_second / 1'000 + 1);
  if (ms_to_fill < load.count_ms()) {
    json.at("size").refuse("the file is full after " + text_of(Duration::s(ms_to_fill / 1'000)) +
                           ", and the load lasts up to " + text_of(load));
  }
  if (json.has("sync") && json.at("sync").has("every")) {
    refuse_beyond_load(json.at("sync").at("every"), writer.sync_every, load);
  }
  if (json.has("heartbeat")) refuse_beyond_load(json.at("heartbeat"), writer.heartbeat, load);
  if (writer.jvm) check_jvm(json, *writer.jvm, load);
}

void check_standby(const JsonAt& json, const StandbySpec& standby, Duration load) {
  const JsonAt takeover = json.at("takeover");
  if (standby.takeover_after >= load) {
    takeover.at("after").refuse("must be before the end of the load, which lasts up to " +
                                text_of(load));
  }
  // One before the claim, one after it.
  if (standby.takeover_after + standby.pause * 2 < load) return;
  takeover.at("pause").refuse("taken twice, it is over after the load, which lasts up to " +
                              text_of(load));
}

void check_fault(const JsonAt& json, const FaultSpec& fault, const Phases& phases) {
  const Duration armed = phases.inject.at_most + phases.hold.at_most;
  const std::string armed_text =
      "the phases inject and hold, which last " + text_of(armed) + " at most";
  if (const auto* const between = std::get_if<BetweenTimes>(&fault.when)) {
    if (between->high > armed) json.at("when").refuse("is later than " + armed_text);
  }
  if (fault.lasts && *fault.lasts > armed) {
    json.at("for").refuse("is longer than " + armed_text +
                          "; without it the fault stays until heal");
  }
  if (!json.has("late_by")) return;
  const Duration rest = armed + phases.heal.at_most + phases.settle.at_most;
  if (fault.trouble.late_by < rest) return;
  json.at("late_by").refuse("is longer than the rest of the run, which lasts " + text_of(rest) +
                            " at most; without it what the disk has got lands at once");
}

}  // namespace

void refuse_too_late(const JsonAt& root, const Drill& drill) {
  const Duration load = length_of_load(drill.phases);
  const auto program = [&root](const char* kind, const std::string& name) {
    return root.at("load").at(kind).at(name);
  };
  for (const BrokerSpec& broker : drill.brokers) {
    check_jvm(root.at("topology").at("brokers").at(broker.name), broker.jvm, load);
  }
  for (const ConsumerSpec& consumer : drill.consumers) {
    if (!program("consumers", consumer.name).has("after")) continue;
    refuse_beyond_load(program("consumers", consumer.name).at("after"), consumer.after, load);
  }
  for (const WriterSpec& writer : drill.writers) {
    check_writer(program("writers", writer.name), writer, load);
  }
  for (const ReaderSpec& reader : drill.readers) {
    const JsonAt json = program("readers", reader.name);
    if (json.has("after")) refuse_beyond_load(json.at("after"), reader.after, load);
  }
  for (const StandbySpec& standby : drill.standbys) {
    check_standby(program("standbys", standby.name), standby, load);
  }
  for (const auto& [name, set] : drill.fault_sets) {
    const std::vector<JsonAt> items = root.at("faults").at(name).items();
    for (std::size_t i = 0; i < set.size(); ++i) check_fault(items[i], set[i], drill.phases);
  }
}

}  // namespace drydock::scenarios
