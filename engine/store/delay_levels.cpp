#include "engine/store/delay_levels.hpp"

#include <algorithm>

#include "engine/types/ensure.hpp"
#include "engine/wire/message_properties.hpp"
#include "engine/wire/remoting_command.hpp"

namespace drydock {

namespace {

constexpr std::string_view kDefault = "1s 5s 10s 30s 1m 2m 3m 4m 5m 6m 7m 8m 9m 10m 20m 30m 1h 2h";
constexpr std::int64_t kNumberMax = 100'000'000;

// 0: it is no unit.
std::int64_t ms_of(char unit) {
  switch (unit) {
    case 's': return 1000;
    case 'm': return 60 * 1000;
    case 'h': return 60 * 60 * 1000;
    case 'd': return 24 * 60 * 60 * 1000;
    default: return 0;
  }
}

}  // namespace

DelayLevels::DelayLevels() {
  std::optional<DelayLevels> levels = parse(kDefault);
  ms_ = std::move(levels->ms_);
}

std::optional<DelayLevels> DelayLevels::parse(std::string_view text) {
  std::vector<std::int64_t> all;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find(' '), text.size());
    const std::string_view level = text.substr(0, end);
    text.remove_prefix(std::min(end + 1, text.size()));
    if (level.size() < 2 || all.size() == kCountMax) return std::nullopt;
    const auto number = parse_decimal<std::int64_t>(level.substr(0, level.size() - 1));
    const std::int64_t unit = ms_of(level.back());
    if (!number || *number < 0 || *number > kNumberMax || unit == 0) return std::nullopt;
    all.push_back(*number * unit);
  }
  if (all.empty()) return std::nullopt;
  DelayLevels levels{std::move(all)};
  return levels;
}

std::int32_t DelayLevels::effective(std::int64_t level) const {
  return static_cast<std::int32_t>(std::clamp<std::int64_t>(level, 0, count()));
}

std::int64_t DelayLevels::delay_ms(std::int32_t level) const {
  ENSURE(level >= 1);
  return ms_.at(static_cast<std::size_t>(level - 1));
}

std::int64_t delay_level_of(std::string_view properties) {
  return parse_decimal<std::int32_t>(find_property(properties, property::kDelay)).value_or(0);
}

}  // namespace drydock
