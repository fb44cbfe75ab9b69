#include "engine/broker/property_value.hpp"

#include <algorithm>
#include <charconv>
#include <cstdint>

namespace drydock {

namespace {

bool is_digit(char c) { return c >= '0' && c <= '9'; }

char lower(char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c | 0x20) : c; }

// Integer.parseInt, Long.parseLong: a sign and decimal digits, nothing else.
template <class T>
bool is_integer(std::string_view text) {
  if (text.starts_with('+')) {
    text.remove_prefix(1);
    if (text.starts_with('-')) return false;
  }
  T number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  return error == std::errc() && end == text.data() + text.size();
}

// Takes the digits in front; how many there were.
std::size_t take_digits(std::string_view& text) {
  std::size_t count = 0;
  while (count < text.size() && is_digit(text[count])) ++count;
  text.remove_prefix(count);
  return count;
}

void take_sign(std::string_view& text) {
  if (text.starts_with('+') || text.starts_with('-')) text.remove_prefix(1);
}

// Double.parseDouble, which trims; without its hexadecimal form, NaN and Infinity.
bool is_real(std::string_view text) {
  text = trimmed(text);
  take_sign(text);
  std::size_t digits = take_digits(text);
  if (text.starts_with('.')) {
    text.remove_prefix(1);
    digits += take_digits(text);
  }
  if (digits == 0) return false;
  if (text.starts_with('e') || text.starts_with('E')) {
    text.remove_prefix(1);
    take_sign(text);
    if (take_digits(text) == 0) return false;
  }
  return text.empty() || (text.size() == 1 && std::string_view("fFdD").contains(text[0]));
}

bool is_choice(std::string_view choices, std::string_view value) {
  value = trimmed(value);
  for (;;) {
    const std::size_t bar = choices.find('|');
    if (choices.substr(0, bar) == value) return true;
    if (bar == std::string_view::npos) return false;
    choices.remove_prefix(bar + 1);
  }
}

// "A|B|C" as "A, B or C".
std::string enumerated(std::string_view choices) {
  std::string text;
  for (std::size_t bar = choices.find('|'); bar != std::string_view::npos;
       bar = choices.find('|')) {
    if (!text.empty()) text += ", ";
    text += choices.substr(0, bar);
    choices.remove_prefix(bar + 1);
  }
  if (!text.empty()) text += " or ";
  return text + std::string(choices);
}

}  // namespace

bool is_value_of(const ConfigurationProperty& property, std::string_view value) {
  switch (property.type) {
    case PropertyType::int32: return is_integer<std::int32_t>(value);
    case PropertyType::int64: return is_integer<std::int64_t>(value);
    case PropertyType::real: return is_real(value);
    case PropertyType::boolean:
      return equal_ignoring_case(value, "true") || equal_ignoring_case(value, "false");
    case PropertyType::choice: return is_choice(property.choices, value);
    case PropertyType::text: break;
  }
  return true;
}

std::string allowed_values(const ConfigurationProperty& property) {
  switch (property.type) {
    case PropertyType::int32: return "a whole number from -2147483648 to 2147483647";
    case PropertyType::int64:
      return "a whole number from -9223372036854775808 to 9223372036854775807";
    case PropertyType::real: return "a decimal number such as 0.8";
    case PropertyType::boolean: return "true or false";
    case PropertyType::choice: return enumerated(property.choices);
    case PropertyType::text: break;
  }
  return "any text";
}

std::string_view effect_of_bad_value(const ConfigurationProperty& property) {
  return property.type == PropertyType::boolean ? "RocketMQ would read it as false"
                                                : "RocketMQ would keep its default in silence";
}

std::string_view trimmed(std::string_view value) {
  const auto counts = [](char c) { return static_cast<unsigned char>(c) > ' '; };
  while (!value.empty() && !counts(value.front())) value.remove_prefix(1);
  while (!value.empty() && !counts(value.back())) value.remove_suffix(1);
  return value;
}

bool equal_ignoring_case(std::string_view a, std::string_view b) {
  return std::ranges::equal(a, b, {}, lower, lower);
}

}  // namespace drydock
