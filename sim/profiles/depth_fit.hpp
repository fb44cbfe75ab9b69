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

struct DepthFit {
  std::int64_t servers = 0;
  std::int64_t max_iops = 0;
  FitTable table;          // The time of a command per depth.
  bool saturated = false;  // False: the deepest queue was not deep enough, both are lower bounds.
  int worst_depth = 0;     // Where the fit is off most, in proportion,
  std::int64_t worst_percent = 0;  // and by how much.
  std::vector<int> fallen;  // Depths with fewer commands per second than a shallower queue had.
};

// By Little's law a command takes depth / iops. The model: max(s0, depth / max_iops), with s0 as
// measured at depth 1; max_iops by least squares; servers = max_iops * s0, to the nearest.
// `points` has at least two depths, rising from 1.
DepthFit fit_depth(const std::vector<DepthPoint>& points, const std::string& title);

}  // namespace drydock::sim
