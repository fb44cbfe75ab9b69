// raft-hb on the bare heap: the 8 bytes of payload carry a whole message, or a timer's generation.
#include "tests/bench/workloads/raft_hb.hpp"

#include <bit>
#include <cstdint>
#include <vector>

#include "tests/bench/bare_heap/event_heap.hpp"
#include "tests/bench/bare_heap/std_heap.hpp"
#include "tests/bench/bare_heap/workloads.hpp"

namespace drydock::bench {
namespace {

template <class Heap>
class RaftWorld {
 public:
  explicit RaftWorld(const RaftLoad& load) : end_(load.end_ns()), generations_(load.nodes) {
    for (std::uint32_t id = 0; id < load.nodes; ++id) {
      nodes_.emplace_back(id, load.nodes, counts_);
      nodes_.back().start(*this);
    }
    heap_.push(RaftLoad::kKillPeriodNs, kKill, 0);
  }

  void run(Record& record) {
    while (heap_.next_time() < end_) {
      const HeapEvent event = heap_.pop();
      now_ = event.time;
      serve(event);
      ++record.events;
    }
    record.messages = counts_.messages;
    record.elections = counts_.elections;
    record.leaders = counts_.leaders;
    record.virtual_s = static_cast<double>(end_) * 1e-9;
  }

  void send(const RaftMessage& message) {
    const std::uint32_t route = static_cast<std::uint32_t>(message.kind) << 24 |
                                std::uint32_t{message.from} << 16 | std::uint32_t{message.to} << 8 |
                                (message.granted ? kGranted : 0u) | kMessage;
    heap_.push(now_ + RaftLoad::kLatencyNs, route, message.term);
  }
  void arm(std::uint32_t node, std::int64_t delay) {
    heap_.push(now_ + delay, node << 8 | kTimer, ++generations_[node]);
  }
  void disarm(std::uint32_t node) { ++generations_[node]; }

 private:
  // The low byte of an event's target says what it is; kGranted is a flag beside it.
  enum : std::uint32_t { kMessage, kTimer, kKill, kRestart, kKindMask = 7, kGranted = 8 };

  void serve(const HeapEvent& event) {
    const std::uint32_t id = event.target >> 8 & 0xff;
    switch (event.target & kKindMask) {
      case kMessage: nodes_[id].on_message(unpack(event), *this); break;
      case kTimer:
        if (event.value == generations_[id]) nodes_[id].on_timer(*this);
        break;
      case kKill: {
        const std::uint32_t killed = kill_leader(nodes_, *this);
        if (killed < nodes_.size()) heap_.push(now_ + RaftLoad::kDownNs, killed << 8 | kRestart, 0);
        heap_.push(now_ + RaftLoad::kKillPeriodNs, kKill, 0);
        break;
      }
      case kRestart: nodes_[id].start(*this); break;
    }
  }

  static RaftMessage unpack(const HeapEvent& event) {
    return RaftMessage{
        static_cast<RaftKind>(event.target >> 24), static_cast<std::uint8_t>(event.target >> 16),
        static_cast<std::uint8_t>(event.target >> 8), (event.target & kGranted) != 0, event.value};
  }

  std::int64_t end_;
  std::int64_t now_ = 0;
  Heap heap_;
  std::vector<std::uint32_t> generations_;
  std::vector<RaftNode> nodes_;
  RaftCounts counts_;
};

template <class Heap>
Record run(const Options& options) {
  Record record;
  Stopwatch watch;
  RaftWorld<Heap> world(RaftLoad{options.n, options.virtual_s});
  watch.started();
  world.run(record);
  watch.finish(record);
  return record;
}

}  // namespace

Record bare_heap_raft_hb(const Options& options) {
  return options.contestant == kStdHeap ? run<StdHeap>(options) : run<EventHeap>(options);
}

}  // namespace drydock::bench
