// What the terminal shows.
#pragma once

#include <string>

#include "reports/record/drill_result.hpp"

namespace drydock::reports {

// The five lines, the table of cells, broken expectations and failed runs with the command that
// replays them, warnings, and what is assumed or not modelled. `width`: columns of the terminal.
// The same result gives the same text.
std::string render_text(const DrillResult& result, std::size_t width);

}  // namespace drydock::reports
