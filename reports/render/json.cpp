#include "reports/render/json.hpp"

#include <nlohmann/json.hpp>
#include <stdexcept>

#include "reports/render/operations_json.hpp"
#include "reports/render/summary.hpp"

namespace drydock::reports {
namespace {

using Json = nlohmann::json;

constexpr Verdict kVerdicts[] = {Verdict::pass,     Verdict::safety,       Verdict::slo,
                                 Verdict::liveness, Verdict::inconclusive, Verdict::harness};

Json optional_json(const std::optional<std::int64_t>& value) {
  return value ? Json(*value) : Json(nullptr);
}
std::optional<std::int64_t> optional_from(const Json& json) {
  if (json.is_null()) return std::nullopt;
  return json.get<std::int64_t>();
}

Verdict verdict_from(const std::string& name) {
  for (const Verdict verdict : kVerdicts) {
    if (name_of(verdict) == name) return verdict;
  }
  throw std::runtime_error("no such verdict: " + name);
}

Json json_of(const FaultFact& fault) {
  return {{"kind", fault.kind},
          {"target", fault.target},
          {"began_ns", fault.began_ns < 0 ? Json(nullptr) : Json(fault.began_ns)},
          {"ended_ns", fault.ended_ns < 0 ? Json(nullptr) : Json(fault.ended_ns)},
          {"breaks", fault.breaks},
          {"rto_fault_ns", optional_json(fault.rto_fault_ns)},
          {"detail", fault.detail},
          {"file_system", fault.file_system}};
}
FaultFact fault_from(const Json& json) {
  return {json.at("kind"),
          json.at("target"),
          optional_from(json.at("began_ns")).value_or(-1),
          optional_from(json.at("ended_ns")).value_or(-1),
          json.at("breaks"),
          optional_from(json.at("rto_fault_ns")),
          json.at("detail"),
          json.at("file_system")};
}

Json json_of(const StoreFacts& store) {
  return {{"fault_ns", store.fault_ns},         {"appended_to", store.appended_to},
          {"flushed_to", store.flushed_to},     {"last_flush_ns", store.last_flush_ns},
          {"recovered_to", store.recovered_to}, {"committed_to", store.committed_to}};
}
StoreFacts store_from(const Json& json) {
  return {json.at("fault_ns"),      json.at("appended_to"),  json.at("flushed_to"),
          json.at("last_flush_ns"), json.at("recovered_to"), json.at("committed_to")};
}

Json json_of(const ReplicaFacts& replica) {
  return {{"broker", replica.broker}, {"role", replica.role}, {"destroyed", replica.destroyed},
          {"host", replica.host},     {"read", replica.read}, {"store", json_of(replica.store)}};
}
ReplicaFacts replica_from(const Json& json) {
  return {json.at("broker"),    json.at("role"), store_from(json.at("store")),
          json.at("destroyed"), json.at("host"), json.at("read")};
}

CopyFate fate_from(const std::string& name) {
  for (std::size_t i = 0; i < static_cast<std::size_t>(CopyFate::count_); ++i) {
    if (name == name_of(static_cast<CopyFate>(i))) return static_cast<CopyFate>(i);
  }
  throw std::runtime_error("no fate of a copy: " + name);
}

CopyEnd end_from(const std::string& name) {
  for (std::size_t i = 0; i < static_cast<std::size_t>(CopyEnd::count_); ++i) {
    if (name == name_of(static_cast<CopyEnd>(i))) return static_cast<CopyEnd>(i);
  }
  throw std::runtime_error("no end of a copy: " + name);
}

// A number that is -1 if there is none.
Json number_json(std::int64_t number) { return number < 0 ? Json(nullptr) : Json(number); }

Json json_of(const CopyHistory& copy) {
  return {{"end", name_of(copy.end)},
          {"appended_ns", number_json(copy.appended_ns)},
          {"flushed_ns", number_json(copy.flushed_ns)},
          {"ended_ns", number_json(copy.ended_ns)},
          {"fault", number_json(copy.fault)}};
}
CopyHistory history_from(const Json& json) {
  return {end_from(json.at("end")), optional_from(json.at("appended_ns")).value_or(-1),
          optional_from(json.at("flushed_ns")).value_or(-1),
          optional_from(json.at("ended_ns")).value_or(-1),
          static_cast<std::int32_t>(optional_from(json.at("fault")).value_or(-1))};
}

Json json_of(const LostMessage& message) {
  Json copies = Json::array();
  for (const CopyFate fate : message.copies) copies.push_back(name_of(fate));
  Json histories = Json::array();
  for (const CopyHistory& copy : message.histories) histories.push_back(json_of(copy));
  return {{"key", message.key},
          {"physical_offset", message.physical_offset},
          {"acked_ns", message.acked_ns},
          {"behind_last_flush", message.behind_last_flush},
          {"copies", copies},
          {"histories", histories},
          {"last_copy_fault", number_json(message.last_copy_fault)},
          {"in_log_at", message.in_log_at},
          {"queue", message.queue},
          {"queue_offset", message.queue_offset}};
}
LostMessage lost_from(const Json& json) {
  LostMessage message;
  message.key = json.at("key");
  message.physical_offset = json.at("physical_offset");
  message.acked_ns = json.at("acked_ns");
  message.behind_last_flush = json.at("behind_last_flush");
  for (const Json& fate : json.at("copies")) message.copies.push_back(fate_from(fate));
  for (const Json& copy : json.at("histories")) message.histories.push_back(history_from(copy));
  message.last_copy_fault =
      static_cast<std::int32_t>(optional_from(json.at("last_copy_fault")).value_or(-1));
  message.in_log_at = json.at("in_log_at");
  message.queue = json.at("queue");
  message.queue_offset = json.at("queue_offset");
  return message;
}

Json json_of(const LossReport& loss) {
  Json lost = Json::array();
  for (const LostMessage& message : loss.lost) lost.push_back(json_of(message));
  const auto of_store = [&loss](auto figure) { return loss.read ? Json(figure) : Json(nullptr); };
  return {{"read", loss.read},
          {"acked", loss.acked},
          {"lost", of_store(lost)},
          {"at_risk", of_store(loss.at_risk)},
          {"unknown_stored", of_store(loss.unknown_stored)},
          {"unknown_absent", of_store(loss.unknown_absent)},
          {"failed", loss.failed},
          {"failed_stored", of_store(loss.failed_stored)},
          {"expired", of_store(loss.expired)},
          {"duplicates", of_store(loss.duplicates)},
          {"corrupt", of_store(loss.corrupt)},
          {"damage", loss.damage},
          {"phantoms", of_store(loss.phantoms)},
          {"index_missed", of_store(loss.index_missed)},
          {"index_endless", of_store(loss.index_endless)}};
}
LossReport loss_from(const Json& json) {
  LossReport loss;
  loss.read = json.at("read");
  loss.acked = json.at("acked");
  loss.failed = json.at("failed");
  if (!loss.read) return loss;
  for (const Json& message : json.at("lost")) loss.lost.push_back(lost_from(message));
  loss.at_risk = json.at("at_risk");
  loss.unknown_stored = json.at("unknown_stored");
  loss.unknown_absent = json.at("unknown_absent");
  loss.failed_stored = json.at("failed_stored");
  loss.expired = json.at("expired");
  loss.duplicates = json.at("duplicates");
  loss.corrupt = json.at("corrupt");
  loss.damage = json.at("damage").get<std::vector<std::string>>();
  loss.phantoms = json.at("phantoms");
  loss.index_missed = json.at("index_missed");
  loss.index_endless = json.at("index_endless");
  return loss;
}

Json json_of(const OrderReport& order, bool store_read) {
  Json examples = Json::array();
  for (const OrderViolation& each : order.examples) {
    examples.push_back({{"key", each.key},
                        {"later_key", each.later_key},
                        {"queue_id", each.queue_id},
                        {"queue_offset", each.queue_offset},
                        {"later_queue_offset", each.later_queue_offset}});
  }
  return {{"violations", store_read ? Json(order.violations) : Json(nullptr)},
          {"examples", examples}};
}
Json json_of(const DeliveryReport& deliveries, bool store_read) {
  const auto of_store = [&](std::int64_t count) {
    return store_read ? Json(count) : Json(nullptr);
  };
  return {{"delivered", of_store(deliveries.delivered)},
          {"again", of_store(deliveries.again)},
          {"skipped", of_store(deliveries.skipped)},
          {"gone", of_store(deliveries.gone)},
          {"undelivered", of_store(deliveries.undelivered)},
          {"out_of_order", of_store(deliveries.out_of_order)}};
}
DeliveryReport deliveries_from(const Json& json) {
  return {json.at("delivered"), json.at("again"),       json.at("skipped"),
          json.at("gone"),      json.at("undelivered"), json.at("out_of_order")};
}

OrderReport order_from(const Json& json) {
  OrderReport order;
  order.violations = json.at("violations");
  for (const Json& each : json.at("examples")) {
    order.examples.push_back({each.at("key"), each.at("later_key"), each.at("queue_id"),
                              each.at("queue_offset"), each.at("later_queue_offset")});
  }
  return order;
}

// Every stage by its name.
Json json_of(const StageTimes& stages) {
  Json json = Json::object();
  for (std::size_t i = 0; i < kStages; ++i) json[name_of(static_cast<Stage>(i))] = stages[i];
  return json;
}
StageTimes stages_from(const Json& json) {
  StageTimes stages{};
  for (std::size_t i = 0; i < kStages; ++i) stages[i] = json.at(name_of(static_cast<Stage>(i)));
  return stages;
}

Steady steady_from(const std::string& name) {
  for (std::size_t i = 0; i < static_cast<std::size_t>(Steady::count_); ++i) {
    if (name == name_of(static_cast<Steady>(i))) return static_cast<Steady>(i);
  }
  throw std::runtime_error("nothing becomes of rto.steady by the name of " + name);
}

Json json_of(const RtoReport& rto) {
  return {{"fault_ns", optional_json(rto.fault_ns)},
          {"stages_ns", rto.stages_ns ? json_of(*rto.stages_ns) : Json(nullptr)},
          {"client_ns", optional_json(rto.client_ns)},
          {"steady_ns", optional_json(rto.steady_ns)},
          {"steady", name_of(rto.steady)},
          {"longest_stall_ns", rto.longest_stall_ns}};
}
RtoReport rto_from(const Json& json) {
  RtoReport rto;
  rto.fault_ns = optional_from(json.at("fault_ns"));
  if (!json.at("stages_ns").is_null()) rto.stages_ns = stages_from(json.at("stages_ns"));
  rto.client_ns = optional_from(json.at("client_ns"));
  rto.steady_ns = optional_from(json.at("steady_ns"));
  rto.steady = steady_from(json.at("steady"));
  rto.longest_stall_ns = json.at("longest_stall_ns");
  return rto;
}

Json json_of(const BaselineReport& baseline) {
  return {{"acked", baseline.acked},
          {"latency_p50_ns", baseline.latency_p50_ns},
          {"latency_p99_ns", baseline.latency_p99_ns},
          {"window_acked", baseline.window_acked},
          {"window_ns", baseline.window_ns}};
}
BaselineReport baseline_from(const Json& json) {
  return {json.at("acked"), json.at("latency_p50_ns"), json.at("latency_p99_ns"),
          json.at("window_acked"), json.at("window_ns")};
}

Json json_of(const SendsReport& sends) {
  return {{"producer", sends.producer},    {"sends", sends.sends},
          {"acked", sends.acked},          {"busy", sends.busy},
          {"p50_ns", sends.p50_ns},        {"p99_ns", sends.p99_ns},
          {"longest_ns", sends.longest_ns}};
}
SendsReport sends_from(const Json& json) {
  return {json.at("producer"), json.at("sends"),  json.at("acked"),     json.at("busy"),
          json.at("p50_ns"),   json.at("p99_ns"), json.at("longest_ns")};
}

Json json_of(const WaitFact& wait) {
  return {{"process", wait.process},
          {"worker", wait.worker},
          {"place", drydock::name_of(wait.place)},
          {"count", wait.count},
          {"total_ns", wait.total_ns},
          {"longest_ns", wait.longest_ns},
          {"longest_began_ns", wait.longest_began_ns}};
}
WaitPlace place_from(const std::string& name) {
  for (std::size_t i = 0; i < kWaitPlaces; ++i) {
    if (name == drydock::name_of(static_cast<WaitPlace>(i))) return static_cast<WaitPlace>(i);
  }
  throw std::runtime_error("nobody waits at a place called " + name);
}
WaitFact wait_from(const Json& json) {
  return {json.at("process"),         json.at("worker"),   place_from(json.at("place")),
          json.at("count"),           json.at("total_ns"), json.at("longest_ns"),
          json.at("longest_began_ns")};
}

FileSystemEnd file_system_end_from(const std::string& name) {
  for (std::size_t i = 0; i < static_cast<std::size_t>(FileSystemEnd::count_); ++i) {
    if (name == name_of(static_cast<FileSystemEnd>(i))) return static_cast<FileSystemEnd>(i);
  }
  throw std::runtime_error("no file system stops in the way of " + name);
}

Json json_of(const TakeoverFacts& takeover) {
  Json steps = Json::object();
  for (std::size_t i = 0; i < kTakeoverSteps; ++i) {
    steps[name_of(static_cast<TakeoverStep>(i))] = takeover.steps_ns[i];
  }
  return {{"standby", takeover.standby},      {"disk", takeover.disk},
          {"began_ns", takeover.began_ns},    {"steps_ns", steps},
          {"records", takeover.records_read}, {"completed", takeover.completed},
          {"failure", takeover.failure}};
}
TakeoverFacts takeover_from(const Json& json) {
  TakeoverFacts takeover;
  takeover.standby = json.at("standby");
  takeover.disk = json.at("disk");
  takeover.began_ns = json.at("began_ns");
  for (std::size_t i = 0; i < kTakeoverSteps; ++i) {
    takeover.steps_ns[i] = json.at("steps_ns").at(name_of(static_cast<TakeoverStep>(i)));
  }
  takeover.records_read = json.at("records");
  takeover.completed = json.at("completed");
  takeover.failure = json.at("failure");
  return takeover;
}

Json json_of(const RunResult& run) {
  Json refused_opens = Json::array();
  for (const RefusedOpens& refused : run.refused_opens) {
    refused_opens.push_back({{"process", refused.process}, {"count", refused.count}});
  }
  Json oom_kills = Json::array();
  for (const OomKill& kill : run.oom_kills) {
    oom_kills.push_back({{"process", kill.process}, {"time_ns", kill.time_ns}});
  }
  Json stopped = Json::array();
  for (const StoppedFileSystem& each : run.stopped_file_systems) {
    stopped.push_back({{"host", each.host}, {"how", name_of(each.how)}, {"time_ns", each.time_ns}});
  }
  Json waits = Json::array();
  for (const WaitFact& wait : run.waits) waits.push_back(json_of(wait));
  Json takeovers = Json::array();
  for (const TakeoverFacts& takeover : run.takeovers) takeovers.push_back(json_of(takeover));
  Json faults = Json::array();
  for (const FaultFact& fault : run.faults) faults.push_back(json_of(fault));
  Json replicas = Json::array();
  for (const ReplicaFacts& replica : run.replicas) replicas.push_back(json_of(replica));
  Json sends = Json::array();
  for (const SendsReport& each : run.sends) sends.push_back(json_of(each));
  Json json = {{"seed", run.seed},
               {"fingerprint", run.fingerprint},
               {"events", run.events},
               {"virtual_ns", run.virtual_ns},
               {"verdict", name_of(run.verdict)},
               {"note", run.note},
               {"divergence", run.divergence},
               {"plan", run.plan.empty() ? Json(nullptr) : Json::parse(run.plan)},
               {"faults", faults},
               {"replicas", replicas},
               {"loss", json_of(run.loss)},
               {"order", json_of(run.order, run.loss.read)},
               {"deliveries", json_of(run.deliveries, run.loss.read)},
               {"rto", json_of(run.rto)},
               {"baseline", json_of(run.baseline)},
               {"sends", sends},
               {"waits", waits},
               {"oom_kills", oom_kills},
               {"refused_opens", refused_opens},
               {"stopped_file_systems", stopped},
               {"ownership",
                {{"stale_reads", run.ownership.stale_reads},
                 {"foreign_writes", run.ownership.foreign_writes}}},
               {"takeovers", takeovers}};
  add_operations(json, run);
  return json;
}

Json json_of(const Spread& spread) {
  return {{"min", spread.min}, {"median", spread.median}, {"max", spread.max}};
}

Json quantiles_of(const CellResult& cell) {
  const CellSummary s = summarise(cell);
  Json stages = Json::object();
  for (std::size_t i = 0; i < kStages; ++i) {
    stages[name_of(static_cast<Stage>(i))] = json_of(s.stages[i]);
  }
  const bool known = s.lost_is_known();
  return {{"acked", s.acked},
          {"unread_runs", s.unread_runs},
          {"lost", known ? Json(s.lost) : Json(nullptr)},
          {"lost_in_log", known ? Json(s.lost_in_log) : Json(nullptr)},
          {"runs_with_loss", known ? Json(s.runs_with_loss) : Json(nullptr)},
          {"lost_per_run", known ? json_of(s.lost_per_run) : Json(nullptr)},
          {"rto_fault_ns", json_of(s.rto_fault)},
          {"rto_fault_never", s.rto_fault_never},
          {"rto_client_ns", json_of(s.rto_client)},
          {"rto_client_never", s.rto_client_never},
          {"rto_steady_ns", json_of(s.rto_steady)},
          {"rto_steady_never", s.rto_steady_never},
          {"stages_ns", stages},
          {"latency_p50_ns", json_of(s.latency_p50)}};
}

Json json_of(const ExpectationResult& result) {
  return {{"expectation", text_of(result.expectation)},
          {"metric", quantity_of(result.expectation)},
          {"comparison", name_of(result.expectation.comparison)},
          {"bound", result.expectation.bound ? Json(*result.expectation.bound) : Json()},
          {"over", name_of(result.expectation.over)},
          {"seeds_at_least", result.expectation.seeds_at_least},
          {"evaluated", result.evaluated()},
          {"holds", result.holds},
          {"runs_for", result.runs_for},
          {"runs", result.runs}};
}

Json json_of(const CellResult& cell) {
  Json runs = Json::array();
  for (const RunResult& run : cell.runs) runs.push_back(json_of(run));
  Json expectations = Json::array();
  for (const ExpectationResult& result : cell.expectations) {
    expectations.push_back(json_of(result));
  }
  return {{"id", text_of(cell.id)},           {"values", cell.id}, {"changes", cell.changes},
          {"verdict", name_of(cell.verdict)}, {"runs", runs},      {"expectations", expectations},
          {"quantiles", quantiles_of(cell)}};
}

}  // namespace

std::string render_json(const DrillResult& result) {
  const DrillFacts& facts = result.facts;
  Json cells = Json::array();
  for (const CellResult& cell : result.cells) cells.push_back(json_of(cell));
  const Json whole = {{"format", "drydock-result-1"},
                      {"drydock", facts.version},
                      {"drill", facts.id},
                      {"title", facts.title},
                      {"scenario_file", facts.scenario_file},
                      {"scenario_digest", facts.scenario_digest},
                      {"configuration_file", facts.configuration_file},
                      {"configuration", facts.configuration},
                      {"behaviour", facts.behaviour},
                      {"replay", facts.replay},
                      {"promises", facts.promises},
                      {"assumed", facts.assumed},
                      {"not_modelled", facts.not_modelled},
                      {"warnings", facts.warnings},
                      {"cells", cells}};
  // Names that users chose may hold any bytes.
  return whole.dump(1, ' ', false, Json::error_handler_t::replace) + "\n";
}

std::string run_to_json(const RunResult& run) {
  return json_of(run).dump(-1, ' ', false, Json::error_handler_t::replace);
}

RunResult run_from_json(const std::string& text) {
  const Json json = Json::parse(text);
  RunResult run;
  run.seed = json.at("seed");
  run.fingerprint = json.at("fingerprint");
  run.events = json.at("events");
  run.virtual_ns = json.at("virtual_ns");
  run.verdict = verdict_from(json.at("verdict"));
  run.note = json.at("note");
  run.divergence = json.at("divergence");
  if (!json.at("plan").is_null()) run.plan = json.at("plan").dump();
  for (const Json& fault : json.at("faults")) run.faults.push_back(fault_from(fault));
  for (const Json& replica : json.at("replicas")) run.replicas.push_back(replica_from(replica));
  run.loss = loss_from(json.at("loss"));
  if (run.loss.read) {
    run.order = order_from(json.at("order"));
    run.deliveries = deliveries_from(json.at("deliveries"));
  }
  run.rto = rto_from(json.at("rto"));
  run.baseline = baseline_from(json.at("baseline"));
  for (const Json& each : json.at("sends")) run.sends.push_back(sends_from(each));
  take_operations(json, run);
  for (const Json& wait : json.at("waits")) run.waits.push_back(wait_from(wait));
  for (const Json& refused : json.at("refused_opens")) {
    run.refused_opens.push_back({refused.at("process"), refused.at("count")});
  }
  for (const Json& kill : json.at("oom_kills")) {
    run.oom_kills.push_back({kill.at("process"), kill.at("time_ns")});
  }
  for (const Json& each : json.at("stopped_file_systems")) {
    run.stopped_file_systems.push_back(
        {each.at("host"), file_system_end_from(each.at("how")), each.at("time_ns")});
  }
  run.ownership = {json.at("ownership").at("stale_reads"),
                   json.at("ownership").at("foreign_writes")};
  for (const Json& each : json.at("takeovers")) run.takeovers.push_back(takeover_from(each));
  return run;
}

}  // namespace drydock::reports
