// junit.xml: a test suite per cell, a test case per seed, as CI servers read it.
#pragma once

#include <string>

#include "reports/record/drill_result.hpp"

namespace drydock::reports {

// Runs that did not pass are failures; those of verdict `harness` errors; `inconclusive` is
// skipped. Expectations over the total of a cell are test cases of their own.
std::string render_junit(const DrillResult& result);

}  // namespace drydock::reports
