// result.json, and results as JSON there and back (worker processes send them through a pipe).
// Integers in ns and bytes; keys in the order of the alphabet, so equal results are equal bytes.
#pragma once

#include <string>

#include "reports/record/drill_result.hpp"

namespace drydock::reports {

// The whole of an invocation; schema: reports/result.schema.json. Ends with a line break.
std::string render_json(const DrillResult& result);

// One run on one line. `run_from_json(run_to_json(r)) == r`; throws on text that is no run.
std::string run_to_json(const RunResult& run);
RunResult run_from_json(const std::string& text);

}  // namespace drydock::reports
