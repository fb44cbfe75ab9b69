// summary.md: the answer and the table, as CI servers show it beside a build.
#pragma once

#include <string>

#include "reports/record/drill_result.hpp"

namespace drydock::reports {

std::string render_markdown(const DrillResult& result);

}  // namespace drydock::reports
