// What operators would have looked at, in the forms in which they know it, and what their remedies
// were worth.
#pragma once

#include <cstddef>
#include <string>

#include "reports/record/drill_result.hpp"

namespace drydock::reports {

// Of each cell the first run that has evidence: the disk of each host as `iostat -dx 1` shows it,
// second by second, then the lines of the brokers. Empty if no run has any.
std::string render_evidence(const DrillResult& result);

// Of a drill with an axis "remedy" that has a value "none": what each other value is worth against
// the cell that differs in nothing else. Empty for any other drill.
//
// Four figures are compared, medians of the runs: send.p99, send.longest, send.acked and, if
// anything was lost, acked_loss. One is better or worse if it falls to four fifths or less or grows
// to five fourths or more, times by a millisecond at least. The verdict is "better", "worse",
// "better and worse", or "no difference".
std::string render_remedies(const DrillResult& result, std::size_t width);

}  // namespace drydock::reports
