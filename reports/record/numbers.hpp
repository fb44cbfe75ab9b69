// Numbers for people, and quantiles of small samples. Integers only: the same text everywhere.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace drydock::reports {

// "12,345".
std::string count_text(std::int64_t count);
// "1 seed", "12,345 seeds".
std::string counted(std::int64_t count, const std::string& noun);
// Three significant digits, rounded down: "0 ns", "251 us", "1.23 ms", "12.3 s", "1230 s".
std::string duration_text(std::int64_t ns);
// The nearest-rank quantile; 0 gives the smallest, 100 the largest, and an empty sample 0.
std::int64_t quantile(std::vector<std::int64_t> sample, std::int64_t percent);

}  // namespace drydock::reports
