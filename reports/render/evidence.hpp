// What operators would have looked at, in the forms in which they know it, and what their remedies
// were worth.
#pragma once

#include <string>

#include "reports/record/drill_result.hpp"

namespace drydock::reports {

// Of each cell the first run that has evidence: the disk of each host as `iostat -dx 1` shows it,
// second by second, then the lines of the brokers. Empty if no run has any.
std::string render_evidence(const DrillResult& result);

// Of a drill with an axis "remedy" that has a value "none": what each other value does to the p99
// of sends, against the cell that differs in nothing else. Empty for any other drill.
//
// A remedy helps if the median of the runs' p99 falls to four fifths or less, makes it worse if it
// grows to five fourths or more, and does not help in between.
std::string render_remedies(const DrillResult& result);

}  // namespace drydock::reports
