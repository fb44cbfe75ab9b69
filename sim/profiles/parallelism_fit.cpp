#include "sim/profiles/parallelism_fit.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <map>

#include "engine/types/ensure.hpp"

namespace drydock::sim {
namespace {

constexpr double kBillion = 1e9;
// Thousandths: the least value and the finest step.
constexpr std::int64_t kStep = 10;
// Two runs of one depth differ by so much: an error that falls by less has not fallen.
constexpr double kNoise = 0.02;

// In whole steps, at least one.
std::int64_t half_of(std::int64_t value) { return std::max(value / 2 / kStep * kStep, kStep); }

struct Trial {
  double error = 0;  // Root mean square.
  std::vector<std::int64_t> model_ns;
};

class Search {
 public:
  Search(const Profile& profile, const std::vector<DepthRuns>& runs, const DepthModel& model)
      : profile_(profile), runs_(runs), model_(model) {}

  ParallelismFit run() {
    const Trial without = trial_of(profile_);
    const std::int64_t most = largest_that_counts();
    std::int64_t best = kStep;
    for (std::int64_t value = kStep; value < most; value += half_of(value)) {
      best = better(best, value);
    }
    for (std::int64_t step = std::bit_floor(static_cast<std::uint64_t>(best / kStep)) * kStep / 2;
         step >= kStep; step /= 2) {
      best = refined(best, step, most);
    }
    ParallelismFit fit;
    const bool closer = most > kStep && trial_at(best).error <= without.error - kNoise;
    const Trial& chosen = closer ? trial_at(best) : without;
    if (closer) fit.per_doubling = best;
    fit.error_percent = std::llround(chosen.error * 100);
    fit.error_without_percent = std::llround(without.error * 100);
    fit.model_ns = chosen.model_ns;
    return fit;
  }

 private:
  // From here on no command is stretched: see Parallelism in sim/disk/device_load.hpp.
  std::int64_t largest_that_counts() const {
    std::int64_t most = 0;
    for (const DepthRuns& run : runs_) {
      const std::int64_t busy =
          std::min<std::int64_t>(run.reached.servers, run.points.back().depth);
      if (busy < 2) continue;
      const std::int64_t doublings = std::bit_width(static_cast<std::uint64_t>(busy)) - 1;
      most = std::max(most, (busy - 1) * 1000 / doublings);
    }
    return most;
  }

  // Steps of this size as long as they lead to less.
  std::int64_t refined(std::int64_t best, std::int64_t step, std::int64_t most) {
    for (;;) {
      std::int64_t next = best;
      if (best - step >= kStep) next = better(next, best - step);
      if (best + step <= most) next = better(next, best + step);
      if (next == best) return best;
      best = next;
    }
  }

  std::int64_t better(std::int64_t one, std::int64_t other) {
    return trial_at(other).error < trial_at(one).error ? other : one;
  }

  const Trial& trial_at(std::int64_t value) {
    const auto known = trials_.find(value);
    if (known != trials_.end()) return known->second;
    return trials_.emplace(value, trial_of_law(value)).first->second;
  }

  Trial trial_of_law(std::int64_t value) const {
    Profile profile = with_reached_limits(profile_, runs_);
    ProfileValue law;
    law.low = value;
    profile[ProfileKey::servers_per_doubling] = std::move(law);
    return trial_of(profile);
  }

  Trial trial_of(const Profile& profile) const {
    Trial trial;
    double sum = 0;
    for (const DepthRuns& run : runs_) {
      for (const DepthPoint& point : run.points) {
        const std::int64_t ns = model_(profile, run.direction, point.depth);
        ENSURE(ns > 0);
        const double iops = point.depth * kBillion / static_cast<double>(ns);
        const double error = iops / point.iops - 1;
        sum += error * error;
        trial.model_ns.push_back(ns);
      }
    }
    trial.error = std::sqrt(sum / static_cast<double>(trial.model_ns.size()));
    return trial;
  }

  const Profile& profile_;
  const std::vector<DepthRuns>& runs_;
  const DepthModel& model_;
  std::map<std::int64_t, Trial> trials_;
};

}  // namespace

Profile with_reached_limits(const Profile& profile, const std::vector<DepthRuns>& runs) {
  Profile changed = profile;
  for (const DepthRuns& run : runs) {
    const bool reads = run.direction == CommandDirection::read;
    changed[reads ? ProfileKey::read_servers : ProfileKey::write_servers]->low =
        run.reached.servers;
    changed[reads ? ProfileKey::max_read_iops : ProfileKey::max_write_iops]->low =
        run.reached.max_iops;
  }
  return changed;
}

ParallelismFit fit_parallelism(const Profile& profile, const std::vector<DepthRuns>& runs,
                               const DepthModel& model) {
  ENSURE(!runs.empty());
  ENSURE(!profile[ProfileKey::servers_per_doubling]);
  for (const DepthRuns& run : runs) ENSURE(run.points.size() >= kLawDepthsMin);
  return Search(profile, runs, model).run();
}

}  // namespace drydock::sim
