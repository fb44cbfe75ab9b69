#include "tools/fidelity/row.hpp"

#include <cmath>
#include <cstdio>

namespace drydock::fidelity {
namespace {

// As few digits as show the difference: 0.08, 5.23, 49.8, 3413.
std::string digits(double value) {
  const double size = std::fabs(value);
  const int decimals = size >= 1000 || value == std::round(value) ? 0 : size >= 20 ? 1 : 2;
  char text[64];
  std::snprintf(text, sizeof text, "%.*f", decimals, value);
  return text;
}

Row row_of(Statistic statistic, std::string tolerance, bool inside) {
  return {.statistic = std::move(statistic.name),
          .unit = std::move(statistic.unit),
          .model = statistic.model,
          .measured = statistic.measured,
          .tolerance = std::move(tolerance),
          .inside = inside};
}

std::string with_unit(double value, const std::string& unit) {
  return digits(value) + (unit.empty() ? "" : " ") + unit;
}

}  // namespace

std::string text_of(const Value& value, const std::string& unit) {
  if (const double* const number = std::get_if<double>(&value)) return with_unit(*number, unit);
  if (const std::string* const words = std::get_if<std::string>(&value)) return *words;
  return "-";
}

Row within_percent(Statistic statistic, double percent) {
  const double allowed = std::fabs(statistic.measured) * percent / 100;
  const bool inside = std::fabs(statistic.model - statistic.measured) <= allowed;
  return row_of(std::move(statistic), "+-" + digits(percent) + " %", inside);
}

Row within(Statistic statistic, double by) {
  const bool inside = std::fabs(statistic.model - statistic.measured) <= by;
  const std::string tolerance = "+-" + with_unit(by, statistic.unit);
  return row_of(std::move(statistic), tolerance, inside);
}

Row within_factor(Statistic statistic, double factor) {
  const bool inside = statistic.model >= statistic.measured / factor &&
                      statistic.model <= statistic.measured * factor;
  return row_of(std::move(statistic), "factor " + digits(factor), inside);
}

Row in_range(Statistic statistic, double low, double high) {
  const bool inside = statistic.model >= low && statistic.model <= high;
  const std::string tolerance = digits(low) + " to " + with_unit(high, statistic.unit);
  return row_of(std::move(statistic), tolerance, inside);
}

Row at_most(Statistic statistic, double most) {
  const bool inside = statistic.model <= most;
  const std::string tolerance = "at most " + with_unit(most, statistic.unit);
  return row_of(std::move(statistic), tolerance, inside);
}

Row same(std::string name, const std::string& model, const std::string& measured) {
  return {.statistic = std::move(name),
          .unit = "",
          .model = model,
          .measured = measured,
          .tolerance = "the same",
          .inside = model == measured};
}

Row re_read(Row row, const Row& by_words) {
  row.inside_by_words = by_words.inside;
  return row;
}

Row not_modelled(std::string what) {
  return {.statistic = std::move(what),
          .unit = "",
          .model = std::string("not modelled"),
          .measured = {},
          .tolerance = "",
          .inside = false};
}

}  // namespace drydock::fidelity
