#include "reports/render/operations_json.hpp"

namespace drydock::reports {
namespace {

using Json = nlohmann::json;

// The members of a struct that are plain numbers, with their names, for both ways.
template <class Use, class Visit>
void visit_disk(Use& use, Visit visit) {
  visit("began_ns", use.began_ns);
  visit("ended_ns", use.ended_ns);
  visit("reads", use.reads);
  visit("writes", use.writes);
  visit("read_bytes", use.read_bytes);
  visit("written_bytes", use.written_bytes);
  visit("read_ns", use.read_ns);
  visit("write_ns", use.write_ns);
  visit("busy_ns", use.busy_ns);
  visit("queue_ns", use.queue_ns);
  visit("pages_touched", use.pages_touched);
  visit("pages_read", use.pages_read);
}
template <class Counts, class Visit>
void visit_broker(Counts& counts, Visit visit) {
  visit("putMessageTimesTotal", counts.put_message_times_total);
  visit("putMessageSizeTotal", counts.put_message_size_total);
  visit("putMessageFailedTimes", counts.put_message_failed_times);
  visit("putMessageEntireTimeMax", counts.put_message_entire_time_max_ms);
  visit("putMessageDistributeTime", counts.put_message_distribute_time);
  visit("getFoundTimes", counts.get_found_times);
  visit("getMissTimes", counts.get_miss_times);
  visit("getTransferred", counts.get_transferred);
  visit("getMessageEntireTimeMax", counts.get_message_entire_time_max_ms);
  visit("pageCacheLockTimeMillsMax", counts.page_cache_lock_time_max_ms);
  visit("dispatchBehindBytesMax", counts.dispatch_behind_bytes_max);
  visit("registrationGapMaxNs", counts.registration_gap_max_ns);
}

auto into(Json& json) {
  return [&json](const char* name, const auto& value) { json[name] = value; };
}
auto from(const Json& json) {
  return [&json](const char* name, auto& value) { json.at(name).get_to(value); };
}

Json json_of(const DiskUse& use) {
  Json json = {{"host", use.host}};
  visit_disk(use, into(json));
  return json;
}
DiskUse disk_from(const Json& json) {
  DiskUse use;
  use.host = json.at("host");
  visit_disk(use, from(json));
  return use;
}

Json json_of(const Evidence& evidence) {
  Json seconds = Json::array();
  for (const DiskUse& use : evidence.seconds) seconds.push_back(json_of(use));
  Json lines = Json::array();
  for (const BrokerLine& line : evidence.lines) {
    lines.push_back({{"broker", line.broker}, {"time_ns", line.time_ns}, {"text", line.text}});
  }
  return {{"seconds", seconds}, {"lines", lines}};
}

}  // namespace

void add_operations(Json& run_json, const RunResult& run) {
  Json disks = Json::array();
  for (const DiskUse& use : run.disks) disks.push_back(json_of(use));
  Json brokers = Json::array();
  for (const BrokerCounts& counts : run.brokers) {
    brokers.push_back({{"broker", counts.broker}});
    visit_broker(counts, into(brokers.back()));
  }
  Json consumers = Json::array();
  for (const ConsumerFacts& each : run.consumers) {
    consumers.push_back({{"consumer", each.consumer},
                         {"first_ns", each.first_ns ? Json(*each.first_ns) : Json(nullptr)}});
  }
  run_json["consumers"] = std::move(consumers);
  run_json["disks"] = std::move(disks);
  run_json["brokers"] = std::move(brokers);
  if (run.evidence) run_json["evidence"] = json_of(*run.evidence);
}

void take_operations(const Json& run_json, RunResult& run) {
  for (const Json& each : run_json.at("disks")) run.disks.push_back(disk_from(each));
  for (const Json& each : run_json.at("brokers")) {
    run.brokers.push_back({.broker = each.at("broker")});
    visit_broker(run.brokers.back(), from(each));
  }
  for (const Json& each : run_json.at("consumers")) {
    const Json& first = each.at("first_ns");
    run.consumers.push_back({each.at("consumer")});
    if (!first.is_null()) run.consumers.back().first_ns = first.get<std::int64_t>();
  }
  if (!run_json.contains("evidence")) return;
  const Json& evidence = run_json.at("evidence");
  run.evidence.emplace();
  for (const Json& each : evidence.at("seconds")) run.evidence->seconds.push_back(disk_from(each));
  for (const Json& each : evidence.at("lines")) {
    run.evidence->lines.push_back({each.at("broker"), each.at("time_ns"), each.at("text")});
  }
}

}  // namespace drydock::reports
