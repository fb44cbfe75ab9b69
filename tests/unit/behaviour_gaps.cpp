// Every behaviour switch has a test or a drill that shows both of its sides. Read from the sources:
// what `describe` names exists, and speaks of the switch.
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <set>
#include <string>
#include <vector>

#include "engine/types/behaviour.hpp"

namespace drydock::test {
namespace {

const std::filesystem::path kRoot = DRYDOCK_SOURCE_ROOT;

std::string text_of(const std::filesystem::path& path) {
  std::ifstream file(path);
  return {std::istreambuf_iterator<char>(file), {}};
}

// Of all tests with GoogleTest.
std::vector<std::string> sources() {
  std::vector<std::string> all;
  for (const char* const folder : {"tests/unit", "tests/property"}) {
    for (const auto& entry : std::filesystem::directory_iterator(kRoot / folder)) {
      if (entry.path().extension() == ".cpp") all.push_back(text_of(entry.path()));
    }
  }
  return all;
}

std::vector<std::string> names_in(std::string_view list) {
  std::vector<std::string> names;
  while (!list.empty()) {
    const std::size_t comma = std::min(list.find(", "), list.size());
    names.emplace_back(list.substr(0, comma));
    list.remove_prefix(std::min(comma + 2, list.size()));
  }
  return names;
}

// "flush.error-advances-position" is flush_error_advances_position in code.
std::string identifier_of(std::string_view name) {
  std::string identifier(name);
  std::ranges::replace(identifier, '.', '_');
  std::ranges::replace(identifier, '-', '_');
  return identifier;
}

// The test "Suite.Name" is there; its file names the switch, or a preset, which has all of them.
bool shows(const std::vector<std::string>& sources, const std::string& test,
           std::string_view which) {
  const std::size_t dot = test.find('.');
  const std::string definition = "(" + test.substr(0, dot) + ", " + test.substr(dot + 1) + ")";
  return std::ranges::any_of(sources, [&](const std::string& source) {
    if (source.find(definition) == std::string::npos) return false;
    return source.find("BehaviourSwitch::" + identifier_of(which)) != std::string::npos ||
           source.find("Behaviour::preset(hardened") != std::string::npos;
  });
}

bool drill_shows(const std::string& path, std::string_view which) {
  const std::string text = text_of(kRoot / path);
  const std::string key = "behaviour/set/" + std::string(which);
  const auto has = [&](const std::string& value) {
    return text.find("\"" + std::string(which) + "\": \"" + value) != std::string::npos ||
           text.find("\"" + key + "\": \"" + value) != std::string::npos;
  };
  return has("faithful") && has("hardened");
}

TEST(BehaviourGaps, EverySwitchHasATestThatShowsBothSides) {
  const std::vector<std::string> all = sources();
  for (std::size_t i = 0; i < static_cast<std::size_t>(BehaviourSwitch::count_); ++i) {
    const BehaviourText& text = describe(static_cast<BehaviourSwitch>(i));
    const std::vector<std::string> names = names_in(text.shown_by);
    EXPECT_FALSE(names.empty()) << text.name;
    for (const std::string& name : names) {
      const bool is_drill = name.ends_with(".json");
      EXPECT_TRUE(is_drill ? drill_shows(name, text.name) : shows(all, name, text.name))
          << text.name << ": " << name;
    }
  }
}

TEST(BehaviourGaps, EverySwitchIsExplainedAndNamedOnce) {
  std::set<std::string_view> names;
  for (std::size_t i = 0; i < static_cast<std::size_t>(BehaviourSwitch::count_); ++i) {
    const auto which = static_cast<BehaviourSwitch>(i);
    const BehaviourText& text = describe(which);
    EXPECT_TRUE(names.insert(text.name).second) << text.name;
    EXPECT_EQ(behaviour_switch_named(text.name), which);
    for (const std::string_view part : {text.faithful, text.hardened, text.source}) {
      EXPECT_FALSE(part.empty()) << text.name;
    }
  }
}

}  // namespace
}  // namespace drydock::test
