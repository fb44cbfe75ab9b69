#include "engine/broker/configuration.hpp"

#include <algorithm>

#include "engine/broker/configuration_keys.hpp"
#include "engine/broker/properties_file.hpp"
#include "engine/broker/property_value.hpp"

namespace drydock {

namespace {

using Severity = ConfigurationNote::Severity;

std::string quoted(std::string_view text) { return "\"" + std::string(text) + "\""; }

std::string old_spelling_text(const OldSpelling& old) {
  return "RocketMQ 5.3.3 ignores this old spelling, so the default " +
         std::string(old.default_value) + " is used; write " + std::string(old.name);
}

std::string unknown_text(std::string_view key) {
  if (const OldSpelling* const old = find_old_spelling(key)) return old_spelling_text(*old);
  const auto elsewhere = find_properties(key);
  if (!elsewhere.empty()) {
    const bool name_server = elsewhere.front().owner == PropertyOwner::name_server;
    return std::string("a key of the ") + (name_server ? "name server" : "controller") +
           "'s own file; a broker ignores it in silence";
  }
  std::string text = "not a key of RocketMQ 5.3.3, which ignores it in silence";
  const std::string_view nearest = nearest_key(key);
  if (!nearest.empty()) text += "; did you mean " + std::string(nearest) + "?";
  return text;
}

// Why a value is not one of the property's type; empty if it is one.
std::string complaint(const ConfigurationProperty& property, const HonouredKey* honoured,
                      std::string_view value) {
  if (is_value_of(property, value)) return "";
  const std::string_view text = trimmed(value);
  if (is_value_of(property, text)) {
    return "blanks around " + quoted(text) + ": " + std::string(effect_of_bad_value(property)) +
           "; remove them";
  }
  const std::string allowed =
      honoured != nullptr ? std::string(honoured->allowed) : allowed_values(property);
  return quoted(text) + " is not allowed; allowed: " + allowed;
}

std::string refused_text(const RefusedKey& refused, std::string_view value) {
  return quoted(value) + " does not run in this version, which has " + std::string(refused.runs) +
         " only: it means " + std::string(refused.why);
}

std::string fault_text(const PropertyLine& entry) {
  if (entry.fault == PropertyLine::Fault::byte_order_mark) {
    return "the file starts with a byte order mark, which RocketMQ takes for a part of this key, "
           "so that the line has no effect; save the file without it";
  }
  return "a \\u without four hexadecimal digits: RocketMQ does not start with such a file";
}

// The notes of one broker.conf.
class Notes {
 public:
  Notes(int line, std::string_view key, std::vector<ConfigurationNote>& into)
      : line_(line), key_(key), into_(into) {}
  void add(Severity severity, std::string text) {
    into_.push_back({line_, std::string(key_), severity, std::move(text)});
  }

 private:
  int line_;
  std::string_view key_;
  std::vector<ConfigurationNote>& into_;
};

}  // namespace

bool ConfigurationResult::has_errors() const {
  return std::ranges::any_of(
      notes, [](const ConfigurationNote& note) { return note.severity != Severity::warning; });
}

void set_broker_property(BrokerConfiguration& configuration, std::string_view key,
                         std::string_view value, int line, std::vector<ConfigurationNote>& into) {
  Notes notes(line, key, into);
  const KeyState state = state_of(key);
  if (state == KeyState::unknown) return notes.add(Severity::warning, unknown_text(key));

  const HonouredKey* const honoured = find_honoured(key);
  for (const ConfigurationProperty& property : find_properties(key)) {
    if (!is_of_broker_conf(property.owner)) break;
    const std::string bad = complaint(property, honoured, value);
    if (!bad.empty()) return notes.add(Severity::error, bad);
  }
  const std::string_view text = trimmed(value);
  if (honoured != nullptr) {
    if (!honoured->set(configuration, text)) {
      notes.add(Severity::error,
                quoted(text) + " is not allowed; allowed: " + std::string(honoured->allowed));
    }
    return;
  }
  if (const RefusedKey* const refused = find_refused(key)) {
    if (!equal_ignoring_case(text, refused->runs)) {
      notes.add(Severity::refused, refused_text(*refused, text));
    }
    return;
  }
  notes.add(Severity::warning, "accepted, no effect in this version");
}

ConfigurationResult parse_broker_configuration(std::string_view text,
                                               BrokerConfiguration defaults) {
  ConfigurationResult result;
  result.configuration = std::move(defaults);
  const std::vector<PropertyLine> entries = read_properties(text);
  for (std::size_t i = 0; i < entries.size(); ++i) {
    const PropertyLine& entry = entries[i];
    Notes notes(entry.line, entry.key, result.notes);
    if (entry.fault != PropertyLine::Fault::none) {
      const bool escape = entry.fault == PropertyLine::Fault::malformed_escape;
      notes.add(escape ? Severity::error : Severity::warning, fault_text(entry));
      continue;
    }
    const auto later =
        std::find_if(entries.begin() + static_cast<std::ptrdiff_t>(i) + 1, entries.end(),
                     [&entry](const PropertyLine& other) { return other.key == entry.key; });
    if (later != entries.end()) {
      notes.add(Severity::warning,
                "set again on line " + std::to_string(later->line) + ", which counts");
      continue;
    }
    if (entry.utf8_letters) {
      notes.add(Severity::warning,
                "RocketMQ takes the file for ISO 8859-1 and reads other letters here; write them "
                "as \\uXXXX");
    }
    set_broker_property(result.configuration, entry.key, entry.value, entry.line, result.notes);
    if (state_of(entry.key) != KeyState::unknown) {
      result.settings.push_back({entry.key, std::string(trimmed(entry.value)), entry.line});
    }
  }
  return result;
}

std::string describe(const ConfigurationNote& note) {
  std::string text;
  if (note.line > 0) text = "line " + std::to_string(note.line) + ": ";
  text += note.key;
  switch (note.severity) {
    case Severity::warning: text += ": warning: "; break;
    case Severity::refused: text += ": refused: "; break;
    case Severity::error: text += ": error: "; break;
  }
  return text + note.text;
}

}  // namespace drydock
