#include "reports/render/text.hpp"

#include <algorithm>
#include <map>
#include <set>
#include <vector>

#include "reports/record/numbers.hpp"
#include "reports/render/answer.hpp"
#include "reports/render/evidence.hpp"
#include "reports/render/layout.hpp"
#include "reports/render/summary.hpp"
#include "reports/waits/waits.hpp"

namespace drydock::reports {
namespace {

constexpr std::size_t kLabel = 17;
// Of a kind: enough to see a pattern, few enough to read.
constexpr std::size_t kRunsShown = 5;
// A thread that is stuck for so long is worth a row.
constexpr std::int64_t kLongWaitNs = 10'000'000;

std::string first_screen(const DrillResult& result, std::size_t width) {
  const Answer answer = answer_of(result);
  return paragraph("promised", answer.promised, kLabel, width) +
         paragraph("lost", answer.lost, kLabel, width) +
         paragraph("why", answer.why, kLabel, width) +
         paragraph("cheapest change", answer.change, kLabel, width) +
         paragraph("how sure", answer.sure, kLabel, width);
}

std::string counts(const Spread& spread) {
  return count_text(spread.min) + "/" + count_text(spread.median) + "/" + count_text(spread.max);
}

// "1.50 s/1.51 s": median and longest; a run without an end makes the longest "never".
// Of the runs in which a fault took effect.
std::string times(const Spread& spread, std::int64_t never, std::int64_t runs) {
  if (runs == 0) return "-";
  if (never == runs) return "never";
  return duration_text(spread.median) + "/" +
         (never > 0 ? std::string("never") : duration_text(spread.max));
}

std::string cell_name(const CellResult& cell) {
  return text_of(cell.id) + (cell.changes.empty() ? " *" : "");
}

const char* const kNotKnown = "not known";

// Figures that the final store tells.
std::string store_text(const CellSummary& s, std::int64_t count) {
  return s.lost_is_known() ? count_text(count) : kNotKnown;
}
std::string store_text(const CellSummary& s, std::int64_t first, std::int64_t second) {
  return s.lost_is_known() ? count_text(first) + "/" + count_text(second) : kNotKnown;
}

std::vector<std::string> row_of(const CellResult& cell) {
  const CellSummary s = summarise(cell);
  return {cell_name(cell),
          std::to_string(s.runs + s.harness_runs),
          count_text(s.acked),
          store_text(s, s.lost),
          s.lost_is_known() ? std::to_string(s.runs_with_loss) : kNotKnown,
          s.lost_is_known() ? counts(s.lost_per_run) : kNotKnown,
          times(s.rto_fault, s.rto_fault_never, s.runs_with_fault()),
          std::string(name_of(cell.verdict))};
}

std::string table(const std::vector<std::vector<std::string>>& rows) {
  std::vector<std::size_t> widths(rows.front().size(), 0);
  for (const auto& row : rows) {
    for (std::size_t i = 0; i < row.size(); ++i) widths[i] = std::max(widths[i], columns(row[i]));
  }
  std::string out;
  for (const auto& row : rows) {
    std::string line = padded(row.front(), widths.front());
    for (std::size_t i = 1; i + 1 < row.size(); ++i) line += "  " + padded_left(row[i], widths[i]);
    out += line + "  " + row.back() + "\n";
  }
  return out;
}

std::string cells_table(const DrillResult& result) {
  std::vector<std::vector<std::string>> rows{
      {"cell", "runs", "acked", "lost", "in runs", "min/med/max", "rto.fault med/max", "verdict"}};
  for (const CellResult& cell : result.cells) rows.push_back(row_of(cell));
  std::string out = table(rows);
  const bool own = std::any_of(result.cells.begin(), result.cells.end(),
                               [](const CellResult& cell) { return cell.changes.empty(); });
  if (own) out += "* as your file has it\n";
  return out;
}

// One line per expectation with the number of its cells, and one per cell in which it is broken, or
// not evaluated.
std::string expectations(const DrillResult& result, std::size_t width) {
  std::map<std::string, std::size_t> holding;
  std::string broken;
  std::string open;
  for (const CellResult& cell : result.cells) {
    for (const ExpectationResult& answer : cell.expectations) {
      const std::string where = text_of(answer.expectation.cells);
      const std::string text =
          text_of(answer.expectation) + (where.empty() ? "" : " where " + where);
      if (answer.holds) {
        ++holding[text];
      } else if (!answer.evaluated()) {
        open += paragraph("  open",
                          text_of(answer.expectation) + " in " + text_of(cell.id) +
                              ": not evaluated, " + why_open(answer),
                          10, width);
      } else {
        broken += paragraph("  BROKEN",
                            text_of(answer.expectation) + " in " + text_of(cell.id) + ": true in " +
                                std::to_string(answer.runs_for) + " of " +
                                std::to_string(answer.runs) + " runs",
                            10, width);
      }
    }
  }
  if (holding.empty() && broken.empty() && open.empty()) return "";
  std::string out = "expectations\n" + broken + open;
  for (const auto& [text, cells] : holding) {
    out += paragraph("  holds",
                     text + " (" + std::to_string(cells) + (cells == 1 ? " cell)" : " cells)"), 10,
                     width);
  }
  return out;
}

// The lines of a text, each behind `indent` blanks.
std::string indented(const std::string& text, std::size_t indent) {
  std::string out;
  std::size_t begin = 0;
  while (begin < text.size()) {
    const std::size_t end = std::min(text.find('\n', begin), text.size());
    out += std::string(indent, ' ') + text.substr(begin, end - begin) + "\n";
    begin = end + 1;
  }
  return out;
}

std::string failed_runs(const DrillResult& result, std::size_t width) {
  std::string out;
  for (const CellResult& cell : result.cells) {
    std::size_t shown = 0;
    std::size_t failed = 0;
    for (const RunResult& run : cell.runs) {
      if (run.verdict == Verdict::pass) continue;
      if (++failed > kRunsShown) continue;
      ++shown;
      out += paragraph(
          "  " + std::string(name_of(run.verdict)),
          "--seed " + std::to_string(run.seed) + ", " + text_of(cell.id) + ": " + run.note, 16,
          width);
      out += indented(run.divergence, 16);
    }
    if (failed > shown) out += "  ... and " + std::to_string(failed - shown) + " more there\n";
  }
  if (out.empty()) return "";
  return "runs that did not pass; to see one: " + result.facts.replay + " --seed N\n" + out;
}

std::string counted_apart(const DrillResult& result) {
  std::vector<std::vector<std::string>> rows{{"counted apart", "unknown stored/absent",
                                              "failed/but stored", "duplicates", "out of order",
                                              "in log only", "corrupt", "phantom"}};
  for (const CellResult& cell : result.cells) {
    const CellSummary s = summarise(cell);
    rows.push_back({cell_name(cell), store_text(s, s.unknown_stored, s.unknown_absent),
                    count_text(s.failed) + "/" + store_text(s, s.failed_stored),
                    store_text(s, s.duplicates), store_text(s, s.order_violations),
                    store_text(s, s.lost_in_log), store_text(s, s.corrupt),
                    store_text(s, s.phantoms)});
  }
  return table(rows);
}

// What consumers were given; empty if there is none. Of a drill of which no cell was read nobody
// knows whether there is one.
std::string deliveries_of(const DrillResult& result) {
  std::vector<std::vector<std::string>> rows{
      {"consumers", "delivered", "again", "undelivered/passed over", "gone since"}};
  std::int64_t all = 0;
  std::size_t unread_cells = 0;
  for (const CellResult& cell : result.cells) {
    const CellSummary s = summarise(cell);
    const DeliveryReport& d = s.deliveries;
    all += d.delivered + d.undelivered;
    unread_cells += s.lost_is_known() ? 0 : 1;
    rows.push_back({cell_name(cell), store_text(s, d.delivered), store_text(s, d.again),
                    store_text(s, d.undelivered, d.skipped), store_text(s, d.gone)});
  }
  const bool none_read = unread_cells > 0 && unread_cells == result.cells.size();
  return all == 0 && !none_read ? "" : table(rows);
}

// "2.10 s/3.00 s", or why there is no such figure.
std::string steady_text(const CellSummary& s) {
  const auto reached = static_cast<std::size_t>(Steady::reached);
  if (s.runs_with_fault() == 0) return "-";
  if (s.steady[reached] > 0) return times(s.rto_steady, s.rto_steady_never, s.runs_with_fault());
  const auto most = std::ranges::max_element(s.steady) - s.steady.begin();
  return std::string(name_of(static_cast<Steady>(most)));
}

// Where the time of rto.fault went, and the other two figures. Stages that no cell has are left
// out; without a fault the whole table is.
std::string outage(const DrillResult& result) {
  std::vector<CellSummary> summaries;
  std::vector<std::size_t> stages;
  for (const CellResult& cell : result.cells) summaries.push_back(summarise(cell));
  for (std::size_t i = 0; i < kStages; ++i) {
    const auto took_time = [i](const CellSummary& s) { return s.stages[i].max > 0; };
    if (std::ranges::any_of(summaries, took_time)) stages.push_back(i);
  }
  if (stages.empty()) return "";
  std::vector<std::vector<std::string>> rows{{"rto.fault by stage (median)"}};
  for (const std::size_t i : stages) rows[0].emplace_back(name_of(static_cast<Stage>(i)));
  rows[0].insert(rows[0].end(), {"rto.client med/max", "rto.steady med/max"});
  for (std::size_t at = 0; at < summaries.size(); ++at) {
    const CellSummary& s = summaries[at];
    const bool never = s.rto_fault_never == s.runs_with_fault();
    rows.push_back({cell_name(result.cells[at])});
    for (const std::size_t i : stages) {
      rows.back().push_back(never ? "-" : duration_text(s.stages[i].median));
    }
    rows.back().push_back(times(s.rto_client, s.rto_client_never, s.runs_with_fault()));
    rows.back().push_back(steady_text(s));
  }
  return table(rows);
}

// How sends went once faults were armed; empty if the drill expects nothing of that and no broker
// was too busy.
std::string sends(const DrillResult& result) {
  std::vector<std::vector<std::string>> rows{
      {"sends under faults (med/max)", "acked med", "p50", "p99", "longest", "too busy"}};
  bool any = false;
  for (const CellResult& cell : result.cells) {
    const CellSummary s = summarise(cell);
    any = any || s.sends_busy > 0 ||
          std::ranges::any_of(cell.expectations, [](const ExpectationResult& each) {
            return is_of_sends(each.expectation.metric);
          });
    const auto both = [](const Spread& spread) {
      return duration_text(spread.median) + "/" + duration_text(spread.max);
    };
    rows.push_back({cell_name(cell), count_text(s.sends_acked.median), both(s.sends_p50),
                    both(s.sends_p99), both(s.sends_longest), count_text(s.sends_busy)});
  }
  return any ? table(rows) : "";
}

// How caches of the device broke the ownership.
std::string mechanism_of(const OwnershipReport& ownership) {
  std::string text;
  if (ownership.stale_reads > 0) text = "stale pages read";
  if (ownership.foreign_writes > 0) {
    text += (text.empty() ? "" : " and ") + std::string("dirty pages landed");
  }
  return text.empty() ? "-" : text;
}

// What standbys did to shared disks, and what that broke; empty if there was none.
std::string takeovers(const DrillResult& result) {
  std::vector<std::vector<std::string>> rows{
      {"takeovers (medians)", "completed", "stale reads", "foreign writes"}};
  for (std::size_t i = 0; i < kTakeoverSteps; ++i) {
    rows[0].emplace_back(name_of(static_cast<TakeoverStep>(i)));
  }
  rows[0].emplace_back("mechanism");
  bool any = false;
  for (const CellResult& cell : result.cells) {
    const CellSummary s = summarise(cell);
    any = any || s.takeovers > 0 || s.ownership != OwnershipReport();
    rows.push_back({cell_name(cell), count_text(s.takeovers), count_text(s.ownership.stale_reads),
                    count_text(s.ownership.foreign_writes)});
    for (const Spread& step : s.takeover_steps) {
      rows.back().push_back(step.max == 0 ? "-" : duration_text(step.median));
    }
    rows.back().push_back(mechanism_of(s.ownership));
  }
  return any ? table(rows) : "";
}

// "5.13 s/10.0 s": the longest wait, and all of them together, of the run that had the most; of one
// process or (empty) of all.
std::string waits_text(const CellResult& cell, std::size_t place, const std::string& process) {
  std::int64_t longest = 0;
  std::int64_t total = 0;
  for (const RunResult& run : cell.runs) {
    const PlaceWaits waits = waits_of(run, process)[place];
    longest = std::max(longest, waits.longest_ns);
    total = std::max(total, waits.total_ns);
  }
  return total == 0 ? "-" : duration_text(longest) + "/" + duration_text(total);
}

// Those that were stuck for long, if there are several: then the sum tells little of each.
std::set<std::string> who_waited(const CellResult& cell) {
  std::set<std::string> names;
  for (const RunResult& run : cell.runs) {
    for (const WaitFact& wait : run.waits) {
      if (wait.longest_ns >= kLongWaitNs) names.insert(wait.process);
    }
  }
  return names.size() > 1 ? names : std::set<std::string>();
}

// Where threads were stuck, of the places at which one was for long; empty if none was.
std::string waits(const DrillResult& result) {
  std::vector<std::size_t> places;
  for (std::size_t place = 0; place < kWaitPlaces; ++place) {
    const bool counts = std::ranges::any_of(result.cells, [place](const CellResult& cell) {
      return std::ranges::any_of(cell.runs, [place](const RunResult& run) {
        return waits_of(run)[place].longest_ns >= kLongWaitNs;
      });
    });
    if (counts) places.push_back(place);
  }
  if (places.empty()) return "";
  std::vector<std::vector<std::string>> rows{{"waits in the kernel (longest/all)"}};
  for (const std::size_t place : places) {
    rows[0].emplace_back(drydock::name_of(static_cast<WaitPlace>(place)));
  }
  for (const CellResult& cell : result.cells) {
    const auto add = [&](const std::string& name, const std::string& process) {
      rows.push_back({name});
      for (const std::size_t place : places) {
        rows.back().push_back(waits_text(cell, place, process));
      }
    };
    add(cell_name(cell), "");
    for (const std::string& process : who_waited(cell)) add("  " + process, process);
  }
  return table(rows);
}

}  // namespace

std::string render_text(const DrillResult& result, std::size_t width) {
  const DrillFacts& facts = result.facts;
  std::string out = first_screen(result, width);
  out += "\n" + cells_table(result);
  out += "\n" + counted_apart(result);
  for (const std::string& part :
       {deliveries_of(result), outage(result), takeovers(result), sends(result), waits(result),
        render_remedies(result, width), expectations(result, width), failed_runs(result, width),
        list("warnings", facts.warnings, width), list("assumed", facts.assumed, width),
        list("not modelled", facts.not_modelled, width)}) {
    if (!part.empty()) out += "\n" + part;
  }
  out += "\n" + paragraph("",
                          "drydock " + facts.version + ", drill " + facts.id + ", behaviour " +
                              facts.behaviour + ", digest " + facts.scenario_digest,
                          0, width);
  return out;
}

}  // namespace drydock::reports
