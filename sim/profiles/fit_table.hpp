// What a fit says beside what was measured, for people to judge it.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "sim/profiles/profile.hpp"

namespace drydock::sim {

struct FitRow {
  std::string name;  // "99.9%", "depth 32".
  std::int64_t fit = 0;
  std::int64_t measured = 0;
  bool beyond = false;  // There are too few samples for it: the fit leaves it out.
};

struct FitTable {
  std::string title;
  ProfileUnit unit = ProfileUnit::time;  // Of `fit` and `measured`.
  std::vector<FitRow> rows;
};

}  // namespace drydock::sim
