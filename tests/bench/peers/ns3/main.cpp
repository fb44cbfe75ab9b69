// bench-ns3: the peer ns-3, core module only (bulk-link: its point-to-point module). One scheduled
// call per message; timers are cancelled with EventId::Cancel, ns-3's usual way, which leaves the
// entry in the scheduler until its time.
//
// The scheduler is the priority queue, the fastest of ns-3's own over all, or close to it;
// --contestant ns-3-map, ns-3-heap and ns-3-calendar choose another one.
#include "tests/bench/peers/ns3/workloads.hpp"

#include <ns3/core-module.h>

namespace {

const char* scheduler_of(const std::string& contestant) {
  if (contestant == "ns-3") return "ns3::PriorityQueueScheduler";
  if (contestant == "ns-3-map") return "ns3::MapScheduler";
  if (contestant == "ns-3-heap") return "ns3::HeapScheduler";
  if (contestant == "ns-3-calendar") return "ns3::CalendarScheduler";
  return nullptr;
}

}  // namespace

int main(int argc, char** argv) {
  using namespace drydock::bench;
  const Options options = parse_options(argc, argv);
  const char* scheduler = scheduler_of(options.contestant);
  if (scheduler == nullptr) return unknown_workload("bench-ns3", options);
  ns3::ObjectFactory factory;
  factory.SetTypeId(scheduler);
  ns3::Simulator::SetScheduler(factory);
  Record record;
  if (options.workload == "pp-timers") {
    record = ns3_pp_timers(options);
  } else if (options.workload == "raft-hb") {
    record = ns3_raft_hb(options);
  } else if (options.workload == "bulk-link") {
    record = ns3_bulk_link(options);
  } else {
    return unknown_workload("bench-ns3", options);
  }
  ns3::Simulator::Destroy();
  record.version = std::string("ns-3 ") + PEER_VERSION;
  print_record(options, record);
  return 0;
}
