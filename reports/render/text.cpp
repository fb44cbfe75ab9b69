#include "reports/render/text.hpp"

#include <algorithm>
#include <vector>

#include "reports/record/numbers.hpp"
#include "reports/render/answer.hpp"
#include "reports/render/summary.hpp"

namespace drydock::reports {
namespace {

constexpr std::size_t kLabel = 17;
// Of a kind: enough to see a pattern, few enough to read.
constexpr std::size_t kRunsShown = 5;

// Columns that a text takes: code points, not bytes.
std::size_t columns(const std::string& text) {
  return static_cast<std::size_t>(
      std::count_if(text.begin(), text.end(), [](char c) { return (c & 0xc0) != 0x80; }));
}

std::string padded(const std::string& text, std::size_t width) {
  const std::size_t used = columns(text);
  return used >= width ? text : text + std::string(width - used, ' ');
}

std::string padded_left(const std::string& text, std::size_t width) {
  const std::size_t used = columns(text);
  return used >= width ? text : std::string(width - used, ' ') + text;
}

// `label` and then `text`, broken between words, later lines indented alike.
std::string paragraph(const std::string& label, const std::string& text, std::size_t indent,
                      std::size_t width) {
  std::string out = padded(label, indent);
  std::size_t column = indent;
  std::size_t begin = 0;
  while (begin < text.size()) {
    const std::size_t end = std::min(text.find(' ', begin), text.size());
    const std::string word = text.substr(begin, end - begin);
    if (column > indent && column + 1 + columns(word) > width) {
      out += "\n" + std::string(indent, ' ');
      column = indent;
    }
    if (column > indent) {
      out += " ";
      ++column;
    }
    out += word;
    column += columns(word);
    begin = end + 1;
  }
  return out + "\n";
}

std::string first_screen(const DrillResult& result, std::size_t width) {
  const Answer answer = answer_of(result);
  return paragraph("promised", answer.promised, kLabel, width) +
         paragraph("lost", answer.lost, kLabel, width) +
         paragraph("why", answer.why, kLabel, width) +
         paragraph("cheapest change", answer.change, kLabel, width) +
         paragraph("how sure", answer.sure, kLabel, width);
}

std::string time_or_never(std::int64_t value, std::int64_t never, std::int64_t runs) {
  return never == runs ? "never" : duration_text(value);
}

std::vector<std::string> row_of(const CellResult& cell) {
  const CellSummary s = summarise(cell);
  const bool any = s.runs > 0;
  const auto number = [&](std::int64_t value) {
    return any ? count_text(value) : std::string("-");
  };
  std::string longest = time_or_never(s.rto_fault.max, s.rto_fault_never, s.runs);
  if (s.rto_fault_never > 0) longest = "never";
  return {text_of(cell.id) + (cell.changes.empty() ? " *" : ""),
          std::to_string(s.runs + s.harness_runs),
          number(s.acked),
          number(s.lost),
          std::to_string(s.runs_with_loss),
          number(s.lost_per_run.min),
          number(s.lost_per_run.median),
          number(s.lost_per_run.max),
          any ? time_or_never(s.rto_fault.median, s.rto_fault_never, s.runs) : "-",
          any ? longest : "-",
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
  std::vector<std::vector<std::string>> rows{{"cell", "runs", "acked", "lost", "in runs", "min",
                                              "median", "max", "rto.fault p50", "max", "verdict"}};
  for (const CellResult& cell : result.cells) rows.push_back(row_of(cell));
  std::string out = table(rows);
  const bool own = std::any_of(result.cells.begin(), result.cells.end(),
                               [](const CellResult& cell) { return cell.changes.empty(); });
  if (own) out += "* as your file has it\n";
  return out;
}

std::string expectations(const DrillResult& result, std::size_t width) {
  std::string out;
  for (const CellResult& cell : result.cells) {
    for (const ExpectationResult& answer : cell.expectations) {
      const std::string text = text_of(answer.expectation) + " in " + text_of(cell.id) + " (" +
                               std::to_string(answer.runs_for) + " of " +
                               std::to_string(answer.runs) + " runs by themselves)";
      out += paragraph(answer.holds ? "  holds" : "  BROKEN", text, 10, width);
    }
  }
  return out.empty() ? "" : "expectations\n" + out;
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
    }
    if (failed > shown) out += "  ... and " + std::to_string(failed - shown) + " more there\n";
  }
  if (out.empty()) return "";
  return "runs that did not pass; to see one: " + result.facts.replay + " --seed N\n" + out;
}

std::string list(const std::string& title, const std::vector<std::string>& lines,
                 std::size_t width) {
  if (lines.empty()) return "";
  std::string out = title + "\n";
  for (const std::string& line : lines) out += paragraph("  -", line, 4, width);
  return out;
}

std::string counted_apart(const DrillResult& result) {
  std::vector<std::vector<std::string>> rows{{"counted apart", "unknown-stored", "unknown-absent",
                                              "failed-but-stored", "duplicates", "corrupt",
                                              "phantom"}};
  for (const CellResult& cell : result.cells) {
    const CellSummary s = summarise(cell);
    rows.push_back({text_of(cell.id), count_text(s.unknown_stored), count_text(s.unknown_absent),
                    count_text(s.failed_stored), count_text(s.duplicates), count_text(s.corrupt),
                    count_text(s.phantoms)});
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
       {expectations(result, width), failed_runs(result, width),
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
