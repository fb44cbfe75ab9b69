#include "engine/broker/configuration.hpp"

#include <algorithm>

#include "engine/broker/configuration_keys.hpp"
#include "engine/broker/properties_file.hpp"

namespace drydock {

namespace {

using Severity = ConfigurationNote::Severity;

std::string quoted(std::string_view text) { return "\"" + std::string(text) + "\""; }

std::string_view without_blanks_at_end(std::string_view value) {
  const std::size_t last = value.find_last_not_of(" \t\f");
  return last == std::string_view::npos ? std::string_view() : value.substr(0, last + 1);
}

const HonouredKey* find_honoured(std::string_view key) {
  const auto keys = honoured_keys();
  const auto found = std::ranges::find(keys, key, &HonouredKey::name);
  return found == keys.end() ? nullptr : &*found;
}

std::string old_spelling_text(const OldSpelling& old) {
  return "RocketMQ 5.3.3 ignores this old spelling, so the default " +
         std::string(old.default_value) + " is used; write " + std::string(old.name);
}

std::string unknown_text(std::string_view key) {
  const std::string_view nearest = nearest_key(key);
  std::string text = "not a key of RocketMQ 5.3.3, which ignores it in silence";
  if (!nearest.empty()) text += "; did you mean " + std::string(nearest) + "?";
  return text;
}

// What there is to say about a key that has no effect.
std::string text_without_effect(std::string_view key) {
  for (const OldSpelling& old : old_spellings()) {
    if (old.old_name == key) return old_spelling_text(old);
  }
  if (std::ranges::find(keys_without_effect(), key) != keys_without_effect().end()) {
    return "accepted, no effect in this version";
  }
  return unknown_text(key);
}

}  // namespace

bool ConfigurationResult::has_errors() const {
  return std::ranges::any_of(
      notes, [](const ConfigurationNote& note) { return note.severity == Severity::error; });
}

void set_broker_property(BrokerConfiguration& configuration, std::string_view key,
                         std::string_view value, int line, std::vector<ConfigurationNote>& notes) {
  const HonouredKey* const honoured = find_honoured(key);
  if (honoured == nullptr) {
    notes.push_back({line, std::string(key), Severity::warning, text_without_effect(key)});
    return;
  }
  const std::string_view trimmed = without_blanks_at_end(value);
  if (!honoured->set(configuration, trimmed)) {
    notes.push_back(
        {line, std::string(key), Severity::error,
         quoted(trimmed) + " is not allowed; allowed: " + std::string(honoured->allowed)});
  } else if (trimmed.size() != value.size()) {
    notes.push_back({line, std::string(key), Severity::warning,
                     "blanks at the end of the value are dropped here; Java keeps them, and "
                     "RocketMQ may then ignore the whole line"});
  }
}

ConfigurationResult parse_broker_configuration(std::string_view text,
                                               BrokerConfiguration defaults) {
  ConfigurationResult result;
  result.configuration = std::move(defaults);
  const std::vector<PropertyLine> entries = read_properties(text);
  for (std::size_t i = 0; i < entries.size(); ++i) {
    const PropertyLine& entry = entries[i];
    const auto later =
        std::find_if(entries.begin() + static_cast<std::ptrdiff_t>(i) + 1, entries.end(),
                     [&entry](const PropertyLine& other) { return other.key == entry.key; });
    if (later != entries.end()) {
      result.notes.push_back(
          {entry.line, entry.key, Severity::warning,
           "set again on line " + std::to_string(later->line) + ", which counts"});
      continue;
    }
    set_broker_property(result.configuration, entry.key, entry.value, entry.line, result.notes);
  }
  return result;
}

std::string describe(const ConfigurationNote& note) {
  std::string text;
  if (note.line > 0) text = "line " + std::to_string(note.line) + ": ";
  text += note.key;
  text += note.severity == Severity::error ? ": error: " : ": warning: ";
  return text + note.text;
}

}  // namespace drydock
