#include "reports/render/markdown.hpp"

#include "reports/record/numbers.hpp"
#include "reports/render/answer.hpp"
#include "reports/render/summary.hpp"

namespace drydock::reports {
namespace {

// Text that Markdown must not take for markup or for the end of a table's cell.
std::string escaped(const std::string& text) {
  std::string out;
  for (const char c : text) {
    if (std::string_view("\\`*_|<>[]#").find(c) != std::string_view::npos) out += '\\';
    out += c == '\n' ? ' ' : c;
  }
  return out;
}

std::string row(std::initializer_list<std::string> cells) {
  std::string line = "|";
  for (const std::string& cell : cells) line += " " + cell + " |";
  return line + "\n";
}

std::string median_rto(const CellSummary& s) {
  if (s.runs_with_fault() == 0) return "-";
  return s.rto_fault_never == s.runs_with_fault() ? "never" : duration_text(s.rto_fault.median);
}

// "detect 2.00 s, mount 5.00 s, client 12.0 ms": medians of the stages that took time.
std::string stages_text(const CellSummary& s) {
  std::string text;
  for (std::size_t i = 0; i < kStages; ++i) {
    if (s.stages[i].max == 0) continue;
    if (!text.empty()) text += ", ";
    text += std::string(name_of(static_cast<Stage>(i))) + " " + duration_text(s.stages[i].median);
  }
  return text.empty() ? "-" : text;
}

}  // namespace

std::string render_markdown(const DrillResult& result) {
  const DrillFacts& facts = result.facts;
  const Answer answer = answer_of(result);
  std::string out = "# " + escaped(facts.title) + "\n\n";
  out += row({"", escaped(facts.configuration_file)}) + row({"---", "---"});
  out += row({"**promised**", escaped(answer.promised)});
  out += row({"**lost**", escaped(answer.lost)});
  out += row({"**why**", escaped(answer.why)});
  out += row({"**cheapest change**", escaped(answer.change)});
  out += row({"**how sure**", escaped(answer.sure)}) + "\n";
  out += row({"cell", "runs", "acked", "lost", "in runs", "rto.fault median", "of it (medians)",
              "verdict"});
  out += row({"---", "---:", "---:", "---:", "---:", "---:", "---", "---"});
  for (const CellResult& cell : result.cells) {
    const CellSummary s = summarise(cell);
    out += row({escaped(text_of(cell.id)) + (cell.changes.empty() ? " (your file)" : ""),
                std::to_string(s.runs + s.harness_runs), count_text(s.acked),
                s.lost_is_known() ? count_text(s.lost) : "not known",
                s.lost_is_known() ? std::to_string(s.runs_with_loss) : "-", median_rto(s),
                stages_text(s), std::string(name_of(cell.verdict))});
  }
  std::string broken;
  std::string open;
  for (const CellResult& cell : result.cells) {
    for (const ExpectationResult& expectation : cell.expectations) {
      if (expectation.holds) continue;
      const std::string text = text_of(expectation.expectation) + " in " + text_of(cell.id);
      if (expectation.evaluated()) {
        broken += "- " + escaped(text) + "\n";
      } else {
        open += "- " + escaped(text + ": " + why_open(expectation)) + "\n";
      }
    }
  }
  if (!broken.empty()) out += "\nExpectations that do not hold:\n\n" + broken;
  if (!open.empty()) out += "\nExpectations that were not evaluated:\n\n" + open;
  out += "\ndrydock " + escaped(facts.version) + ", digest " + facts.scenario_digest +
         "; to see a run: `" + facts.replay + " --seed N`\n";
  return out;
}

}  // namespace drydock::reports
