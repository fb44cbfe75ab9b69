// pp-timers on the bare heap: two events per message, the message and its guard timer.
#include "tests/bench/workloads/pp_timers.hpp"

#include <cstdint>
#include <vector>

#include "tests/bench/bare_heap/event_heap.hpp"
#include "tests/bench/bare_heap/std_heap.hpp"
#include "tests/bench/bare_heap/workloads.hpp"

namespace drydock::bench {
namespace {

template <class Heap>
class PingPongWorld {
 public:
  explicit PingPongWorld(const PingPong& load) {
    nodes_.reserve(load.nodes);
    for (std::uint32_t id = 0; id < load.nodes; ++id) {
      nodes_.push_back({0, load.rounds, LossRule(id)});
      heap_.push(PingPong::start_ns(id), id * kKinds + kStart, 0);
    }
  }

  void run(Record& record) {
    std::int64_t now = 0;
    while (!heap_.empty()) {
      const HeapEvent event = heap_.pop();
      now = event.time;
      serve(event);
      ++record.events;
    }
    record.messages = messages_;
    record.timeouts = timeouts_;
    record.virtual_s = static_cast<double>(now) * 1e-9;
  }

 private:
  enum : std::uint32_t { kMessage, kTimer, kStart, kKinds = 4 };

  struct Node {
    std::uint32_t generation;  // Of the timer that counts.
    std::uint32_t rounds_left;
    LossRule loss;
  };

  void serve(const HeapEvent& event) {
    const std::uint32_t id = event.target / kKinds;
    Node& node = nodes_[id];
    switch (event.target % kKinds) {
      case kMessage:
        ++messages_;
        ++node.generation;
        on_message(node, id, event.time);
        break;
      case kTimer:
        if (event.value != node.generation) break;  // Stale.
        ++timeouts_;
        if (PingPong::is_initiator(id)) ping(node, id, event.time);
        wait(node, id, event.time);
        break;
      case kStart:
        if (PingPong::is_initiator(id)) ping(node, id, event.time);
        wait(node, id, event.time);
        break;
    }
  }

  void on_message(Node& node, std::uint32_t id, std::int64_t now) {
    const bool more = --node.rounds_left != 0;
    if (!PingPong::is_initiator(id)) {
      send(id, now);
    } else if (more) {
      ping(node, id, now);
    }
    if (more) wait(node, id, now);
  }

  void ping(Node& node, std::uint32_t id, std::int64_t now) {
    if (!node.loss.loses_next()) send(id, now);
  }

  void send(std::uint32_t id, std::int64_t now) {
    heap_.push(now + PingPong::kLatencyNs, PingPong::peer(id) * kKinds + kMessage, 0);
  }

  void wait(Node& node, std::uint32_t id, std::int64_t now) {
    heap_.push(now + PingPong::kTimeoutNs, id * kKinds + kTimer, ++node.generation);
  }

  Heap heap_;
  std::vector<Node> nodes_;
  std::uint64_t messages_ = 0;
  std::uint64_t timeouts_ = 0;
};

template <class Heap>
Record run(const Options& options) {
  Record record;
  Stopwatch watch;
  PingPongWorld<Heap> world(PingPong(options.n, options.messages));
  watch.started();
  world.run(record);
  watch.finish(record);
  return record;
}

}  // namespace

Record bare_heap_pp_timers(const Options& options) {
  return options.contestant == kStdHeap ? run<StdHeap>(options) : run<EventHeap>(options);
}

}  // namespace drydock::bench
