#include "scenarios/world_sim/runner.hpp"

#include <exception>

#include "reports/expect/expect.hpp"
#include "scenarios/world_sim/sim_run.hpp"

namespace drydock::scenarios {
namespace {

// A run that leaves its fingerprint behind.
class FingerprintedRun : public SimRun {
 public:
  FingerprintedRun(const Experiment& experiment, const Cell& cell, std::uint64_t seed,
                   std::string& fingerprint)
      : SimRun(experiment, cell, seed), fingerprint_(fingerprint) {}
  bool advance() override {
    const bool more = SimRun::advance();
    if (!more) fingerprint_ = kernel().fingerprint().digest().hex();
    return more;
  }

 private:
  std::string& fingerprint_;
};

// The first difference between two runs side by side, or between them and one that was alone; empty
// if there is none.
std::string compare(const Experiment& experiment, const Cell& cell, std::uint64_t seed,
                    const std::string& alone) {
  std::string beside;
  const auto divergence = sim::verify(
      [&]() { return std::make_unique<FingerprintedRun>(experiment, cell, seed, beside); });
  if (divergence) return divergence->describe();
  if (beside == alone) return "";
  return "two runs side by side agree (" + beside + "), one that was alone does not (" + alone +
         ")";
}

// Runs the seed again and traces the copies of what was lost. The same run, or the harness is
// broken: then `divergence` says so.
void trace_losses(const Experiment& experiment, const Cell& cell, reports::RunResult& result) {
  SimRun again(experiment, cell, result.seed, Provenance::full);
  while (again.advance()) {
  }
  const reports::RunResult traced = again.result();
  if (traced.fingerprint != result.fingerprint) {
    result.divergence = "the run (" + result.fingerprint +
                        ") is another one with full provenance (" + traced.fingerprint + ")";
    return;
  }
  ENSURE(traced.loss.lost.size() == result.loss.lost.size());
  result.loss = traced.loss;
}

}  // namespace

reports::RunResult run_one(const Experiment& experiment, const Cell& cell, std::uint64_t seed,
                           Verification verification, const FurtherRuns& further) {
  reports::RunResult result;
  result.seed = seed;
  try {
    SimRun run(experiment, cell, seed);
    while (run.advance()) {
    }
    result = run.result();
    if (!result.loss.lost.empty()) {
      further(1);
      trace_losses(experiment, cell, result);
    }
    if (result.divergence.empty() && verification == Verification::side_by_side) {
      further(2);
      result.divergence = compare(experiment, cell, seed, result.fingerprint);
    }
    result.verdict = reports::Verdict::inconclusive;
    reports::judge_run(result, cell.expectations);
  } catch (const std::exception& error) {
    reports::give_up(result, error.what());
  }
  return result;
}

}  // namespace drydock::scenarios
