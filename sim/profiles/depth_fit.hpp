// How many commands a disk serves at the same time, and how many per second, from runs with queues
// of different depths.
#pragma once

#include <cstdint>
#include <vector>

#include "sim/profiles/fit_table.hpp"

namespace drydock::sim {

struct DepthPoint {
  int depth = 0;
  double iops = 0;
};

// Commands served at the same time, and per second.
struct DepthLimits {
  std::int64_t servers = 0;
  std::int64_t max_iops = 0;
};

struct DepthFit {
  DepthLimits limits;
  // If commands stretch each other the more of them there are (parallelism_fit), that and no limit
  // bends the rates: the limit is then what any run reached at most.
  DepthLimits reached;
  FitTable table;  // The time of a command per depth.
  bool saturated =
      false;  // False: the deepest queue was not deep enough, `limits` are lower bounds.
  std::vector<int> fallen;  // Depths with fewer commands per second than a shallower queue had.
};

// By Little's law a command takes depth / iops. The model: max(s0, depth / max_iops), with s0 as
// measured at depth 1; max_iops by least squares; servers = max_iops * s0, to the nearest. Of what
// was reached it is as many as that takes at least if each serves a command for `served_ns`.
// `points` has at least two depths, rising from 1.
DepthFit fit_depth(const std::vector<DepthPoint>& points, double served_ns,
                   const std::string& title);

}  // namespace drydock::sim
