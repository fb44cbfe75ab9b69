#include "sim/profiles/depth_fit.hpp"

#include <algorithm>
#include <cmath>

#include "engine/types/ensure.hpp"

namespace drydock::sim {
namespace {

constexpr double kBillion = 1e9;
// The deepest queue has to make commands wait: so much longer than alone.
constexpr double kSaturated = 1.5;
// Two runs of one depth differ by so much.
constexpr double kNoise = 0.02;

double time_ns(const DepthPoint& point) { return point.depth * kBillion / point.iops; }

double model_ns(double alone_ns, double turn_ns, int depth) {
  return std::max(alone_ns, turn_ns * depth);
}

// The squared error of one choice.
double error_of(const std::vector<DepthPoint>& points, double alone_ns, double turn_ns) {
  double sum = 0;
  for (const DepthPoint& point : points) {
    const double error = model_ns(alone_ns, turn_ns, point.depth) - time_ns(point);
    sum += error * error;
  }
  return sum;
}

// Time between two commands of a busy disk. If the points from `first` on are those that it keeps
// waiting, least squares has one answer; the best of these is it.
double turn_of(const std::vector<DepthPoint>& points, double alone_ns) {
  double best = 0;
  double best_error = 0;
  for (std::size_t first = 1; first < points.size(); ++first) {
    double products = 0;
    double squares = 0;
    for (std::size_t i = first; i < points.size(); ++i) {
      products += points[i].depth * time_ns(points[i]);
      squares += static_cast<double>(points[i].depth) * points[i].depth;
    }
    const double turn = products / squares;
    const double error = error_of(points, alone_ns, turn);
    if (first == 1 || error < best_error) {
      best = turn;
      best_error = error;
    }
  }
  return best;
}

DepthLimits limits_of(double alone_ns, double turn_ns) {
  return {.servers = std::max<std::int64_t>(std::llround(alone_ns / turn_ns), 1),
          .max_iops = std::max<std::int64_t>(std::llround(kBillion / turn_ns), 1)};
}

}  // namespace

DepthFit fit_depth(const std::vector<DepthPoint>& points, double served_ns,
                   const std::string& title) {
  ENSURE(points.size() >= 2);
  ENSURE(points.front().depth == 1);
  const double alone_ns = time_ns(points.front());
  const double turn_ns = turn_of(points, alone_ns);
  DepthFit fit;
  fit.limits = limits_of(alone_ns, turn_ns);
  fit.saturated = time_ns(points.back()) >= kSaturated * alone_ns;
  fit.table.title = title;
  double most = 0;
  for (const DepthPoint& point : points) {
    fit.table.rows.push_back({"depth " + std::to_string(point.depth),
                              std::llround(model_ns(alone_ns, turn_ns, point.depth)),
                              std::llround(time_ns(point)), false});
    if (point.iops < most * (1 - kNoise)) fit.fallen.push_back(point.depth);
    most = std::max(most, point.iops);
  }
  const double reached_ns = std::min(turn_ns, kBillion / most);
  fit.reached = limits_of(alone_ns, reached_ns);
  const auto needed = static_cast<std::int64_t>(std::ceil(served_ns / reached_ns * (1 - kNoise)));
  fit.reached.servers = std::max(fit.reached.servers, needed);
  return fit;
}

}  // namespace drydock::sim
