#include "reports/rto/stages.hpp"

#include <algorithm>

namespace drydock::reports {
namespace {

std::int64_t& end_of(StageTimes& ends, Stage stage) {
  return ends[static_cast<std::size_t>(stage)];
}

// The last life that began to serve in (after, until]; null if none did.
const BrokerLife* life_that_served(const WayBack& way, std::int64_t after, std::int64_t until) {
  const BrokerLife* found = nullptr;
  for (const BrokerLife& life : way.lives) {
    if (life.serving_ns <= after || life.serving_ns > until) continue;
    if (found == nullptr || life.serving_ns >= found->serving_ns) found = &life;
  }
  return found;
}

std::int64_t first_in(const std::vector<std::int64_t>& times, std::int64_t after,
                      std::int64_t until) {
  const auto found =
      std::ranges::find_if(times, [&](std::int64_t t) { return t > after && t <= until; });
  return found == times.end() ? -1 : *found;
}

}  // namespace

StageTimes split_stages(std::int64_t fault_ns, std::int64_t served_ns, const StageTimes& ends) {
  StageTimes spans{};
  std::int64_t at = fault_ns;
  for (std::size_t stage = 0; stage + 1 < kStages; ++stage) {
    if (ends[stage] < 0) continue;
    const std::int64_t end = std::clamp(ends[stage], at, served_ns);
    spans[stage] = end - at;
    at = end;
  }
  spans[kStages - 1] = served_ns - at;
  return spans;
}

StageTimes stage_ends(const WayBack& way, Sends sends, std::int64_t fault_ns,
                      std::int64_t served_ns) {
  StageTimes ends = kNoStageEnds;
  const BrokerLife* const life = life_that_served(way, fault_ns, served_ns);
  if (life == nullptr) {
    if (sends == Sends::wait_for_slave) {
      end_of(ends, Stage::resync) = first_in(way.slave_acks_ns, fault_ns, served_ns);
    }
    return ends;
  }
  if (life->promoted_ns > fault_ns) {
    end_of(ends, Stage::detect) = life->promoted_ns;
  } else if (life->power_back_ns > fault_ns) {
    end_of(ends, Stage::detect) = life->power_back_ns;
    end_of(ends, Stage::mount) = std::max(life->started_ns, life->mounted_ns);
  } else {
    end_of(ends, Stage::detect) = life->started_ns;
  }
  end_of(ends, Stage::recover) = life->serving_ns;
  if (sends == Sends::wait_for_slave) {
    end_of(ends, Stage::resync) = first_in(way.slave_acks_ns, life->serving_ns, served_ns);
  }
  end_of(ends, Stage::route) = first_in(way.routes_ns, life->serving_ns, served_ns);
  return ends;
}

}  // namespace drydock::reports
