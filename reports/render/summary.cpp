#include "reports/render/summary.hpp"

#include "reports/latency/latency.hpp"
#include "reports/record/numbers.hpp"

namespace drydock::reports {
namespace {

Spread spread_of(const std::vector<std::int64_t>& sample) {
  return {quantile(sample, 0), quantile(sample, 50), quantile(sample, 100)};
}

void add_counts(const LossReport& loss, CellSummary& summary) {
  const auto lost = static_cast<std::int64_t>(loss.lost.size());
  summary.acked += loss.acked;
  if (!loss.read) {
    ++summary.unread_runs;
    summary.acked_unread += loss.acked;
  }
  summary.lost += lost;
  summary.lost_in_log += loss.lost_in_log();
  summary.runs_with_loss += lost > 0;
  summary.corrupt += loss.corrupt;
  summary.phantoms += loss.phantoms;
  summary.duplicates += loss.duplicates;
  summary.unknown_stored += loss.unknown_stored;
  summary.unknown_absent += loss.unknown_absent;
  summary.failed += loss.failed;
  summary.failed_stored += loss.failed_stored;
  summary.expired += loss.expired;
  summary.index_missed += loss.index_missed;
  summary.index_endless += loss.index_endless;
}

}  // namespace

CellSummary summarise(const CellResult& cell) {
  CellSummary summary;
  std::vector<std::int64_t> lost;
  std::vector<std::int64_t> rto_fault;
  std::vector<std::int64_t> rto_client;
  std::vector<std::int64_t> rto_steady;
  std::array<std::vector<std::int64_t>, kStages> stages;
  std::array<std::vector<std::int64_t>, kTakeoverSteps> steps;
  std::vector<std::int64_t> latency;
  std::array<std::vector<std::int64_t>, 4> sends;
  for (const RunResult& run : cell.runs) {
    if (run.verdict == Verdict::harness) {
      ++summary.harness_runs;
      continue;
    }
    ++summary.runs;
    summary.open_runs += run.verdict == Verdict::inconclusive || !run.loss.read;
    add_counts(run.loss, summary);
    summary.order_violations += run.order.violations;
    summary.deliveries.delivered += run.deliveries.delivered;
    summary.deliveries.again += run.deliveries.again;
    summary.deliveries.skipped += run.deliveries.skipped;
    summary.deliveries.gone += run.deliveries.gone;
    summary.deliveries.undelivered += run.deliveries.undelivered;
    summary.deliveries.out_of_order += run.deliveries.out_of_order;
    summary.ownership.stale_reads += run.ownership.stale_reads;
    summary.ownership.foreign_writes += run.ownership.foreign_writes;
    for (const TakeoverFacts& takeover : run.takeovers) {
      if (!takeover.completed) continue;
      ++summary.takeovers;
      for (std::size_t i = 0; i < kTakeoverSteps; ++i) steps[i].push_back(takeover.steps_ns[i]);
    }
    if (run.loss.read) lost.push_back(static_cast<std::int64_t>(run.loss.lost.size()));
    if (run.rto.fault_ns) rto_fault.push_back(*run.rto.fault_ns);
    if (run.rto.client_ns) rto_client.push_back(*run.rto.client_ns);
    const bool broken = run.fault_took_effect();
    summary.runs_without_fault += !broken;
    summary.rto_fault_never += broken && !run.rto.fault_ns;
    summary.rto_client_never += broken && !run.rto.client_ns;
    if (run.rto.steady_ns) rto_steady.push_back(*run.rto.steady_ns);
    summary.rto_steady_never += broken && !run.rto.steady_ns;
    if (broken) ++summary.steady[static_cast<std::size_t>(run.rto.steady)];
    for (std::size_t i = 0; run.rto.stages_ns && i < kStages; ++i) {
      stages[i].push_back((*run.rto.stages_ns)[i]);
    }
    const SendsReport under_fault = sends_of(run, "");
    summary.sends_busy += under_fault.busy;
    sends[0].push_back(under_fault.acked);
    sends[1].push_back(under_fault.p50_ns);
    sends[2].push_back(under_fault.p99_ns);
    sends[3].push_back(under_fault.longest_ns);
    if (run.baseline.acked > 0) latency.push_back(run.baseline.latency_p50_ns);
  }
  summary.lost_per_run = spread_of(lost);
  summary.rto_fault = spread_of(rto_fault);
  summary.rto_client = spread_of(rto_client);
  summary.rto_steady = spread_of(rto_steady);
  for (std::size_t i = 0; i < kStages; ++i) summary.stages[i] = spread_of(stages[i]);
  for (std::size_t i = 0; i < kTakeoverSteps; ++i) summary.takeover_steps[i] = spread_of(steps[i]);
  summary.latency_p50 = spread_of(latency);
  summary.sends_acked = spread_of(sends[0]);
  summary.sends_p50 = spread_of(sends[1]);
  summary.sends_p99 = spread_of(sends[2]);
  summary.sends_longest = spread_of(sends[3]);
  return summary;
}

}  // namespace drydock::reports
