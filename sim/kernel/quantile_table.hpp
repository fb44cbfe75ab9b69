// A distribution of times as a table of quantiles: integers in, integers out.
#pragma once

#include <initializer_list>
#include <vector>

#include "engine/types/random_stream.hpp"
#include "engine/types/time.hpp"

namespace drydock::sim {

// One row: `per_million` of the draws are <= `ns`.
struct QuantilePoint {
  std::int64_t per_million = 0;
  std::int64_t ns = 0;
};

// The inverse distribution function, linear between its points. Below the first point and above the
// last one it is constant, so a table that names neither 0 nor 1,000,000 has the first and the last
// value as its minimum and maximum. A table of one point is a constant.
class QuantileTable {
 public:
  static constexpr std::int64_t kMillion = 1'000'000;

  // A constant of 0.
  QuantileTable() : points_{{0, 0}} {}
  // Quantiles rise strictly within [0, 1,000,000]; times are >= 0 and do not fall.
  explicit QuantileTable(std::vector<QuantilePoint> points) : points_(std::move(points)) {
    check();
  }
  QuantileTable(std::initializer_list<QuantilePoint> points) : points_(points) { check(); }
  static QuantileTable constant(Duration value) { return QuantileTable{{0, value.count_ns()}}; }

  // The value at a quantile in [0, 1,000,000], rounded down.
  Duration at(std::int64_t per_million) const {
    const QuantilePoint* below = &points_.front();
    if (per_million <= below->per_million) return Duration::ns(below->ns);
    for (const QuantilePoint& point : points_) {
      if (point.per_million >= per_million) return between(*below, point, per_million);
      below = &point;
    }
    return Duration::ns(points_.back().ns);
  }

  // One draw of the stream, also for a constant: profiles can be compared draw by draw.
  Duration draw(RandomStream& stream) const {
    return at(static_cast<std::int64_t>(stream.below(kMillion)));
  }

  const std::vector<QuantilePoint>& points() const { return points_; }

 private:
  static Duration between(const QuantilePoint& low, const QuantilePoint& high,
                          std::int64_t per_million) {
    __extension__ using Wide = __int128;
    const Wide rise = static_cast<Wide>(high.ns - low.ns) * (per_million - low.per_million);
    return Duration::ns(low.ns +
                        static_cast<std::int64_t>(rise / (high.per_million - low.per_million)));
  }
  void check() const {
    ENSURE(!points_.empty());
    std::int64_t quantile = -1;
    std::int64_t ns = 0;
    for (const QuantilePoint& point : points_) {
      ENSURE(point.per_million > quantile);
      ENSURE(point.per_million <= kMillion);
      ENSURE(point.ns >= ns);
      quantile = point.per_million;
      ns = point.ns;
    }
  }

  std::vector<QuantilePoint> points_;
};

}  // namespace drydock::sim
