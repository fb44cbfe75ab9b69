#include "reports/render/answer.hpp"

#include <algorithm>
#include <optional>
#include <utility>
#include <vector>

#include "reports/loss/explain.hpp"
#include "reports/record/numbers.hpp"
#include "reports/render/summary.hpp"
#include "reports/waits/waits.hpp"

namespace drydock::reports {
namespace {

// Cells with the same changes: one configuration under all faults.
struct Configuration {
  std::map<std::string, std::string> changes;
  std::vector<const CellResult*> cells;

  CellSummary total() const {
    CellSummary sum;
    for (const CellResult* cell : cells) {
      const CellSummary one = summarise(*cell);
      sum.runs += one.runs;
      sum.acked += one.acked;
      sum.acked_unread += one.acked_unread;
      sum.unread_runs += one.unread_runs;
      sum.open_runs += one.open_runs;
      sum.lost += one.lost;
      sum.corrupt += one.corrupt;
      sum.phantoms += one.phantoms;
      sum.order_violations += one.order_violations;
      sum.deliveries.skipped += one.deliveries.skipped;
      sum.ownership.stale_reads += one.ownership.stale_reads;
      sum.ownership.foreign_writes += one.ownership.foreign_writes;
      sum.duplicates += one.duplicates;
      sum.unknown_stored += one.unknown_stored;
      sum.runs_with_loss += one.runs_with_loss;
      sum.harness_runs += one.harness_runs;
      sum.latency_p50.median = std::max(sum.latency_p50.median, one.latency_p50.median);
    }
    return sum;
  }
};

// The user's own first, then the others in the order of the cells.
std::vector<Configuration> configurations_of(const DrillResult& result) {
  std::vector<Configuration> configurations(1);
  for (const CellResult& cell : result.cells) {
    const auto same =
        std::find_if(configurations.begin(), configurations.end(),
                     [&](const Configuration& other) { return other.changes == cell.changes; });
    if (same != configurations.end()) {
      same->cells.push_back(&cell);
    } else {
      configurations.push_back({cell.changes, {&cell}});
    }
  }
  return configurations;
}

// "host.power-loss", or the kinds of several. A run that was cut short knows of none.
std::string fault_of(const CellResult& cell) {
  std::string kinds;
  const auto told =
      std::ranges::find_if(cell.runs, [](const RunResult& run) { return !run.faults.empty(); });
  if (told == cell.runs.end()) {
    const auto named = cell.id.find("fault");
    return named == cell.id.end() ? "no fault" : "fault " + named->second;
  }
  for (const FaultFact& fault : told->faults) {
    if (fault.breaks) kinds += (kinds.empty() ? "" : " and ") + fault.what();
  }
  return kinds.empty() ? "no fault" : kinds;
}

// The values of the axes in which the cells of a configuration differ: "fault=lie".
std::string text_of_differences(const Configuration& configuration, const CellResult& cell) {
  CellId differing;
  for (const auto& [key, value] : cell.id) {
    const bool differs = std::ranges::any_of(configuration.cells, [&](const CellResult* other) {
      const auto found = other->id.find(key);
      return found == other->id.end() || found->second != value;
    });
    if (differs) differing[key] = value;
  }
  return text_of(differing);
}

// A cell by its faults, and if others have the same ones by its values, too.
std::string label_of(const Configuration& configuration, const CellResult& cell) {
  const std::string fault = fault_of(cell);
  const auto same = std::ranges::count_if(
      configuration.cells, [&](const CellResult* other) { return fault_of(*other) == fault; });
  if (same == 1) return fault;
  return fault + " (" + text_of_differences(configuration, cell) + ")";
}

// Runs that say nothing of losses: cut short, never hit by a fault, or without a judge.
std::int64_t without_answer(const CellSummary& s) { return s.harness_runs + s.open_runs; }
bool no_answer(const CellSummary& s) { return s.runs == s.open_runs; }
std::string gave_no_answer(const CellSummary& s) {
  const std::string text = counted(without_answer(s), "run") + " gave no answer";
  if (s.unread_runs == 0) return text;
  return text + ": of " + counted(s.acked_unread, "acknowledged message") +
         " nobody could read what is left";
}

std::string joined(const std::vector<std::string>& parts, const char* between) {
  std::string text;
  for (const std::string& part : parts) {
    if (!text.empty()) text += between;
    text += part;
  }
  return text;
}

// How long writes stopped. What a fault does only later (a hang that is felt at the next commit of
// a journal) is in rto.client alone: sends still succeed right behind the fault.
struct Outage {
  explicit Outage(const CellSummary& s)
      : of_client(s.rto_client.median > s.rto_fault.median),
        median_ns(of_client ? s.rto_client.median : s.rto_fault.median),
        runs_without_end(std::max(s.rto_fault_never, s.rto_client_never)) {}
  bool of_client;
  std::int64_t median_ns;
  std::int64_t runs_without_end;

