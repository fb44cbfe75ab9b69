#include "scenarios/world_sim/sim_run.hpp"

#include <algorithm>
#include <iterator>
#include <limits>

#include "reports/delivery/delivery.hpp"
#include "reports/latency/latency.hpp"
#include "reports/loss/loss.hpp"
#include "reports/loss/provenance.hpp"
#include "reports/order/order.hpp"
#include "reports/rto/rto.hpp"
#include "reports/rto/stages.hpp"
#include "scenarios/audit/audit.hpp"
#include "scenarios/audit/record_audit.hpp"
#include "scenarios/world_sim/host_disk.hpp"

namespace drydock::scenarios {
namespace {

// A broker that does not serve within this time after the world's start never will.
constexpr Duration kStartLimit = Duration::s(300);

constexpr std::int64_t kEvidenceNs = 1'000'000'000;
constexpr std::int64_t kNoEvidence = std::numeric_limits<std::int64_t>::max();

// One file of several joins what was read of the others.
void add(reports::FinalStore file, reports::FinalStore& all) {
  const auto queues = static_cast<std::int32_t>(all.queues.size());
  for (reports::StoredCopy& copy : file.copies) copy.queue += queues;
  std::ranges::move(file.copies, std::back_inserter(all.copies));
  std::ranges::move(file.queues, std::back_inserter(all.queues));
  if (all.note.empty()) all.note = file.note;
}

}  // namespace

SimRun::SimRun(const Experiment& experiment, const Cell& cell, std::uint64_t seed,
               Provenance provenance)
    : experiment_(experiment),
      cell_(cell),
      provenance_(provenance),
      plan_(draw_plan(cell, seed)),
      world_(experiment, cell, seed, provenance) {
  enter(Phase::start);
}

const PhaseSpec* SimRun::spec_of(Phase phase) const {
  const Phases& phases = drill().phases;
  switch (phase) {
    case Phase::warm: return &phases.warm;
    case Phase::inject: return &phases.inject;
    case Phase::hold: return &phases.hold;
    case Phase::heal: return &phases.heal;
    case Phase::settle: return &phases.settle;
    case Phase::judge: return &phases.judge;
    case Phase::start:
    case Phase::over: break;
  }
  return nullptr;
}

bool SimRun::advance() {
  if (phase_ == Phase::over) return false;
  if (kernel().now() >= second_end_ns_) take_evidence();
  if (!ends_early() && kernel().step(phase_end_ns_)) return true;
  if (!ends_early()) kernel().run_until(phase_end_ns_);
  enter(next(phase_));
  return phase_ != Phase::over;
}

bool SimRun::writes_resumed() const {
  std::int64_t latest_fault = -1;
  for (const faults::FaultStatus& status : world_.injector().statuses()) {
    if (status.state == faults::FaultStatus::State::armed) return false;
    latest_fault = std::max(latest_fault, status.began_ns);
  }
  return world_.recorder().latest_acked_invocation_ns() > latest_fault;
}

bool SimRun::has_come(const PhaseSpec& phase) {
  switch (phase.until) {
    case PhaseEnd::time: return false;
    case PhaseEnd::writes_resume: return writes_resumed();
    case PhaseEnd::brokers_serving: return world_.brokers_serving();
    case PhaseEnd::slaves_caught_up: return world_.slaves_caught_up();
    case PhaseEnd::event:
      return kernel().triggers().occurrences(phase.event) - events_before_phase_ >=
             phase.occurrence;
  }
  return false;
}

bool SimRun::ends_early() {
  if (phase_ == Phase::start) return world_.brokers_serving() && world_.shared_disks_mounted();
  if (phase_ == Phase::settle) return !world_.producers_running();
  if (phase_ == Phase::judge) return !judging_still();
  const PhaseSpec* const spec = spec_of(phase_);
  if (spec->until == PhaseEnd::time || ending_early_ || !has_come(*spec)) return false;
  ending_early_ = true;  // Then its time is what is still left.
  phase_end_ns_ = std::min(phase_end_ns_, kernel().now() + spec->then.count_ns());
  return false;
}

void SimRun::enter(Phase phase) {
  const std::int64_t now = kernel().now();
  phase_ = phase;
  ending_early_ = false;
  const PhaseSpec* const spec = spec_of(phase);
  if (spec != nullptr) {
    phase_end_ns_ = now + spec->at_most.count_ns();
    const bool by_event = spec->until == PhaseEnd::event;
    if (by_event) events_before_phase_ = kernel().triggers().occurrences(spec->event);
  }
  switch (phase) {
    case Phase::start:
      phase_end_ns_ = now + kStartLimit.count_ns();
      world_.start_services();
      return;
    case Phase::warm:
      warm_begin_ns_ = now;
      if (experiment_.evidence) {
        disks_before_second_ = world_.disk_use();
        second_end_ns_ = now + kEvidenceNs;
      }
      world_.start_producers();
      world_.start_consumers();
      return;
    case Phase::inject: {
      warm_end_ns_ = now;
      const std::optional<std::string> refused = world_.injector().arm(plan_);
      if (refused) throw InputError(drill().source.at("/faults") + ": " + *refused);
      return;
    }
    case Phase::heal:
      disks_in_hold_ = disks_since(disks_before_hold_);
      world_.injector().heal();
      return;
    case Phase::settle:
      load_end_ns_ = now;
      if (now >= second_end_ns_) take_evidence();
      second_end_ns_ = kNoEvidence;
      world_.stop_producers();
      return;
    case Phase::judge:
      world_.stop_consumers();
      start_judge();
      return;
    case Phase::hold: disks_before_hold_ = world_.disk_use(); return;
    case Phase::over: return;
  }
}

std::vector<reports::DiskUse> SimRun::disks_since(const std::vector<reports::DiskUse>& before) {
  std::vector<reports::DiskUse> since = world_.disk_use();
  for (std::size_t i = 0; i < since.size(); ++i) {
    reports::DiskUse& use = since[i];
    const reports::DiskUse& then = before[i];
    use.began_ns = then.ended_ns;
    use.reads -= then.reads;
    use.writes -= then.writes;
    use.read_bytes -= then.read_bytes;
    use.written_bytes -= then.written_bytes;
    use.read_ns -= then.read_ns;
    use.write_ns -= then.write_ns;
    use.busy_ns -= then.busy_ns;
    use.queue_ns -= then.queue_ns;
    use.pages_touched -= then.pages_touched;
    use.pages_read -= then.pages_read;
  }
  return since;
}

// Between two events: what falls on the second's end counts for the next one.
void SimRun::take_evidence() {
  const std::vector<reports::DiskUse> second = disks_since(disks_before_second_);
  std::ranges::copy(second, std::back_inserter(evidence_.seconds));
  disks_before_second_ = world_.disk_use();
  second_end_ns_ += kEvidenceNs;
}

void SimRun::start_judge() {
  if (world_.producers_running()) {
    note_ = "sends were still open when the phase settle ended; it needs more time";
    return;
  }
  if (!drill().writers.empty()) return judge_writers();
  if (!world_.writable_broker()) {
    note_ = "no broker takes writes at judge";
    if (!world_.last_error().empty()) note_ += "; " + world_.last_error();
    return;
  }
  const std::vector<std::size_t> writable = world_.writable_brokers();
  const std::size_t broker = writable.front();
  if (writable.size() > 1) {
    note_ = std::to_string(writable.size()) + " brokers take writes at judge; read is " +
            drill().brokers[broker].name + ", which became the master last";
  }
  judged_ = broker;
  const StoreConfiguration& store = cell_.brokers[broker].store;
  AuditRequest request;
  request.commit_log_path = store.commit_log_path();
  request.file_bytes = store.mapped_file_size_commit_log;
  request.end_offset = world_.events().end_of_log(broker);
  request.expired_to = world_.events().expired_to(broker);
  request.consume_queue_path = store.consume_queue_path();
  request.queue_file_bytes = store.mapped_file_size_consume_queue;
  if (asks_for_index()) {
    request.index = IndexRequest{.directory = store.index_path(),
                                 .slots = store.index.slots,
                                 .entries_max = store.index.entries};
  }
  request.dispatching = [this, broker] { return world_.dispatching(broker); };
  judges_.push_back(world_.start_judge(
      broker, [this, request](Context& context) { return run_audit(context, request, store_); }));
}

bool SimRun::asks_for_index() const {
  return std::ranges::any_of(cell_.expectations, [](const reports::Expectation& expectation) {
    return reports::is_of_index(expectation.metric);
  });
}

void SimRun::judge_writers() {
  files_.resize(drill().writers.size());
  for (std::size_t i = 0; i < files_.size(); ++i) {
    const WriterSpec& writer = drill().writers[i];
    reports::FinalStore& file = files_[i];
    // What is on a shared disk counts, not what its owner has in memory of it.
    const bool shared = world_.shares_disk(writer.host);
    const RecordFile records{.path = writer.file,
                             .record_bytes = writer.record_bytes,
                             .caching = shared ? Caching::direct : Caching::buffered};
    const std::string host = world_.final_owner(writer.host);
    sim::SimProcess* const judge = world_.start_judge(host, [records, &file](Context& context) {
      return run_record_audit(context, records, file);
    });
    if (judge == nullptr) note_ = host + " is dark at judge: nobody reads " + writer.file;
    judges_.push_back(judge);
  }
}

bool SimRun::judging_still() const {
  return std::ranges::any_of(
      judges_, [](const sim::SimProcess* judge) { return judge != nullptr && judge->alive(); });
}

bool SimRun::store_read() const {
  if (files_.empty()) return store_.read;
  return std::ranges::all_of(files_, &reports::FinalStore::read);
}

std::vector<reports::FaultFact> SimRun::fault_facts() const {
  std::vector<reports::FaultFact> facts;
  const auto& statuses = world_.injector().statuses();
  for (std::size_t i = 0; i < plan_.faults.size(); ++i) {
    reports::FaultFact fact;
    fact.kind = faults::name_of(plan_.faults[i].kind);
    fact.breaks = faults::breaks(plan_.faults[i].kind);
    fact.detail = faults::detail_of(plan_.faults[i]);
    fact.target = faults::text_of(plan_.faults[i].on);
    if (i < statuses.size() && !statuses[i].target.empty()) fact.target = statuses[i].target;
    if (faults::of_disk(plan_.faults[i].kind)) {
      fact.file_system = file_system_of(drill(), fact.target);
    }
    if (i < statuses.size()) {
      fact.began_ns = statuses[i].began_ns;
      fact.ended_ns = statuses[i].ended_ns;
    }
    facts.push_back(std::move(fact));
  }
  return facts;
}

// Each fault's own outage, and that of the one that counts.
void SimRun::take_outages(reports::RunResult& run) const {
  for (reports::FaultFact& fault : run.faults) {
    if (!fault.breaks || fault.began_ns < 0) continue;
    fault.rto_fault_ns = outage(run.baseline, fault.began_ns).fault_ns;
  }
  const reports::FaultFact* const counted = run.fault();
  if (counted == nullptr || counted->began_ns < 0) return;
  run.rto = outage(run.baseline, counted->began_ns);
}

std::vector<reports::ReplicaFacts> SimRun::replica_facts(std::int64_t fault_ns) const {
  std::vector<reports::ReplicaFacts> replicas;
  const std::vector<BrokerSpec>& brokers = drill().brokers;
  for (std::size_t i = 0; i < brokers.size(); ++i) {
    reports::ReplicaFacts replica;
    replica.broker = brokers[i].name;
    replica.role = brokers[i].role;
    replica.store = world_.events().store_facts(i, fault_ns);
    replica.destroyed = world_.destroyed(brokers[i].host);
    replica.host = brokers[i].host;
    replica.read = judged_ == i;
    replicas.push_back(std::move(replica));
  }
  const std::vector<WriterSpec>& writers = drill().writers;
  for (std::size_t i = 0; i < writers.size(); ++i) {
    reports::ReplicaFacts file;
    file.broker = writers[i].name;
    file.role = "writer";
    file.store = world_.events().store_facts(brokers.size() + i, fault_ns);
    file.destroyed = world_.destroyed(writers[i].host);
    file.host = writers[i].host;
    file.read = i < files_.size() && files_[i].read;
    replicas.push_back(std::move(file));
  }
  return replicas;
}

void SimRun::give_up_files() {
  for (std::size_t i = 0; i < files_.size(); ++i) {
    const WriterSpec& writer = drill().writers[i];
    if (files_[i].read) continue;
    if (world_.destroyed(writer.host)) {
      files_[i].note = writer.host + " is gone for good, and " + writer.file + " with it";
    } else if (world_.files_damaged(writer.host)) {
      files_[i].note = "the file system of " + writer.host + " is damaged and cannot be mounted; " +
                       writer.file + " is lost with it";
    } else {
      continue;
    }
    files_[i].read = true;
  }
}

reports::RunResult SimRun::result() {
  ENSURE(phase_ == Phase::over);
  give_up_files();
  const reports::History& history = world_.recorder().history();
  reports::RunResult run;
  run.seed = kernel().seed();
  run.fingerprint = kernel().fingerprint().digest().hex();
  run.events = kernel().events();
  run.virtual_ns = kernel().now();
  for (reports::FinalStore& file : files_) add(std::move(file), store_);
  run.note = store_.note.empty() ? note_ : store_.note;
  run.plan = text_of(plan_);
  run.faults = fault_facts();
  run.baseline = reports::measure_baseline(history, warm_begin_ns_, warm_end_ns_);
  take_outages(run);
  const std::int64_t fault_ns = run.fault() == nullptr ? -1 : run.fault()->began_ns;
  run.replicas = replica_facts(fault_ns);
  run.sends = reports::measure_sends(history, warm_end_ns_, load_end_ns_);
  run.disks = disks_in_hold_;
  run.brokers = world_.broker_counts(load_end_ns_);
  for (const reports::ConsumerRecord& consumer : history.consumers) {
    run.consumers.push_back({consumer.name});
    if (consumer.first_ns < 0) continue;
    run.consumers.back().first_ns = consumer.first_ns - consumer.started_ns;
  }
  if (experiment_.evidence) {
    evidence_.lines = world_.broker_lines();
    run.evidence = evidence_;
  }
  run.waits = world_.waits();
  run.oom_kills = world_.oom_kills();
  run.refused_opens = world_.refused_opens();
  run.stopped_file_systems = world_.stopped_file_systems();
  run.ownership = world_.ownership();
  run.takeovers = world_.takeovers();
  store_.read = store_read();
  run.loss = reports::check_loss(history, store_, run.replicas);
  if (store_.read) {
    run.order = reports::check_order(history, store_);
    run.deliveries = reports::check_deliveries(history, store_);
    if (provenance_ == Provenance::full) {
      reports::trace_copies(history, store_traces(), run.faults, fault_ns, run.loss);
    }
  }
  return run;
}

std::vector<reports::StoreTrace> SimRun::store_traces() const {
  std::vector<reports::StoreTrace> traces;
  const std::vector<BrokerSpec>& brokers = drill().brokers;
  for (std::size_t i = 0; i < brokers.size(); ++i) {
    traces.push_back({brokers[i].name, brokers[i].host, world_.events().store_events(i),
                      world_.files_damaged(brokers[i].host)});
  }
  const std::vector<WriterSpec>& writers = drill().writers;
  for (std::size_t i = 0; i < writers.size(); ++i) {
    traces.push_back({writers[i].name, writers[i].host,
                      world_.events().store_events(brokers.size() + i),
                      world_.files_damaged(writers[i].host)});
  }
  return traces;
}

reports::RtoReport SimRun::outage(const reports::BaselineReport& baseline,
                                  std::int64_t fault_ns) const {
  const reports::History& history = world_.recorder().history();
  const reports::RtoWindow window{fault_ns, load_end_ns_};
  const auto served = reports::first_ack_invoked_after(history, window.fault_ns);
  reports::StageTimes ends = reports::kNoStageEnds;
  if (served) {
    ends = reports::stage_ends(world_.events().way_back(), sends(), window.fault_ns, *served);
  }
  return reports::measure_rto(history, baseline, window, ends);
}

reports::Sends SimRun::sends() const {
  if (cell_.brokers.empty()) return reports::Sends::wait_for_nobody;
  const bool wait = cell_.brokers.front().ha.copies_awaited() > 1 &&
                    std::ranges::any_of(drill().producers, &ProducerSpec::wait_store_ok);
  return wait ? reports::Sends::wait_for_slave : reports::Sends::wait_for_nobody;
}

}  // namespace drydock::scenarios
