#include "reports/loss/explain.hpp"

#include <algorithm>

#include "reports/record/numbers.hpp"

namespace drydock::reports {
namespace {

// What a fault does to bytes that a program has stored; design, section 3.
std::string effect_of(const std::string& fault) {
  if (fault == "process.kill") return "process.kill leaves the page cache to the kernel";
  if (fault == "host.power-loss")
    return "host.power-loss discards the dirty pages of the page cache";
  return fault.empty() ? "there was no fault" : fault + " happened";
}

std::string flush_age(const LossMechanism& m) {
  if (m.runs_with_flush_age == 0) return "no flush had completed before";
  return "the last flush was " + duration_text(m.flush_age_min_ns) + " to " +
         duration_text(m.flush_age_max_ns) + " old (median " +
         duration_text(m.flush_age_median_ns) + ")";
}

}  // namespace

LossMechanism mechanism_of(const std::vector<RunResult>& runs) {
  LossMechanism m;
  std::vector<std::int64_t> ages;
  for (const RunResult& run : runs) {
    if (m.fault.empty() && !run.faults.empty()) m.fault = run.faults.front().kind;
    m.at_risk += run.loss.at_risk;
    if (run.loss.lost.empty()) continue;
    ++m.runs_with_loss;
    m.lost += static_cast<std::int64_t>(run.loss.lost.size());
    m.lost_behind_last_flush +=
        std::count_if(run.loss.lost.begin(), run.loss.lost.end(),
                      [](const LostMessage& message) { return message.behind_last_flush; });
    if (run.store.last_flush_ns < 0 || run.faults.empty()) continue;
    ages.push_back(run.faults.front().began_ns - run.store.last_flush_ns);
  }
  m.runs_with_flush_age = static_cast<std::int64_t>(ages.size());
  m.flush_age_min_ns = quantile(ages, 0);
  m.flush_age_median_ns = quantile(ages, 50);
  m.flush_age_max_ns = quantile(ages, 100);
  return m;
}

std::string explain(const LossMechanism& m) {
  const std::string effect = effect_of(m.fault);
  if (m.lost == 0 && m.at_risk == 0) {
    return effect + ", and a flush had covered every acknowledged message";
  }
  if (m.lost == 0) {
    return effect + ": " + count_text(m.at_risk) +
           " acknowledged messages that no flush had covered outlived it";
  }
  std::string text = effect;
  if (m.lost_behind_last_flush > 0) {
    text += ", and with them " + count_text(m.lost_behind_last_flush) + " of " +
            count_text(m.at_risk) +
            " messages that were acknowledged before a flush covered them; " + flush_age(m);
  }
  const std::int64_t covered = m.lost - m.lost_behind_last_flush;
  if (covered > 0) {
    text += "; " + count_text(covered) + " lost messages had been covered by a flush";
  }
  return text;
}

}  // namespace drydock::reports
