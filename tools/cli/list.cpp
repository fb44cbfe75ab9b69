#include <cstdio>
#include <string>

#include "engine/types/behaviour.hpp"
#include "engine/types/seeded_bugs.hpp"
#include "engine/types/wait_place.hpp"
#include "faults/plan/fault.hpp"
#include "reports/record/drill_result.hpp"
#include "tools/cli/commands.hpp"

namespace drydock::cli {
namespace {

void line(std::string_view name) {
  std::printf("  %.*s\n", static_cast<int>(name.size()), name.data());
}

// All names of a dense enumeration that ends with `count_`.
template <class Enum, class NameOf>
void section(const char* title, NameOf name_of_value) {
  std::printf("%s\n", title);
  for (std::size_t i = 0; i < static_cast<std::size_t>(Enum::count_); ++i) {
    line(name_of_value(static_cast<Enum>(i)));
  }
}

void explain(const BehaviourText& text) {
  const auto print = [](const char* what, std::string_view value) {
    std::printf("%s%.*s", what, static_cast<int>(value.size()), value.data());
  };
  print("", text.name);
  print(": faithful: ", text.faithful);
  print(". hardened: ", text.hardened);
  print(". Shown by ", text.shown_by);
  print(". Reference: ", text.source);
  std::printf("\n");
}

}  // namespace

int list_behaviours() {
  for (std::size_t i = 0; i < static_cast<std::size_t>(BehaviourSwitch::count_); ++i) {
    explain(describe(static_cast<BehaviourSwitch>(i)));
  }
  return 0;
}

int list() {
  section<faults::FaultKind>("faults", [](auto kind) { return faults::name_of(kind); });
  section<EventName>("events", [](auto name) { return drydock::name_of(name); });
  section<CrashPoint>("crash points", [](auto point) { return drydock::name_of(point); });
  section<BuggifySite>("buggify sites", [](auto site) { return drydock::name_of(site); });
  section<reports::Metric>("quantities of expectations",
                           [](auto metric) { return reports::name_of(metric); });
  section<WaitPlace>("places of waits", [](auto place) { return drydock::name_of(place); });
  section<BehaviourSwitch>("behaviour switches (drydock list behaviours explains them)",
                           [](auto which) { return drydock::name_of(which); });
  section<SeededBug>("seeded bugs", [](auto bug) { return drydock::name_of(bug); });
  std::printf("behaviour presets\n");
  for (const std::string_view name : Behaviour::preset_names()) line(name);
  return 0;
}

}  // namespace drydock::cli
