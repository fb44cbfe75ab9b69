#include "engine/broker/settings.hpp"

#include <algorithm>
#include <charconv>

#include "engine/broker/property_table.hpp"
#include "engine/broker/property_value.hpp"
#include "engine/types/ensure.hpp"

namespace drydock {

std::string describe(const Setting& setting) {
  if (setting.line == 0) return setting.key + " (absent: " + setting.value + ")";
  return setting.key + "=" + setting.value + " (line " + std::to_string(setting.line) + ")";
}

const Setting* Settings::find(std::string_view key) const {
  const auto found = std::ranges::find(given_, key, &Setting::key);
  return found == given_.end() ? nullptr : &*found;
}

Setting Settings::get(std::string_view key) const {
  if (const Setting* const given = find(key)) return *given;
  const auto rows = find_properties(key);
  ENSURE(!rows.empty());
  return {std::string(key), std::string(rows.front().default_text), 0};
}

bool Settings::is(std::string_view key, std::string_view value) const {
  return equal_ignoring_case(get(key).value, value);
}

std::int64_t Settings::number(std::string_view key) const {
  const std::string text = get(key).value;
  const std::string_view digits = std::string_view(text).substr(text.starts_with('+') ? 1 : 0);
  std::int64_t number = 0;
  std::from_chars(digits.data(), digits.data() + digits.size(), number);
  return number;
}

}  // namespace drydock
