// reports/expect compares what was seen with what a drill expects, and gives the verdicts of design
// section 0. Pure.
//
// A loss, a corrupt message, range or entry, a message out of order, one that a consumer was put
// past, or a block that breaks the rules of ownership, is damage unless the cell has an expectation
// that allows one. An expected
// loss that does not come is `safety` too: the drill no longer shows what it claims to show. What a
// run has lost whose final store nobody could read is not known: it says nothing of an expectation
// that asks for that. Times, waits and what a shared disk has seen are judged all the same. An
// expectation that fewer runs answer than it needs is not evaluated, and the
// cell is `inconclusive`.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "reports/record/drill_result.hpp"

namespace drydock::reports {

// Whether an expectation speaks of this cell.
bool applies_to(const Expectation& expectation, const CellId& cell);
// Of a run. A time that never came satisfies `never` only if a fault took effect: without one there
// was no outage that could have lasted.
bool holds_in(const Expectation& expectation, const RunResult& run);
// A time that never came (no value) satisfies `never` and nothing else.
bool holds_for(const Expectation& expectation, std::optional<std::int64_t> value);
// None: never (of a time). A count is always there.
std::optional<std::int64_t> value_of(const Expectation& expectation, const RunResult& run);

// Sets the verdict and the note of one run. Its figures must be there. A verdict of `harness` stays
// as it is.
void judge_run(RunResult& run, const std::vector<Expectation>& of_its_cell);

// Makes of it the result of a run in which the simulator itself failed: `harness`, and `why` as its
// note. What only the final store tells is not known of it, and what was is dropped.
void give_up(RunResult& run, std::string why);

// Sets the expectations' answers and the cell's verdict from its runs.
void judge_cell(CellResult& cell, const std::vector<Expectation>& of_the_cell);

// The exit status of an invocation; design, section 0. Nondeterminism counts as `harness`.
int exit_status(const std::vector<CellResult>& cells);

}  // namespace drydock::reports