  std::string median_text() const {
    return duration_text(median_ns) + (of_client ? " (rto.client, median)" : " (median)");
  }
};

std::string outage_of(const CellSummary& s) {
  if (s.runs == 0) return "no run gave an answer";
  if (s.runs_with_fault() == 0) return "no fault took effect";
  const Outage outage(s);
  std::string text = "no write ever after";
  if (outage.runs_without_end < s.runs_with_fault()) {
    text = "no write for " + outage.median_text();
    if (outage.runs_without_end > 0) {
      text += ", in " + counted(outage.runs_without_end, "run") + " never after";
    }
  }
  if (s.runs_without_fault == 0) return text;
  return text + ", in " + counted(s.runs_without_fault, "run") + " no fault took effect";
}

// What else the checkers counted; empty if all of it is 0.
std::string besides(const CellSummary& s) {
  const std::pair<std::int64_t, const char*> counts[] = {
      {s.unknown_stored, "unknown and stored"},
      {s.unknown_absent, "unknown and absent"},
      {s.failed_stored, "refused and stored"},
      {s.expired, "deleted with old files"},
      {s.duplicates, "duplicates"},
      {s.order_violations, "out of order"},
      {s.corrupt, "corrupt"},
      {s.phantoms, "that nobody sent"},
      {s.index_missed, "that no index finds"},
      {s.index_endless, "whose chain in the index never ends"},
      {s.deliveries.skipped, "that a consumer was put past"},
      {s.deliveries.out_of_order, "given to a consumer out of order"},
      {s.ownership.stale_reads, "blocks read stale"},
      {s.ownership.foreign_writes, "blocks written against the ownership"}};
  std::string text;
  for (const auto& [count, what] : counts) {
    if (count > 0) text += (text.empty() ? "; besides: " : ", ") + count_text(count) + " " + what;
  }
  return text;
}

std::string loss_text(const CellResult& cell) {
  const CellSummary s = summarise(cell);
  if (no_answer(s)) {
    return ": not known: " + gave_no_answer(s) + (s.unread_runs > 0 ? "; " + outage_of(s) : "");
  }
  std::string outage = outage_of(s) + besides(s);
  if (without_answer(s) > 0) outage += "; " + gave_no_answer(s);
  if (s.acked == 0) return ": nothing was acknowledged; " + outage;
  return ": " + count_text(s.lost) + " of " + counted(s.acked_read(), "acknowledged message") +
         ", in " + std::to_string(s.runs_with_loss) + " of " +
         counted(s.runs - s.unread_runs, "run") + "; " + outage;
}

// Sentences that begin with their faults: those that say the same of several say it once.
class Sentences {
 public:
  void add(const std::string& fault, const std::string& text) {
    const auto same = std::find_if(sentences_.begin(), sentences_.end(),
                                   [&](const Sentence& other) { return other.text == text; });
    if (same == sentences_.end()) return sentences_.push_back({{fault}, text});
    same->faults.push_back(fault);
  }
  std::string text() const {
    std::vector<std::string> parts;
    for (const Sentence& one : sentences_) {
      const bool each = one.faults.size() > 1 && one.text.starts_with(' ');  // A verb follows.
      parts.push_back((each ? "each of " : "") + joined(one.faults, ", ") + one.text);
    }
    return joined(parts, ". ");
  }
  bool empty() const { return sentences_.empty(); }

