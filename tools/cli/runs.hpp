// Runs in worker processes: what run and replay have in common.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "engine/types/time.hpp"
#include "reports/record/run_result.hpp"
#include "scenarios/drill/drill.hpp"
#include "tools/cli/worker_pool.hpp"

namespace drydock::cli {

inline constexpr int kJobsMax = 256;

// One per core.
int default_jobs();

// Real time that each run may take. `limit` is the text of --limit; throws scenarios::InputError if
// it is none. Without it, the longer one of ten minutes and what the phases may take in virtual
// time; more than ten minutes are announced on the standard error stream.
Duration limit_of(const std::optional<std::string>& limit, const scenarios::Phases& phases);

// What came of a run. One that gave no answer has the verdict `harness`.
reports::RunResult run_of(const Answer& answer, std::uint64_t seed);

}  // namespace drydock::cli
