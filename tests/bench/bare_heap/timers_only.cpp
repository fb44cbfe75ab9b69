// timers-only on the bare heap: a cancelled timer is a generation that moved on.
#include "tests/bench/workloads/timers_only.hpp"

#include <cstdint>
#include <vector>

#include "tests/bench/bare_heap/event_heap.hpp"
#include "tests/bench/bare_heap/std_heap.hpp"
#include "tests/bench/bare_heap/workloads.hpp"

namespace drydock::bench {
namespace {

template <class Heap>
Record run() {
  constexpr std::uint32_t kTick = TimersOnly::kTimers;
  Record record;
  Stopwatch watch;
  Heap heap;
  std::vector<std::uint32_t> generations(TimersOnly::kTimers);
  Draws draws(4, 0);
  ExpiryLog log;
  watch.started();

  for (std::uint32_t timer = 0; timer < TimersOnly::kTimers; ++timer) {
    heap.push(TimersOnly::draw_delay_ns(draws), timer, generations[timer]);
  }
  heap.push(TimersOnly::kTickNs, kTick, 0);
  std::uint32_t next_cancelled = 0;
  std::int64_t now = 0;
  while (!heap.empty()) {
    const HeapEvent event = heap.pop();
    now = event.time;
    ++record.events;
    if (event.target != kTick) {
      if (event.value == generations[event.target]) log.expired(event.target, now);
      continue;
    }
    for (std::uint32_t i = 0; i < TimersOnly::kCancelledPerTick; ++i) {
      ++generations[TimersOnly::cancelled(next_cancelled++)];
    }
    if (next_cancelled < TimersOnly::kTicks * TimersOnly::kCancelledPerTick) {
      heap.push(now + TimersOnly::kTickNs, kTick, 0);
    }
  }

  watch.finish(record);
  record.timeouts = log.count();
  record.checksum = log.checksum();
  record.virtual_s = static_cast<double>(now) * 1e-9;
  return record;
}

}  // namespace

Record bare_heap_timers_only(const Options& options) {
  return options.contestant == kStdHeap ? run<StdHeap>() : run<EventHeap>();
}

}  // namespace drydock::bench
