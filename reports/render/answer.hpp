// The first screen: five lines that answer the operator's question.
#pragma once

#include <string>

#include "reports/record/drill_result.hpp"

namespace drydock::reports {

struct Answer {
  std::string promised;
  std::string lost;
  std::string why;
  std::string change;
  std::string sure;
};

// From the cells as the user's file has them (`changes` empty) on one side, and the changed ones on
// the other.
Answer answer_of(const DrillResult& result);

// "0 of 100, ≤ 3/100 at 95 % under this fault mix; no field probability". `runs` with no loss.
std::string honest_zero(std::int64_t runs);

}  // namespace drydock::reports
