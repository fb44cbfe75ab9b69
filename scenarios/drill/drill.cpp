#include "scenarios/drill/drill.hpp"

#include "scenarios/drill/json_position.hpp"

namespace drydock::scenarios {

std::string Source::at(std::string_view path) const {
  for (const PathSetting& setting : set) {
    const std::string place = "/" + setting.path;
    if (path == place) return "--set " + setting.path;
    if (path.starts_with(place + "/")) return "--set " + setting.path + ": " + std::string(path);
  }
  const TextPosition position = position_of(text, path);
  return file + ":" + std::to_string(position.line) + ":" + std::to_string(position.column) + ": " +
         (path.empty() ? "/" : std::string(path));
}

}  // namespace drydock::scenarios
