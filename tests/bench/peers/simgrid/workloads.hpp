// The workloads of the SimGrid peer.
#pragma once

#include <simgrid/s4u/Engine.hpp>

#include "tests/bench/workloads/harness.hpp"

namespace drydock::bench {

Record simgrid_pp_timers(const Options& options, simgrid::s4u::Engine& engine);
Record simgrid_bulk_link(const Options& options, simgrid::s4u::Engine& engine);

}  // namespace drydock::bench
