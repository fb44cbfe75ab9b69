// result.json's part about what operators would have looked at.
#pragma once

#include <nlohmann/json.hpp>

#include "reports/record/run_result.hpp"

namespace drydock::reports {

// Adds `disks`, `sends` and `brokers`, and `evidence` if there is any.
void add_operations(nlohmann::json& run_json, const RunResult& run);
void take_operations(const nlohmann::json& run_json, RunResult& run);

}  // namespace drydock::reports
