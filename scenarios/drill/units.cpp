#include "scenarios/drill/units.hpp"

#include <array>
#include <charconv>
#include <limits>

namespace drydock::scenarios {
namespace {

struct Unit {
  std::string_view name;
  std::int64_t factor;
};
constexpr std::array<Unit, 6> kDurations{{{"ns", 1},
                                          {"us", 1'000},
                                          {"ms", 1'000'000},
                                          {"s", 1'000'000'000},
                                          {"min", 60'000'000'000},
                                          {"h", 3'600'000'000'000}}};
constexpr std::array<Unit, 7> kSizes{{{"B", 1},
                                      {"KiB", 1 << 10},
                                      {"MiB", 1 << 20},
                                      {"GiB", 1 << 30},
                                      {"kB", 1'000},
                                      {"MB", 1'000'000},
                                      {"GB", 1'000'000'000}}};

constexpr std::int64_t kTooLarge = std::numeric_limits<std::int64_t>::max();

// The integer at the start of `text`, which is cut off; none if there is no digit.
std::optional<std::int64_t> take_integer(std::string_view& text) {
  if (text.empty() || text.front() < '0' || text.front() > '9') return std::nullopt;
  std::int64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc()) value = kTooLarge;
  text.remove_prefix(static_cast<std::size_t>(end - text.data()));
  return value;
}

template <std::size_t N>
std::optional<std::int64_t> parse(std::string_view text, const std::array<Unit, N>& units) {
  const auto value = take_integer(text);
  if (!value) return std::nullopt;
  if (!text.empty() && text.front() == ' ') text.remove_prefix(1);
  for (const Unit& unit : units) {
    if (unit.name != text) continue;
    std::int64_t product = 0;
    if (__builtin_mul_overflow(*value, unit.factor, &product)) return kTooLarge;
    return product;
  }
  return std::nullopt;
}

std::optional<std::uint64_t> seed_of(std::string_view text) {
  std::uint64_t seed = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), seed);
  const bool whole = !text.empty() && error == std::errc() && end == text.data() + text.size();
  return whole ? std::optional(seed) : std::nullopt;
}

}  // namespace

std::optional<Duration> parse_duration(std::string_view text) {
  const auto ns = parse(text, kDurations);
  if (!ns) return std::nullopt;
  return Duration::ns(*ns);
}

std::optional<std::int64_t> parse_size(std::string_view text) { return parse(text, kSizes); }

std::optional<std::int64_t> parse_rate_per_second(std::string_view text) {
  const auto value = take_integer(text);
  if (!value || text != "/s") return std::nullopt;
  return value;
}

std::optional<std::int64_t> parse_bytes_per_second(std::string_view text) {
  if (!text.ends_with("/s")) return std::nullopt;
  text.remove_suffix(2);
  return parse_size(text);
}

std::optional<std::int64_t> parse_percent(std::string_view text) {
  const auto value = take_integer(text);
  if (!value || *value > 100 || text != "%") return std::nullopt;
  return value;
}

SeedRange parse_seed_range(std::string_view text, const std::string& what) {
  const std::size_t dots = text.find("..");
  const auto first = seed_of(text.substr(0, dots));
  const auto last = dots == std::string_view::npos ? first : seed_of(text.substr(dots + 2));
  if (!first || !last) {
    throw InputError(what + ": '" + std::string(text) + "' is no seed; write N or N..M");
  }
  const SeedRange range{*first, *last};
  if (range.last < range.first) {
    throw InputError(what + ": '" + std::string(text) + "' ends before it begins");
  }
  if (range.last - range.first >= kSeedsMax) {
    throw InputError(what + ": '" + std::string(text) + "' has more than " +
                     std::to_string(kSeedsMax) + " seeds");
  }
  return range;
}

std::string text_of(Duration duration) {
  const std::int64_t ns = duration.count_ns();
  for (std::size_t i = kDurations.size(); i-- > 0;) {
    const Unit& unit = kDurations[i];
    if (ns != 0 && ns % unit.factor == 0) {
      return std::to_string(ns / unit.factor) + " " + std::string(unit.name);
    }
  }
  return "0 s";
}

}  // namespace drydock::scenarios
