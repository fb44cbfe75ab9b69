// bench-simgrid: the peer SimGrid. Nodes are actors; a message is a put to the receiver's mailbox
// over links of SimGrid's flow model, without the factors it fits to TCP: they would move the
// latencies and rates that the workloads ask for.
#include <xbt/log.h>
#include <simgrid/s4u.hpp>

#include "tests/bench/peers/simgrid/workloads.hpp"

int main(int argc, char** argv) {
  using namespace drydock::bench;
  namespace sg4 = simgrid::s4u;
  xbt_log_control_set("root.thresh:warning");
  sg4::Engine engine(&argc, argv);
  sg4::Engine::set_config("network/model:CM02");
  sg4::Engine::set_config("network/TCP-gamma:0");
  sg4::Engine::set_config("network/latency-factor:1");
  sg4::Engine::set_config("network/bandwidth-factor:1");
  sg4::Engine::set_config("network/weight-S:0");
  sg4::Engine::set_config("network/crosstraffic:0");
  sg4::Engine::set_config("contexts/stack-size:16");
  sg4::Engine::set_config("contexts/guard-size:0");
  const Options options = parse_options(argc, argv);
  Record record;
  if (options.contestant == "simgrid" && options.workload == "pp-timers") {
    record = simgrid_pp_timers(options, engine);
  } else if (options.contestant == "simgrid" && options.workload == "bulk-link") {
    record = simgrid_bulk_link(options, engine);
  } else {
    return unknown_workload("bench-simgrid", options);
  }
  record.version = std::string("SimGrid ") + PEER_VERSION;
  print_record(options, record);
  return 0;
}
