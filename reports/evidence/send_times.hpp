// How long sends took while a drill's trouble lasted. Pure.
#pragma once

#include "reports/record/history.hpp"
#include "reports/record/operations.hpp"

namespace drydock::reports {

// Of the sends that were invoked in [begin, end).
SendTimes measure_sends(const History& history, std::int64_t begin_ns, std::int64_t end_ns);

}  // namespace drydock::reports
