#include "reports/record/numbers.hpp"

#include <algorithm>
#include <array>

namespace drydock::reports {

std::string count_text(std::int64_t count) {
  std::string digits = std::to_string(count < 0 ? -count : count);
  for (std::size_t end = digits.size(); end > 3; end -= 3) digits.insert(end - 3, ",");
  return count < 0 ? "-" + digits : digits;
}

std::string counted(std::int64_t count, const std::string& noun) {
  return count_text(count) + " " + noun + (count == 1 ? "" : "s");
}

std::string duration_text(std::int64_t ns) {
  if (ns < 0) return "-" + duration_text(-ns);
  struct Unit {
    std::int64_t ns;
    const char* name;
  };
  constexpr std::array<Unit, 4> kUnits{
      {{1, "ns"}, {1'000, "us"}, {1'000'000, "ms"}, {1'000'000'000, "s"}}};
  Unit unit = kUnits[0];
  for (const Unit& candidate : kUnits) {
    if (ns >= candidate.ns) unit = candidate;
  }
  const std::int64_t whole = ns / unit.ns;
  std::string text = std::to_string(whole);
  if (unit.ns > 1 && whole < 100) {
    const std::int64_t hundredths = ns % unit.ns / (unit.ns / 100);
    std::string fraction = std::to_string(100 + hundredths).substr(1);
    if (whole >= 10) fraction.pop_back();
    text += "." + fraction;
  }
  return text + " " + unit.name;
}

std::int64_t quantile(std::vector<std::int64_t> sample, std::int64_t percent) {
  if (sample.empty()) return 0;
  const auto size = static_cast<std::int64_t>(sample.size());
  const std::int64_t rank = std::max<std::int64_t>(1, (size * percent + 99) / 100);
  const auto nth = sample.begin() + (rank - 1);
  std::nth_element(sample.begin(), nth, sample.end());
  return *nth;
}

}  // namespace drydock::reports
