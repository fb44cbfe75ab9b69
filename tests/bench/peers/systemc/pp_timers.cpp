// bench-systemc: the peer SystemC, workload pp-timers. Each node is an SC_THREAD that waits for its
// event or 50 ms; a message is a notification of the receiver's event 1 ms ahead.
#include "tests/bench/workloads/pp_timers.hpp"

#include <deque>
#define SC_INCLUDE_DYNAMIC_PROCESSES
#include <systemc>

#include "tests/bench/workloads/harness.hpp"

namespace drydock::bench {
namespace {

sc_core::sc_time nanoseconds(std::int64_t ns) {
  return sc_core::sc_time::from_value(static_cast<std::uint64_t>(ns) * 1000);  // Picoseconds.
}

class PingPongWorld {
 public:
  explicit PingPongWorld(const PingPong& load) {
    for (std::uint32_t id = 0; id < load.nodes; ++id) nodes_.emplace_back(id, load.rounds);
    sc_core::sc_spawn_options options;
    options.set_stack_size(16 * 1024);
    for (std::uint32_t id = 0; id < load.nodes; ++id) {
      sc_core::sc_spawn([this, id] { play(id); }, nullptr, &options);
    }
  }

  std::uint64_t messages() const { return messages_; }
  std::uint64_t timeouts() const { return timeouts_; }

 private:
  struct Node {
    Node(std::uint32_t id, std::uint32_t rounds) : loss(id), rounds_left(rounds) {}
    sc_core::sc_event arrival;
    LossRule loss;
    std::uint32_t rounds_left;
  };

  void play(std::uint32_t id) {
    sc_core::wait(nanoseconds(PingPong::start_ns(id)));
    Node& node = nodes_[id];
    const bool initiator = PingPong::is_initiator(id);
    while (node.rounds_left > 0) {
      if (initiator && !node.loss.loses_next()) send_to_peer(id);
      sc_core::wait(timeout_, node.arrival);
      if (sc_core::timed_out()) {
        ++timeouts_;
        continue;
      }
      ++messages_;
      --node.rounds_left;
      if (!initiator) send_to_peer(id);
    }
  }

  void send_to_peer(std::uint32_t id) { nodes_[PingPong::peer(id)].arrival.notify(latency_); }

  const sc_core::sc_time latency_ = nanoseconds(PingPong::kLatencyNs);
  const sc_core::sc_time timeout_ = nanoseconds(PingPong::kTimeoutNs);
  std::deque<Node> nodes_;
  std::uint64_t messages_ = 0;
  std::uint64_t timeouts_ = 0;
};

Record systemc_pp_timers(const Options& options) {
  Record record;
  Stopwatch watch;
  PingPongWorld world(PingPong(options.n, options.messages));
  sc_core::sc_start(sc_core::SC_ZERO_TIME);  // Elaboration, and every thread up to its first wait.
  watch.started();
  sc_core::sc_start();
  watch.finish(record);
  record.messages = world.messages();
  record.timeouts = world.timeouts();
  record.virtual_s = sc_core::sc_time_stamp().to_seconds();
  return record;
}

}  // namespace
}  // namespace drydock::bench

int sc_main(int argc, char** argv) {
  using namespace drydock::bench;
  const Options options = parse_options(argc, argv);
  if (options.contestant != "systemc" || options.workload != "pp-timers") {
    return unknown_workload("bench-systemc", options);
  }
  sc_core::sc_report_handler::set_actions(sc_core::SC_INFO, sc_core::SC_DO_NOTHING);
  Record record = systemc_pp_timers(options);
  record.version = std::string("SystemC ") + PEER_VERSION;
  print_record(options, record);
  std::fflush(stdout);
  std::_Exit(0);  // Tearing down thousands of threads is not part of the measure.
}
