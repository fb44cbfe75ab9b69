#include "sim/profiles/latency_fit.hpp"

#include <algorithm>
#include <cmath>

#include "sim/kernel/quantile_table.hpp"
#include "sim/profiles/quantity.hpp"

namespace drydock::sim {
namespace {

constexpr std::int64_t kMillion = QuantileTable::kMillion;

bool counts(const FioLatency& measured, const FioPercentile& percentile) {
  const std::int64_t beyond = kMillion - percentile.per_million;
  return measured.samples / kMillion * beyond + measured.samples % kMillion * beyond / kMillion >=
         kSamplesBeyond;
}

// The times of a table are linear between its points. Points are added until none is more than
// twice its neighbour, where that is within 6% of the logarithm's line.
void add_between(std::vector<LatencyPoint>& points, const LatencyPoint& low,
                 const LatencyPoint& high) {
  const std::int64_t middle = (low.per_million + high.per_million) / 2;
  if (high.ns <= 2 * low.ns || middle == low.per_million || low.ns == 0) return;
  const double mean = std::sqrt(static_cast<double>(low.ns) * static_cast<double>(high.ns));
  const LatencyPoint between{
      middle,
      std::llround(mean),
      {Evidence::assumed, "on the logarithm's line between " +
                              text_of(ProfileUnit::fraction, low.per_million) + " and " +
                              text_of(ProfileUnit::fraction, high.per_million)}};
  add_between(points, low, between);
  points.push_back(between);
  add_between(points, between, high);
}

// Of the whole table, by its trapezoids.
std::int64_t mean_of(const std::vector<LatencyPoint>& points) {
  double sum =
      static_cast<double>(points.front().ns) * static_cast<double>(points.front().per_million);
  for (std::size_t i = 1; i < points.size(); ++i) {
    const auto width = static_cast<double>(points[i].per_million - points[i - 1].per_million);
    sum += width * static_cast<double>(points[i].ns + points[i - 1].ns) / 2;
  }
  sum += static_cast<double>(points.back().ns) *
         static_cast<double>(kMillion - points.back().per_million);
  return std::llround(sum / static_cast<double>(kMillion));
}

QuantileTable table_of(const std::vector<LatencyPoint>& points) {
  std::vector<QuantilePoint> plain;
  for (const LatencyPoint& point : points) plain.push_back({point.per_million, point.ns});
  return QuantileTable(std::move(plain));
}

}  // namespace

LatencyFit fit_latency(const FioLatency& measured, std::int64_t less_ns, const std::string& title,
                       const std::string& citation) {
  const auto less = [less_ns](std::int64_t ns) { return std::max<std::int64_t>(ns - less_ns, 0); };
  LatencyFit fit;
  // Never above the first percentile, whatever the file says.
  const std::int64_t first_ns =
      measured.percentiles.empty() ? measured.max_ns : measured.percentiles.front().ns;
  const std::int64_t least_ns = std::min({measured.min_ns, measured.max_ns, first_ns});
  fit.points.push_back({0, less(least_ns), {Evidence::measured, citation}});
  for (const FioPercentile& percentile : measured.percentiles) {
    if (percentile.per_million == 0 || !counts(measured, percentile)) continue;
    // fio names the upper end of a bucket, which may lie above the largest sample.
    const LatencyPoint point{percentile.per_million,
                             less(std::min(percentile.ns, measured.max_ns)),
                             {Evidence::measured, citation}};
    if (fit.points.size() > 1) {
      const LatencyPoint low = fit.points.back();
      add_between(fit.points, low, point);
    }
    fit.points.push_back(point);
    fit.tail_per_million = point.per_million;
  }
  const QuantileTable table = table_of(fit.points);
  fit.table.title = title;
  for (const FioPercentile& percentile : measured.percentiles) {
    fit.table.rows.push_back({text_of(ProfileUnit::fraction, percentile.per_million),
                              table.at(percentile.per_million).count_ns(), less(percentile.ns),
                              !counts(measured, percentile)});
  }
  fit.table.rows.push_back(
      {"mean", mean_of(fit.points), less(std::llround(measured.mean_ns)), false});
  return fit;
}

}  // namespace drydock::sim
