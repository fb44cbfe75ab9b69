// From one (drill, cell, seed) to a judged result.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>

#include "reports/record/run_result.hpp"
#include "scenarios/drill/cells.hpp"
#include "sim/kernel/verify.hpp"

namespace drydock::scenarios {

enum class Verification : std::uint8_t { none, side_by_side };

using FurtherRuns = std::function<void(int count)>;

// Runs it, and judges it against the cell's expectations. What goes wrong inside the simulator
// becomes a verdict of `harness`; a failed ENSURE ends the process.
// If something was lost, the seed is run again with full provenance, which must have the same
// fingerprint, and the copies of what was lost are traced.
// With `side_by_side` the run is made twice more, both at the same time, and compared event by
// event (and with the first): a difference is a verdict of `harness` that names the first event.
// `further` is told when further runs begin, and how many at the same time.
reports::RunResult run_one(
    const Experiment& experiment, const Cell& cell, std::uint64_t seed, Verification verification,
    const FurtherRuns& further = [](int) {});

}  // namespace drydock::scenarios
