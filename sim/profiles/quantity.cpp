#include "sim/profiles/quantity.hpp"

#include <charconv>
#include <span>

namespace drydock::sim {
namespace {

struct Unit {
  std::string_view name;
  std::int64_t factor;
};

// A kind of quantity: its units, the preferred ones later; how many decimals a number may have.
struct Kind {
  std::span<const Unit> units;
  int decimals = 0;
  bool blank = true;  // Written between number and unit.
};

constexpr Unit kTimes[] = {{"ns", 1}, {"us", 1'000}, {"ms", 1'000'000}, {"s", 1'000'000'000}};
constexpr Unit kSizes[] = {
    {"B", 1},         {"kB", 1'000},    {"MB", 1'000'000}, {"GB", 1'000'000'000},
    {"KiB", 1 << 10}, {"MiB", 1 << 20}, {"GiB", 1 << 30}};
constexpr Unit kByteRates[] = {
    {"B/s", 1},      {"KiB/s", 1 << 10},  {"MiB/s", 1 << 20},     {"GiB/s", 1 << 30},
    {"kB/s", 1'000}, {"MB/s", 1'000'000}, {"GB/s", 1'000'000'000}};
constexpr Unit kRates[] = {{"/s", 1}};
constexpr Unit kCounts[] = {{"", 1}};
constexpr Unit kRatios[] = {{"x", 1'000}};
constexpr Unit kFractions[] = {{"%", 10'000}};

Kind kind_of(ProfileUnit unit) {
  switch (unit) {
    case ProfileUnit::time: return {kTimes};
    case ProfileUnit::size: return {kSizes};
    case ProfileUnit::byte_rate: return {kByteRates};
    case ProfileUnit::rate: return {kRates, 0, false};
    case ProfileUnit::ratio: return {kRatios, 3, false};
    case ProfileUnit::fraction: return {kFractions, 4, false};
    default: return {kCounts, 0, false};
  }
}

bool is_digit(char c) { return c >= '0' && c <= '9'; }

// The number at the start of `text`, which is cut off, times 10^decimals. False: there is none, it
// has more decimals, or it is too large.
bool take_number(std::string_view& text, int decimals, std::int64_t& number) {
  std::size_t end = 0;
  while (end < text.size() && is_digit(text[end])) ++end;
  std::string digits(text.substr(0, end));
  if (digits.empty()) return false;
  text.remove_prefix(end);
  int missing = decimals;
  if (text.size() > 1 && text[0] == '.' && is_digit(text[1])) {
    std::size_t after = 1;
    while (after < text.size() && is_digit(text[after])) ++after;
    digits += text.substr(1, after - 1);
    missing -= static_cast<int>(after) - 1;
    text.remove_prefix(after);
  }
  if (missing < 0) return false;
  digits.append(static_cast<std::size_t>(missing), '0');
  return std::from_chars(digits.data(), digits.data() + digits.size(), number).ec == std::errc();
}

std::int64_t power_of_ten(int exponent) {
  std::int64_t power = 1;
  for (int i = 0; i < exponent; ++i) power *= 10;
  return power;
}

// "0.15" for 1500 with 4 decimals.
std::string decimal_text(std::int64_t number, int decimals) {
  const std::int64_t one = power_of_ten(decimals);
  std::string text = std::to_string(number / one);
  std::string fraction = std::to_string(one + number % one).substr(1);
  while (!fraction.empty() && fraction.back() == '0') fraction.pop_back();
  return fraction.empty() ? text : text + "." + fraction;
}

}  // namespace

std::expected<std::int64_t, std::string_view> parse_quantity(ProfileUnit unit,
                                                             std::string_view text) {
  const Kind kind = kind_of(unit);
  const bool negative = text.starts_with('-');
  if (negative) text.remove_prefix(1);
  std::int64_t number = 0;
  if (!take_number(text, kind.decimals, number)) return std::unexpected("is none");
  if (text.starts_with(' ')) text.remove_prefix(1);
  for (const Unit& known : kind.units) {
    if (known.name != text) continue;
    if (negative && number != 0) return std::unexpected("is negative");
    std::int64_t product = 0;
    const std::int64_t factor = known.factor / power_of_ten(kind.decimals);
    if (__builtin_mul_overflow(number, factor, &product)) return std::unexpected("is too large");
    return product;
  }
  return std::unexpected(text.empty() ? "has no unit" : "has another unit");
}

std::string text_of(ProfileUnit unit, std::int64_t value) {
  const Kind kind = kind_of(unit);
  if (kind.decimals > 0) {
    return decimal_text(value, kind.decimals) + std::string(kind.units.front().name);
  }
  const Unit* best = &kind.units.front();
  for (const Unit& known : kind.units) {
    if (value != 0 && value % known.factor == 0 && known.factor >= best->factor) best = &known;
  }
  return std::to_string(value / best->factor) + (kind.blank ? " " : "") + std::string(best->name);
}

std::string_view form_of(ProfileUnit unit) {
  switch (unit) {
    case ProfileUnit::time: return "an integer and one of ns us ms s, as 80 us";
    case ProfileUnit::size: return "an integer and one of B KiB MiB GiB kB MB GB, as 256 MiB";
    case ProfileUnit::byte_rate:
      return "an integer and one of B/s KiB/s MiB/s GiB/s kB/s MB/s GB/s, as 125 MB/s";
    case ProfileUnit::rate: return "an integer and /s, as 5000/s";
    case ProfileUnit::ratio: return "a number with up to 3 decimals and x, as 1.5x";
    case ProfileUnit::fraction: return "a number with up to 4 decimals and %, as 99.9%";
    default: return "an integer";
  }
}

}  // namespace drydock::sim