 private:
  struct Sentence {
    std::vector<std::string> faults;
    std::string text;
  };
  std::vector<Sentence> sentences_;
};

std::string losses(const Configuration& configuration) {
  Sentences sentences;
  for (const CellResult* cell : configuration.cells) {
    sentences.add(label_of(configuration, *cell), loss_text(*cell));
  }
  return sentences.text();
}

// One cell alone needs no name; a sentence that begins with its fault has got it.
void add_reason(const Configuration& configuration, const CellResult& cell, const std::string& text,
                Sentences& sentences) {
  const std::string fault = fault_of(cell);
  const std::string label = label_of(configuration, cell);
  const bool told = fault == label && text.starts_with("there was no fault");
  if (text.starts_with(fault)) {
    sentences.add(label, text.substr(fault.size()));
  } else if (told || configuration.cells.size() == 1) {
    sentences.add("", text);
  } else {
    sentences.add(label, ": " + text);
  }
}

std::string reasons(const Configuration& configuration) {
  Sentences sentences;
  // What was lost first: that is the question.
  for (const bool with_loss : {true, false}) {
    for (const CellResult* cell : configuration.cells) {
      const LossMechanism mechanism = mechanism_of(cell->runs);
      if (no_answer(summarise(*cell)) && mechanism.unread_runs == 0) continue;
      if ((mechanism.lost > 0) != with_loss) continue;
      std::string text = explain(mechanism);
      for (const std::string& besides :
           {describe_longest(cell->runs), describe_oom_kills(cell->runs),
            describe_refused_opens(cell->runs)}) {
        if (!besides.empty()) text += "; " + besides;
      }
      add_reason(configuration, *cell, text, sentences);
    }
  }
  return sentences.empty() ? "not known" : sentences.text();
}

std::string text_of_changes(const std::map<std::string, std::string>& changes) {
  return text_of(CellId(changes));
}

// After which faults no write of this configuration ever succeeds again.
std::string no_write_after(const Configuration& configuration) {
  std::vector<std::string> faults;
  for (const CellResult* cell : configuration.cells) {
    if (Outage(summarise(*cell)).runs_without_end > 0) faults.push_back(fault_of(*cell));
  }
  return joined(faults, " and ");
}

// Longer by more than this, and by more than a quarter.
constexpr std::int64_t kLongerNs = 1'000'000'000;

// How long writes stop with the user's own settings under this fault; none: for ever, or the fault
// was not tried with them.
std::optional<std::int64_t> own_outage(const Configuration& own, const std::string& fault) {
  std::optional<std::int64_t> longest;
  for (const CellResult* cell : own.cells) {
    if (fault_of(*cell) != fault) continue;
    const Outage outage(summarise(*cell));
    if (outage.runs_without_end > 0) return std::nullopt;
    longest = std::max(longest.value_or(0), outage.median_ns);
  }
  return longest;
}

// Under which faults writes stop for longer than with the user's own settings.
std::string longer_outages(const Configuration& other, const Configuration& own) {
  std::string text;
  for (const CellResult* cell : other.cells) {
    const Outage outage(summarise(*cell));
    const std::optional<std::int64_t> before = own_outage(own, fault_of(*cell));
    if (!before) continue;
    const std::int64_t longer = outage.median_ns - *before;
    if (longer <= kLongerNs || longer <= *before / 4) continue;
    text += "; but after " + fault_of(*cell) + " no write for " + outage.median_text() +
            " instead of " + duration_text(*before);
  }
  return text;
}

std::string slower(std::int64_t after_ns, std::int64_t before_ns) {
  const std::string after = duration_text(after_ns);
  const std::string before = duration_text(before_ns);
  if (after == before) return "its median send takes as long (" + after + ")";
  return "its median send takes " + after + " instead of " + before;
}

// "; 444 duplicates instead of 0", if there are more of them.
std::string more(std::int64_t after, std::int64_t before, const char* what) {
  if (after <= before) return "";
  return "; " + counted(after, what) + " instead of " + count_text(before);
}

std::string more_unknown(std::int64_t after, std::int64_t before) {
  if (after <= before) return "";
  return "; " + count_text(after) + " messages of unknown outcome are stored instead of " +
         count_text(before);
}

// What is wrong besides losses.
std::int64_t other_damage(const CellSummary& s) {
  return s.corrupt + s.phantoms + s.order_violations + s.deliveries.skipped +
         s.ownership.stale_reads + s.ownership.foreign_writes;
}

std::string with_price(const Configuration& other, const Configuration& own) {
  const CellSummary before = own.total();
  const CellSummary after = other.total();
  std::string text = text_of_changes(other.changes) + ": ";
  if (no_answer(after) && after.runs > 0) {
    text += gave_no_answer(after) + ", under the same faults";
  } else if (after.acked == 0) {
    text += "acknowledged nothing under the same faults";
  } else {
    text += "lost " + count_text(after.lost) + " of " + count_text(after.acked_read()) +
            " under the same faults; " +
            slower(after.latency_p50.median, before.latency_p50.median) +
            more(after.duplicates, before.duplicates, "duplicate") +
            more_unknown(after.unknown_stored, before.unknown_stored);
  }
  const std::string stopped = no_write_after(other);
  if (!stopped.empty()) text += "; but after " + stopped + " no write succeeds any more";
  return text + longer_outages(other, own);
}

// Keys of broker.conf, or places of the scenario.
bool of_broker_conf(const Configuration& configuration) {
  return std::ranges::none_of(configuration.changes, [](const auto& change) {
    return change.first.find('/') != std::string::npos;
  });
}

// Whether somebody who runs such a cluster could make these changes. What a scenario says of load,
// faults, phases and behaviour is the experiment; its hosts and disks are the user's.
bool of_settings(const Configuration& configuration) {
  return std::ranges::all_of(configuration.changes, [](const auto& change) {
    return change.first.find('/') == std::string::npos || change.first.starts_with("topology/");
  });
}

// Whether it was tried under every fault under which the user's own settings were.
bool same_faults(const Configuration& tried, const Configuration& own) {
  return std::ranges::all_of(own.cells, [&tried](const CellResult* cell) {
    return std::ranges::any_of(tried.cells, [cell](const CellResult* other) {
      return fault_of(*other) == fault_of(*cell);
    });
  });
}

// Of the settings that were tried the one that loses nothing of what it acknowledges and changes
// the fewest keys; among equals the first. Null if there is none.
const Configuration* cheapest(const std::vector<Configuration>& configurations) {
  const Configuration* best = nullptr;
  for (std::size_t i = 1; i < configurations.size(); ++i) {
    const Configuration& tried = configurations[i];
    if (!of_settings(tried) || !same_faults(tried, configurations.front())) continue;
    const CellSummary total = tried.total();
    if (total.acked == 0 || total.lost > 0 || other_damage(total) > 0) continue;
    if (without_answer(total) > 0) continue;
    if (best == nullptr || tried.changes.size() < best->changes.size()) best = &tried;
  }
  return best;
}

// The smallest change that would do, or what the nearest other setting would have cost.
std::string change(const std::vector<Configuration>& configurations) {
  const Configuration& own = configurations.front();
  const CellSummary before = own.total();
  const std::size_t others = configurations.size() - 1;
  if (before.lost == 0 && without_answer(before) > 0) {
    return "not known: with your settings " + gave_no_answer(before);
  }
  if (before.lost == 0 && other_damage(before) > 0 && others == 0) {
    return "nothing that was acknowledged is lost, but see what else is wrong; no other setting "
           "was "
           "tried";
  }
  if (before.lost == 0 && other_damage(before) == 0) {
    const std::string none =
        before.acked == 0 ? "your settings acknowledged nothing" : "none needed here";
    const auto other =
        std::find_if(configurations.begin() + 1, configurations.end(),
                     [](const Configuration& tried) { return of_broker_conf(tried); });
    return other == configurations.end() ? none : none + "; " + with_price(*other, own);
  }
  if (const Configuration* const best = cheapest(configurations)) {
    return with_price(*best, own);
  }
  if (others == 0) return "not searched: no other setting was tried";
  const std::int64_t settings =
      std::count_if(configurations.begin() + 1, configurations.end(),
                    [](const Configuration& tried) { return of_settings(tried); });
  if (settings == 0) {
    return "none among the settings of this drill: its cells differ in load, faults or behaviour "
           "alone";
  }
  return "not found: of " + counted(settings, "other setting") +
         " in this matrix each loses messages too, acknowledges none, or gave no answer in some "
         "run";
}

std::string certainty(const Configuration& own, const std::vector<Configuration>& all) {
  std::int64_t fewest = -1;
  std::int64_t open = 0;
  for (const Configuration& configuration : all) {
    for (const CellResult* cell : configuration.cells) {
      const CellSummary s = summarise(*cell);
      open += without_answer(s);
      const std::int64_t conclusive = s.runs - s.open_runs;
      if (s.acked_read() > 0 && s.lost == 0 && (fewest < 0 || conclusive < fewest))
        fewest = conclusive;
    }
  }
  const std::size_t seeds = own.cells.empty() ? 0 : own.cells.front()->runs.size();
  std::string text =
      "simulated, " + counted(static_cast<std::int64_t>(seeds), "seed") + " per cell";
  if (fewest >= 0) text += "; a cell without a loss says: " + honest_zero(fewest);
  if (open > 0) text += "; " + counted(open, "run") + " gave no answer";
  return text;
}

}  // namespace

std::string honest_zero(std::int64_t runs) {
  const std::string n = std::to_string(runs);
  if (runs <= 3) return "0 of " + n + ", too few to bound anything; no field probability";
  return "0 of " + n + ", ≤ 3/" + n + " at 95 % under this fault mix; no field probability";
}

Answer answer_of(const DrillResult& result) {
  const std::vector<Configuration> configurations = configurations_of(result);
  const Configuration& own = configurations.front();
  Answer answer;
  answer.promised = joined(result.facts.promises, "; ");
  answer.lost = own.cells.empty() ? "no cell has the settings of your file" : losses(own);
  answer.why = own.cells.empty() ? "-" : reasons(own);
  answer.change = own.cells.empty() ? "-" : change(configurations);
  answer.sure = certainty(own.cells.empty() ? configurations.back() : own, configurations);
  return answer;
}

}  // namespace drydock::reports
