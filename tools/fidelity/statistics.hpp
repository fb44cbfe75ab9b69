// Of samples. All of them need at least one.
#pragma once

#include <vector>

namespace drydock::fidelity {

// `share` (0 to 1) of them are smaller or as large, and no more: what the measurements' own program
// calls a percentile. Of an even number of samples the median is the larger one of the two.
double quantile(std::vector<double> samples, double share);
inline double median(std::vector<double> samples) { return quantile(std::move(samples), 0.5); }
double most(const std::vector<double>& samples);
double mean(const std::vector<double>& samples);
// Per cent of them that do not exceed `bound`.
double share_at_most(const std::vector<double>& samples, double bound);

}  // namespace drydock::fidelity
