// The workloads of the ns-3 peer. The scheduler is set before; Simulator::Destroy comes after.
#pragma once

#include "tests/bench/workloads/harness.hpp"

namespace drydock::bench {

Record ns3_pp_timers(const Options& options);
Record ns3_raft_hb(const Options& options);
Record ns3_bulk_link(const Options& options);

}  // namespace drydock::bench
