#include "scenarios/loader/path_settings.hpp"

#include <algorithm>
#include <charconv>

namespace drydock::scenarios {
namespace {

// An element of an array, or null.
Json* element_named(Json& array, const std::string& name) {
  std::size_t index = 0;
  const auto [end, error] = std::from_chars(name.data(), name.data() + name.size(), index);
  const bool number = error == std::errc() && end == name.data() + name.size();
  return number && index < array.size() ? &array[index] : nullptr;
}

// The member or element of that name, or null.
Json* child_named(Json& value, const std::string& name) {
  if (value.is_array()) return element_named(value, name);
  if (!value.is_object()) return nullptr;
  const auto found = value.find(name);
  return found == value.end() ? nullptr : &*found;
}

[[noreturn]] void refuse(const PathSetting& setting, const std::string& why) {
  throw InputError("--set " + setting.path + ": " + why);
}

// `now` is null if there is nothing at the place yet.
Json value_of(const PathSetting& setting, const Json* now) {
  if (!Json::accept(setting.text)) return setting.text;
  Json value = parse_json({"--set " + setting.path, setting.text, {}});
  const bool plain = value.is_primitive() && !value.is_string();
  if (plain && now != nullptr && now->is_string()) return setting.text;
  return value;
}

void apply(const Source& source, const PathSetting& setting, Json& scenario) {
  Json* parent = &scenario;
  std::string_view rest = setting.path;
  for (std::size_t slash = rest.find('/'); slash != rest.npos; slash = rest.find('/')) {
    const std::string name(rest.substr(0, slash));
    parent = child_named(*parent, name);
    rest.remove_prefix(slash + 1);
    if (parent != nullptr) continue;
    const std::string place = setting.path.substr(0, setting.path.size() - rest.size() - 1);
    refuse(setting, source.file + " has no /" + place);
  }
  const std::string name(rest);
  if (name.empty()) refuse(setting, "a path ends with a name");
  Json* const now = child_named(*parent, name);
  if (now != nullptr) {
    *now = value_of(setting, now);
  } else if (parent->is_object()) {
    (*parent)[name] = value_of(setting, nullptr);
  } else {
    refuse(setting, source.file + " has no /" + setting.path);
  }
}

}  // namespace

void apply_path_settings(const Source& source, Json& scenario) {
  for (const PathSetting& setting : source.set) apply(source, setting, scenario);
}

}  // namespace drydock::scenarios
