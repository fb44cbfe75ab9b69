// bulk-link on the bare heap: a link is the instant at which it becomes free; one event per
// message.
#include "tests/bench/workloads/bulk_link.hpp"

#include <algorithm>
#include <array>
#include <cstdint>
#include <deque>

#include "tests/bench/bare_heap/event_heap.hpp"
#include "tests/bench/bare_heap/std_heap.hpp"
#include "tests/bench/bare_heap/workloads.hpp"

namespace drydock::bench {
namespace {

template <class Heap>
class BulkWorld {
 public:
  explicit BulkWorld(std::int64_t messages) {
    links_[0].load = BulkLink::fast(messages);
    links_[1].load = BulkLink::slow(messages);
    for (std::uint32_t link = 0; link < links_.size(); ++link) heap_.push(0, link * 2 + kBurst, 0);
  }

  void run(Record& record) {
    while (!heap_.empty()) {
      const HeapEvent event = heap_.pop();
      Link& link = links_[event.target / 2];
      ++record.events;
      if (event.target % 2 == kBurst) {
        hand_over(link, event);
      } else {
        link.sojourn += event.time - link.handed_over.front();
        link.handed_over.pop_front();
        link.last_delivery = event.time;
        ++record.messages;
      }
    }
    record.transfer_fast_ns = links_[0].last_delivery;
    record.transfer_slow_ns = links_[1].last_delivery;
    record.sojourn_fast_ns = links_[0].sojourn / links_[0].load.messages;
    record.sojourn_slow_ns = links_[1].sojourn / links_[1].load.messages;
    record.virtual_s =
        static_cast<double>(std::max(record.transfer_fast_ns, record.transfer_slow_ns)) * 1e-9;
  }

 private:
  enum : std::uint32_t { kBurst, kDelivery };

  struct Link {
    BulkLink load{};
    std::int64_t free_at = 0;
    std::int64_t last_delivery = 0;
    std::int64_t sojourn = 0;
    std::deque<std::int64_t> handed_over;  // Of the messages under way.
  };

  void hand_over(Link& link, const HeapEvent& event) {
    for (std::int64_t i = 0; i < BulkLink::kBurst; ++i) {
      link.free_at = std::max(link.free_at, event.time) + link.load.transmit_ns();
      link.handed_over.push_back(event.time);
      heap_.push(link.free_at + link.load.latency_ns, event.target / 2 * 2 + kDelivery, 0);
    }
    if (event.value + 1 < link.load.burst_count()) {
      heap_.push(event.time + link.load.burst_period_ns(), event.target, event.value + 1);
    }
  }

  Heap heap_;
  std::array<Link, 2> links_;
};

template <class Heap>
Record run(const Options& options) {
  Record record;
  Stopwatch watch;
  BulkWorld<Heap> world(BulkLink::messages_per_link(options.messages));
  watch.started();
  world.run(record);
  watch.finish(record);
  return record;
}

}  // namespace

Record bare_heap_bulk_link(const Options& options) {
  return options.contestant == kStdHeap ? run<StdHeap>(options) : run<EventHeap>(options);
}

}  // namespace drydock::bench
