// drydock list configuration: every key of RocketMQ 5.3.3's broker.conf, and what becomes of it
// here, as the page docs/configuration.md.
#include <cstdio>
#include <string>

#include "engine/broker/configuration_keys.hpp"
#include "engine/broker/property_table.hpp"
#include "tools/cli/commands.hpp"
#include "tools/cli/configuration_texts.hpp"

namespace drydock::cli {
namespace {

// One row per name: of several owners the first one's default counts.
template <class Visit>
void for_each_key(KeyState state, Visit visit) {
  std::string_view last;
  for (const ConfigurationProperty& property : property_table()) {
    const bool first = property.name != last;
    last = property.name;
    if (first && state_of(property.name) == state) visit(property);
  }
}

std::string code(std::string_view text) {
  return text.empty() ? "–" : "`" + std::string(text) + "`";
}

std::string default_of(const ConfigurationProperty& property) {
  constexpr std::string_view kDerived = "derived: ";
  const std::string_view text = property.default_text;
  if (text.starts_with(kDerived)) return std::string(text.substr(kDerived.size()));
  return code(text);
}

void row(std::initializer_list<std::string> cells) {
  std::string line = "|";
  for (const std::string& cell : cells) {
    line += ' ';
    for (const char c : cell) line += c == '|' ? std::string("\\|") : std::string(1, c);
    line += " |";
  }
  std::printf("%s\n", line.c_str());
}

void print_honoured() {
  std::printf("\n## Honoured\n\n| key | meaning | values | default |\n|---|---|---|---|\n");
  for_each_key(KeyState::honoured, [](const ConfigurationProperty& property) {
    row({code(property.name), std::string(meaning_of(property.name)),
         std::string(find_honoured(property.name)->allowed), default_of(property)});
  });
}

void print_refused() {
  std::printf(
      "\n## Refused\n\nA broker with another value would answer another question. Remedy: take the "
      "line out, or write the value that runs.\n\n"
      "| key | runs | another value means |\n|---|---|---|\n");
  for_each_key(KeyState::refused, [](const ConfigurationProperty& property) {
    const RefusedKey& refused = *find_refused(property.name);
    row({code(property.name), code(refused.runs), std::string(refused.why)});
  });
}

void print_without_effect() {
  std::printf(
      "\n## Without effect\n\nAccepted with a warning; a value of a wrong type is an error.\n\n"
      "| key | default in RocketMQ | why nothing follows from it here |\n|---|---|---|\n");
  for_each_key(KeyState::accepted_without_effect, [](const ConfigurationProperty& property) {
    row({code(property.name), default_of(property), std::string(why_without_effect(property))});
  });
}

void print_old_spellings() {
  std::printf(
      "\n## Old spellings\n\nRocketMQ 5.3.3 ignores them in silence.\n\n"
      "| written | meant |\n|---|---|\n");
  for (const OldSpelling& old : old_spellings()) row({code(old.old_name), code(old.name)});
}

}  // namespace

int list_configuration() {
  std::printf(
      "# The keys of broker.conf\n\n"
      "Written by `drydock list configuration`; not edited by hand. All properties of RocketMQ "
      "5.3.3 that a broker.conf can set. `drydock lint-conf FILE` tells the same of your file.\n");
  print_honoured();
  print_refused();
  print_without_effect();
  print_old_spellings();
  return 0;
}

}  // namespace drydock::cli
