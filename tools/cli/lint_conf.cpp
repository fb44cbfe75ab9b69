// drydock lint-conf: what a broker.conf says, what of it has an effect, and what it promises.
#include <algorithm>
#include <array>
#include <cstdio>
#include <string>
#include <string_view>
#include <tuple>
#include <vector>

#include "engine/broker/configuration.hpp"
#include "engine/broker/configuration_keys.hpp"
#include "engine/broker/promise.hpp"
#include "engine/broker/properties_file.hpp"
#include "engine/broker/property_value.hpp"
#include "reports/render/layout.hpp"
#include "scenarios/drill/drill.hpp"
#include "tools/cli/commands.hpp"
#include "tools/cli/input_file.hpp"
#include "tools/cli/terminal.hpp"

namespace drydock::cli {
namespace {

using scenarios::InputError;
using Severity = ConfigurationNote::Severity;
using Row = std::array<std::string, 6>;  // Line, key, value, default, state, effect.

constexpr std::size_t kCellMax = 44;  // Bytes; longer cells are cut.

std::string cell(const std::string& text) {
  if (text.size() <= kCellMax) return printable(text);
  std::size_t end = kCellMax - 3;
  while ((static_cast<unsigned char>(text[end]) & 0xc0) == 0x80) --end;  // Whole characters.
  return printable(text.substr(0, end) + "...");
}

// What becomes of a line: its state and what that means.
struct Fate {
  const char* state;
  std::string effect;
};

Fate fate_of(const PropertyLine& entry, bool counts, std::string_view default_text) {
  const KeyState state = state_of(entry.key);
  if (state == KeyState::unknown) return {"unknown", "none: RocketMQ ignores it"};
  if (!counts) return {"replaced", "none: a later line counts"};
  const bool is_default = equal_ignoring_case(trimmed(entry.value), default_text);
  if (state == KeyState::accepted_without_effect) {
    return {"without effect", "none here"};
  }
  if (state == KeyState::refused && !is_default) {
    return {"refused", "does not run here"};
  }
  return {"honoured", is_default ? "the default" : "as in RocketMQ"};
}

Row row_of(const PropertyLine& entry, const std::vector<Setting>& settings) {
  const auto properties = find_properties(entry.key);
  const bool known = !properties.empty() && is_of_broker_conf(properties.front().owner);
  const std::string_view default_text = known ? properties.front().default_text : "";
  const bool counts =
      std::ranges::any_of(settings, [&](const Setting& s) { return s.line == entry.line; });
  const Fate fate = fate_of(entry, counts, default_text);
  return {std::to_string(entry.line),      cell(entry.key), cell(entry.value),
          cell(std::string(default_text)), fate.state,      fate.effect};
}

void print_table(const std::vector<Row>& rows) {
  std::array<std::size_t, std::tuple_size_v<Row>> widths = {};
  for (const Row& row : rows) {
    for (std::size_t i = 0; i < row.size(); ++i) {
      widths[i] = std::max(widths[i], reports::columns(row[i]));
    }
  }
  for (const Row& row : rows) {
    std::string line = reports::padded_left(row.front(), widths.front());
    for (std::size_t i = 1; i + 1 < row.size(); ++i) {
      line += "  " + reports::padded(row[i], widths[i]);
    }
    std::printf("%s  %s\n", line.c_str(), row.back().c_str());
  }
}

// Notes in the order of the lines; what is said of several keys is said once.
std::vector<std::string> warnings_of(const std::vector<ConfigurationNote>& notes) {
  std::vector<std::string> warnings;
  std::vector<std::string_view> said;
  for (const ConfigurationNote& note : notes) {
    if (std::ranges::find(said, note.text) != said.end()) continue;
    said.push_back(note.text);
    std::string keys;
    for (const ConfigurationNote& other : notes) {
      if (other.text != note.text) continue;
      if (!keys.empty()) keys += ", ";
      keys += other.key + " (line " + std::to_string(other.line) + ")";
    }
    const bool refused = note.severity == Severity::refused;
    warnings.push_back(printable(keys + (refused ? ": refused: " : ": ") + note.text));
  }
  return warnings;
}

std::vector<std::string> promises_in(const std::vector<Setting>& settings) {
  std::vector<std::string> lines;
  for (const Promise& promise : promises_of(Settings(settings))) {
    lines.push_back(printable(describe(promise)));
  }
  return lines;
}

void print_section(const std::string& title, const std::vector<std::string>& lines) {
  if (lines.empty()) return;
  std::printf("\n%s", reports::list(title, lines, terminal_width()).c_str());
}

// The first error, and how many more there are.
void refuse_errors(const std::string& file, const std::vector<ConfigurationNote>& notes) {
  std::vector<const ConfigurationNote*> errors;
  for (const ConfigurationNote& note : notes) {
    if (note.severity == Severity::error) errors.push_back(&note);
  }
  if (errors.empty()) return;
  std::string text = file + ": " + describe(*errors.front());
  if (errors.size() > 1) text += " (and " + std::to_string(errors.size() - 1) + " more)";
  throw InputError(printable(text));
}

}  // namespace

int lint_conf(const LintConfOptions& options) {
  const std::string text = read_file(options.file);
  const ConfigurationResult result = parse_broker_configuration(text);
  refuse_errors(options.file, result.notes);

  std::vector<Row> rows = {{"line", "key", "value", "default", "state", "effect here"}};
  for (const PropertyLine& entry : read_properties(text)) {
    rows.push_back(row_of(entry, result.settings));
  }
  print_table(rows);
  print_section("warnings", warnings_of(result.notes));
  print_section("what a RocketMQ 5.3.3 with this file promises", promises_in(result.settings));

  if (options.strict && !result.notes.empty()) {
    throw InputError(options.file + ": --strict: " + std::to_string(result.notes.size()) +
                     (result.notes.size() == 1 ? " warning" : " warnings"));
  }
  return 0;
}

}  // namespace drydock::cli
