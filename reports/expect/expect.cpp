#include "reports/expect/expect.hpp"

#include <algorithm>
#include <limits>

#include "reports/evidence/disk_figures.hpp"
#include "reports/latency/latency.hpp"
#include "reports/record/numbers.hpp"
#include "reports/waits/waits.hpp"

namespace drydock::reports {
namespace {

// The more telling verdict comes first; design, section 0: 3 before 1 before 4.
int severity(Verdict verdict) {
  switch (verdict) {
    case Verdict::harness: return 5;
    case Verdict::safety: return 4;
    case Verdict::liveness: return 3;
    case Verdict::slo: return 2;
    case Verdict::inconclusive: return 1;
    case Verdict::pass: break;
  }
  return 0;
}

// Keeps the worst verdict and, among equals, the first note.
class Findings {
 public:
  void add(Verdict verdict, std::string note) {
    if (severity(verdict) <= severity(verdict_)) return;
    verdict_ = verdict;
    note_ = std::move(note);
  }
  Verdict verdict() const { return verdict_; }
  const std::string& note() const { return note_; }

 private:
  Verdict verdict_ = Verdict::pass;
  std::string note_;
};

// Whether the expectation can hold although the count is not 0.
bool allows_some(const Expectation& expectation) {
  switch (expectation.comparison) {
    case Comparison::greater:
    case Comparison::greater_equal: return true;
    case Comparison::equal:
    case Comparison::less_equal: return expectation.bound.value_or(0) > 0;
    case Comparison::less: return expectation.bound.value_or(0) > 1;
  }
  return false;
}

// Whether any of them speaks of that count and can hold although it is not 0.
bool allow(const std::vector<Expectation>& expectations, Metric count) {
  return std::ranges::any_of(expectations, [&](const Expectation& expectation) {
    return expectation.metric == count && allows_some(expectation);
  });
}

// Whether the expectation says that no send succeeds again.
bool expects_no_end(const Expectation& expectation) {
  return expectation.metric == Metric::rto_fault && !expectation.bound;
}

std::string corruption_note(const LossReport& loss) {
  std::string note = std::to_string(loss.corrupt) + " corrupt messages, ranges or queue entries";
  if (!loss.damage.empty()) note += ": " + loss.damage.front();
  return loss.corrupt > 1 ? note + ", ..." : note;
}

std::string loss_note(const LossReport& loss) {
  std::string note =
      counted(static_cast<std::int64_t>(loss.lost.size()), "acknowledged message") + " lost";
  const auto unread = std::ranges::find_if(
      loss.lost, [](const LostMessage& message) { return message.in_log_at >= 0; });
  if (unread == loss.lost.end()) return note;
  return note + ", " + std::to_string(loss.lost_in_log()) +
         " of them in the log but not in their queues: " + text_of_unread(*unread);
}

// What only a reader of the final store can find.
void find_damage_of_store(const RunResult& run, const std::vector<Expectation>& expectations,
                          Findings& findings) {
  const LossReport& loss = run.loss;
  if (loss.corrupt > 0 && !allow(expectations, Metric::corruption)) {
    findings.add(Verdict::safety, corruption_note(loss));
  }
  if (loss.phantoms > 0) {
    findings.add(Verdict::safety, counted(loss.phantoms, "stored message") + " that nobody sent");
  }
  if (!loss.lost.empty() && !allow(expectations, Metric::acked_loss)) {
    findings.add(Verdict::safety, loss_note(loss));
  }
  if (run.order.violations > 0 && !allow(expectations, Metric::order_violations)) {
    findings.add(Verdict::safety,
                 counted(run.order.violations, "message") + " behind one that was sent later");
  }
  if (run.deliveries.skipped > 0 && !allow(expectations, Metric::delivery_skipped)) {
    findings.add(Verdict::safety, counted(run.deliveries.skipped, "message") +
                                      " in the queues that a consumer was put past");
  }
}

// What a shared disk has seen itself.
void find_damage_of_ownership(const RunResult& run, const std::vector<Expectation>& expectations,
                              Findings& findings) {
  if (run.ownership.stale_reads > 0 && !allow(expectations, Metric::stale_reads)) {
    findings.add(Verdict::safety, counted(run.ownership.stale_reads, "block") +
                                      " read from a cache that is older than the ownership (I2)");
  }
  if (run.ownership.foreign_writes > 0 && !allow(expectations, Metric::foreign_writes)) {
    findings.add(Verdict::safety, counted(run.ownership.foreign_writes, "block") +
                                      " written against the rules of ownership (I1)");
  }
}

// The run can't answer the question.
bool unmeasured(Steady steady) {
  return steady == Steady::no_baseline || steady == Steady::load_too_short;
}

// What it means that a bound on it is exceeded: damage, or poor service.
Verdict verdict_of_broken(Metric metric) {
  const bool of_service = is_time(metric) || is_of_sends(metric) || is_of_broker(metric);
  return of_service ? Verdict::slo : Verdict::safety;
}

void find_broken_expectations(const RunResult& run, const std::vector<Expectation>& expectations,
                              Findings& findings) {
  for (const Expectation& expectation : expectations) {
    if (is_of_store(expectation.metric) && !run.loss.read) continue;
    if (expectation.over != Over::every_run) continue;
    const auto value = value_of(expectation, run);
    if (holds_in(expectation, run)) continue;
    if (is_outage(expectation.metric) && !run.fault_took_effect()) {
      findings.add(Verdict::inconclusive,
                   std::string(name_of(expectation.metric)) + ": no fault took effect");
      continue;
    }
    if (expectation.metric == Metric::rto_steady && unmeasured(run.rto.steady)) {
      findings.add(Verdict::inconclusive, "rto.steady: " + std::string(name_of(run.rto.steady)));
      continue;
    }
    const Verdict verdict = verdict_of_broken(expectation.metric);
    std::string was = "never";
    if (value) was = is_time(expectation.metric) ? duration_text(*value) : std::to_string(*value);
    findings.add(verdict, "expected " + text_of(expectation) + ", was " + was);
  }
}

// The first fault that had no effect, or null.
const FaultFact* fault_without_effect(const RunResult& run) {
  for (const FaultFact& fault : run.faults) {
    if (fault.began_ns < 0) return &fault;
  }
  return nullptr;
}

bool conclusive(const RunResult& run) {
  return run.verdict != Verdict::inconclusive && run.verdict != Verdict::harness;
}

// The quantile of values of which some never came; none if it is one of those.
std::optional<std::int64_t> quantile_of(const std::vector<std::optional<std::int64_t>>& values,
                                        std::int64_t percent) {
  constexpr std::int64_t kNever = std::numeric_limits<std::int64_t>::max();
  std::vector<std::int64_t> sample;
  for (const auto& value : values) sample.push_back(value.value_or(kNever));
  const std::int64_t found = quantile(std::move(sample), percent);
  if (found == kNever) return std::nullopt;
  return found;
}

ExpectationResult answer(const Expectation& expectation, const std::vector<RunResult>& runs) {
  ExpectationResult result;
  result.expectation = expectation;
  std::int64_t total = 0;
  std::vector<std::optional<std::int64_t>> values;
  for (const RunResult& run : runs) {
    if (!conclusive(run)) continue;
    if (is_of_store(expectation.metric) && !run.loss.read) continue;
    ++result.runs;
    const auto value = value_of(expectation, run);
    if (holds_in(expectation, run)) ++result.runs_for;
    total += value.value_or(0);
    values.push_back(value);
  }
  if (!result.evaluated()) return result;
  if (const auto percent = percent_of(expectation.over)) {
    result.holds = holds_for(expectation, quantile_of(values, *percent));
  } else if (expectation.over == Over::every_run) {
    result.holds = result.runs_for == result.runs;
  } else {
    result.holds = holds_for(expectation, total);
  }
  return result;
}

PlaceWaits waits_at(const RunResult& run, const Expectation& expectation) {
  return waits_of(run, expectation.process)[static_cast<std::size_t>(expectation.place)];
}

// None: the host has no disk, or the run ended before the phase did.
std::optional<std::int64_t> of_disk(const RunResult& run, const Expectation& expectation,
                                    std::int64_t (*figure)(const DiskUse& use)) {
  const auto disk = std::ranges::find(run.disks, expectation.process, &DiskUse::host);
  if (disk == run.disks.end()) return std::nullopt;
  return figure(*disk);
}

std::optional<std::int64_t> first_delivery(const RunResult& run, const std::string& consumer) {
  const auto facts = std::ranges::find(run.consumers, consumer, &ConsumerFacts::consumer);
  if (facts == run.consumers.end()) return std::nullopt;
  return facts->first_ns;
}

std::optional<std::int64_t> of_broker(const RunResult& run, const std::string& broker,
                                      std::int64_t BrokerCounts::* figure) {
  const auto counts = std::ranges::find(run.brokers, broker, &BrokerCounts::broker);
  if (counts == run.brokers.end()) return std::nullopt;
  return (*counts).*figure;
}

}  // namespace

bool applies_to(const Expectation& expectation, const CellId& cell) {
  return std::all_of(expectation.cells.begin(), expectation.cells.end(), [&](const auto& wanted) {
    const auto found = cell.find(wanted.first);
    return found != cell.end() && found->second == wanted.second;
  });
}

bool holds_for(const Expectation& expectation, std::optional<std::int64_t> value) {
  if (!expectation.bound) return !value;
  if (!value) return false;
  switch (expectation.comparison) {
    case Comparison::equal: return *value == *expectation.bound;
    case Comparison::less_equal: return *value <= *expectation.bound;
    case Comparison::less: return *value < *expectation.bound;
    case Comparison::greater_equal: return *value >= *expectation.bound;
    case Comparison::greater: return *value > *expectation.bound;
  }
  return false;
}

bool holds_in(const Expectation& expectation, const RunResult& run) {
  if (is_outage(expectation.metric) && !run.fault_took_effect()) return false;
  return holds_for(expectation, value_of(expectation, run));
}

std::optional<std::int64_t> value_of(const Expectation& expectation, const RunResult& run) {
  switch (expectation.metric) {
    case Metric::acked_loss: return static_cast<std::int64_t>(run.loss.lost.size());
    case Metric::unknown_stored: return run.loss.unknown_stored;
    case Metric::unknown_absent: return run.loss.unknown_absent;
    case Metric::failed_stored: return run.loss.failed_stored;
    case Metric::expired: return run.loss.expired;
    case Metric::duplicates: return run.loss.duplicates;
    case Metric::corruption: return run.loss.corrupt;
    case Metric::phantoms: return run.loss.phantoms;
    case Metric::index_missed: return run.loss.index_missed;
    case Metric::index_endless: return run.loss.index_endless;
    case Metric::order_violations: return run.order.violations;
    case Metric::delivered: return run.deliveries.delivered;
    case Metric::delivered_again: return run.deliveries.again;
    case Metric::delivered_gone: return run.deliveries.gone;
    case Metric::delivery_skipped: return run.deliveries.skipped;
    case Metric::undelivered: return run.deliveries.undelivered;
    case Metric::delivered_out_of_order: return run.deliveries.out_of_order;
    case Metric::stale_reads: return run.ownership.stale_reads;
    case Metric::foreign_writes: return run.ownership.foreign_writes;
    case Metric::rto_fault: return run.rto.fault_ns;
    case Metric::rto_client: return run.rto.client_ns;
    case Metric::rto_steady: return run.rto.steady_ns;
    case Metric::send_acked: return sends_of(run, expectation.process).acked;
    case Metric::send_busy: return sends_of(run, expectation.process).busy;
    case Metric::send_p50: return sends_of(run, expectation.process).p50_ns;
    case Metric::send_p99: return sends_of(run, expectation.process).p99_ns;
    case Metric::send_longest: return sends_of(run, expectation.process).longest_ns;
    case Metric::pull_missed:
      return of_broker(run, expectation.process, &BrokerCounts::get_miss_times);
    case Metric::registration_gap:
      return of_broker(run, expectation.process, &BrokerCounts::registration_gap_max_ns);
    case Metric::delivery_first: return first_delivery(run, expectation.process);
    case Metric::disk_reads_per_s: return of_disk(run, expectation, &reads_per_second);
    case Metric::disk_read_bytes_per_s: return of_disk(run, expectation, &read_bytes_per_second);
    case Metric::disk_read_await: return of_disk(run, expectation, &read_await_ns);
    case Metric::disk_queue_hundredths: return of_disk(run, expectation, &queue_hundredths);
    case Metric::disk_busy_percent: return of_disk(run, expectation, &busy_percent);
    case Metric::disk_hit_percent: return of_disk(run, expectation, &hit_percent);
    case Metric::wait_longest: return waits_at(run, expectation).longest_ns;
    case Metric::wait_total: return waits_at(run, expectation).total_ns;
    case Metric::wait_count: return waits_at(run, expectation).count;
    case Metric::count_: break;
  }
  return std::nullopt;
}

void judge_run(RunResult& run, const std::vector<Expectation>& of_its_cell) {
  if (run.verdict == Verdict::harness) return;
  Findings findings;
  if (!run.divergence.empty()) {
    const std::string first_line = run.divergence.substr(0, run.divergence.find('\n'));
    findings.add(Verdict::harness, "nondeterminism: " + first_line);
  }
  if (run.loss.read) find_damage_of_store(run, of_its_cell, findings);
  find_damage_of_ownership(run, of_its_cell, findings);
  for (const TakeoverFacts& takeover : run.takeovers) {
    if (takeover.completed) continue;
    findings.add(Verdict::inconclusive, takeover.standby + " did not take " + takeover.disk +
                                            " over" + (takeover.failure.empty() ? "" : ": ") +
                                            takeover.failure);
  }
  const FaultFact* const idle = fault_without_effect(run);
  if (idle != nullptr) {
    findings.add(Verdict::inconclusive, idle->kind + " on " + idle->target + " had no effect");
  } else {
    const bool ends = !std::ranges::any_of(of_its_cell, expects_no_end);
    if (run.fault_took_effect() && !run.rto.fault_ns && ends) {
      findings.add(Verdict::liveness, "no send succeeded after the fault");
    }
    find_broken_expectations(run, of_its_cell, findings);
  }
  if (!run.loss.read) findings.add(Verdict::inconclusive, "the judge could not read the store");
  run.verdict = findings.verdict();
  if (!findings.note().empty()) {
    run.note = run.note.empty() ? findings.note() : findings.note() + " (" + run.note + ")";
  }
}

void give_up(RunResult& run, std::string why) {
  run.verdict = Verdict::harness;
  run.note = std::move(why);
  LossReport loss;
  loss.read = false;
  loss.acked = run.loss.acked;
  loss.failed = run.loss.failed;
  run.loss = std::move(loss);
  run.order = OrderReport();
  run.deliveries = DeliveryReport();
}

void judge_cell(CellResult& cell, const std::vector<Expectation>& of_the_cell) {
  Verdict worst = Verdict::pass;
  const auto consider = [&](Verdict verdict) {
    if (severity(verdict) > severity(worst)) worst = verdict;
  };
  for (const RunResult& run : cell.runs) consider(run.verdict);
  cell.expectations.clear();
  for (const Expectation& expectation : of_the_cell) {
    cell.expectations.push_back(answer(expectation, cell.runs));
    const ExpectationResult& result = cell.expectations.back();
    if (result.holds) continue;
    if (!result.evaluated()) {
      consider(Verdict::inconclusive);
    } else {
      consider(verdict_of_broken(expectation.metric));
    }
  }
  cell.verdict = worst;
}

int exit_status(const std::vector<CellResult>& cells) {
  int status = 0;
  // 3 before 1 before 4.
  const auto rank = [](int value) { return value == 3 ? 3 : value == 1 ? 2 : value == 4 ? 1 : 0; };
  for (const CellResult& cell : cells) {
    int own = 1;
    if (cell.verdict == Verdict::pass) own = 0;
    if (cell.verdict == Verdict::harness) own = 3;
    if (cell.verdict == Verdict::inconclusive) own = 4;
    if (rank(own) > rank(status)) status = own;
  }
  return status;
}

}  // namespace drydock::reports
