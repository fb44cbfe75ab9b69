#include "tools/fidelity/statistics.hpp"

#include <algorithm>
#include <numeric>

#include "engine/types/ensure.hpp"

namespace drydock::fidelity {

double quantile(std::vector<double> samples, double share) {
  ENSURE(!samples.empty());
  std::sort(samples.begin(), samples.end());
  const auto rank = static_cast<std::size_t>(share * static_cast<double>(samples.size()));
  return samples[std::min(rank, samples.size() - 1)];
}

double most(const std::vector<double>& samples) {
  ENSURE(!samples.empty());
  return *std::max_element(samples.begin(), samples.end());
}

double mean(const std::vector<double>& samples) {
  ENSURE(!samples.empty());
  return std::accumulate(samples.begin(), samples.end(), 0.0) / static_cast<double>(samples.size());
}

double share_at_most(const std::vector<double>& samples, double bound) {
  ENSURE(!samples.empty());
  const auto count = std::count_if(samples.begin(), samples.end(),
                                   [bound](double sample) { return sample <= bound; });
  return 100 * static_cast<double>(count) / static_cast<double>(samples.size());
}

}  // namespace drydock::fidelity
