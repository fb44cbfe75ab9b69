#include "reports/render/junit.hpp"

namespace drydock::reports {
namespace {

std::string escaped(const std::string& text) {
  std::string out;
  for (const char c : text) {
    switch (c) {
      case '&': out += "&amp;"; break;
      case '<': out += "&lt;"; break;
      case '>': out += "&gt;"; break;
      case '"': out += "&quot;"; break;
      case '\n': out += "&#10;"; break;
      default: out += c;
    }
  }
  return out;
}

std::string attribute(const char* name, const std::string& value) {
  return std::string(" ") + name + "=\"" + escaped(value) + "\"";
}

class Suite {
 public:
  Suite(const DrillResult& result, const CellResult& cell)
      : class_(result.facts.id + "." + text_of(cell.id)) {
    for (const RunResult& run : cell.runs) add(run);
    for (const ExpectationResult& answer : cell.expectations) {
      if (answer.expectation.over != Over::every_run) add(answer);
    }
  }
  std::string text() const {
    return " <testsuite" + attribute("name", class_) + attribute("tests", std::to_string(cases_)) +
           attribute("failures", std::to_string(failures_)) +
           attribute("errors", std::to_string(errors_)) +
           attribute("skipped", std::to_string(skipped_)) + ">\n" + body_ + " </testsuite>\n";
  }

 private:
  void add(const RunResult& run) {
    const std::string message =
        attribute("message", run.note) + attribute("type", std::string(name_of(run.verdict)));
    std::string inside;
    if (run.verdict == Verdict::harness) {
      ++errors_;
      inside = "<error" + message + "/>";
    } else if (run.verdict == Verdict::inconclusive) {
      ++skipped_;
      inside = "<skipped" + attribute("message", run.note) + "/>";
    } else if (run.verdict != Verdict::pass) {
      ++failures_;
      inside = "<failure" + message + "/>";
    }
    add_case("seed " + std::to_string(run.seed), inside);
  }
  void add(const ExpectationResult& answer) {
    if (!answer.evaluated()) {
      ++skipped_;
      return add_case(text_of(answer.expectation),
                      "<skipped" + attribute("message", why_open(answer)) + "/>");
    }
    if (!answer.holds) ++failures_;
    add_case(text_of(answer.expectation), answer.holds ? "" : "<failure type=\"expectation\"/>");
  }
  void add_case(const std::string& name, const std::string& inside) {
    ++cases_;
    body_ += "  <testcase" + attribute("classname", class_) + attribute("name", name);
    body_ += inside.empty() ? "/>\n" : ">" + inside + "</testcase>\n";
  }

  std::string class_;
  std::string body_;
  int cases_ = 0;
  int failures_ = 0;
  int errors_ = 0;
  int skipped_ = 0;
};

}  // namespace

std::string render_junit(const DrillResult& result) {
  std::string out = "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites" +
                    attribute("name", result.facts.id) + ">\n";
  for (const CellResult& cell : result.cells) out += Suite(result, cell).text();
  return out + "</testsuites>\n";
}

}  // namespace drydock::reports
