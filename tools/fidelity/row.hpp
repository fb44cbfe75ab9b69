// One statistic of one experiment.
#pragma once

#include <optional>
#include <string>
#include <variant>

namespace drydock::fidelity {

// Nothing, a number of the row's unit, or words.
using Value = std::variant<std::monostate, double, std::string>;

struct Row {
  std::string statistic;
  std::string unit;  // "ms", "MiB/s"; empty for words and pure numbers.
  Value model;
  Value measured;
  std::string tolerance;
  bool inside = false;
  // What the statistic would be by the words of section 11, where the records, read again, do not
  // bear them out: docs/fidelity.md says why. Otherwise it is by these words already.
  std::optional<bool> inside_by_words = std::nullopt;
};

// "49.8 MiB/s", "journal", "-" for nothing.
std::string text_of(const Value& value, const std::string& unit);

// What a row is about, before it is compared.
struct Statistic {
  std::string name;
  std::string unit;
  double model = 0;
  double measured = 0;
};

// Each says in the row what it demands.
Row within_percent(Statistic statistic, double percent);
// `by`: of the unit, plus or minus.
Row within(Statistic statistic, double by);
Row within_factor(Statistic statistic, double factor);
// Whatever was measured, the model must lie in [low, high].
Row in_range(Statistic statistic, double low, double high);
Row at_most(Statistic statistic, double most);
Row same(std::string name, const std::string& model, const std::string& measured);
// The row, which compares with records that were read again, beside one by section 11's words.
Row re_read(Row row, const Row& by_words);
// The model has no such thing.
Row not_modelled(std::string what);

}  // namespace drydock::fidelity
