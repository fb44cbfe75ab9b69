// The bare heap's workloads. Each builds its world, runs it and fills a record. There are two
// contestants: bare-heap is the hand-written EventHeap, bare-heap-std is std::priority_queue.
#pragma once

#include "tests/bench/workloads/harness.hpp"

namespace drydock::bench {

inline constexpr const char* kHandHeap = "bare-heap";
inline constexpr const char* kStdHeap = "bare-heap-std";

Record bare_heap_pp_timers(const Options& options);
Record bare_heap_raft_hb(const Options& options);
Record bare_heap_timers_only(const Options& options);
Record bare_heap_bulk_link(const Options& options);

}  // namespace drydock::bench
