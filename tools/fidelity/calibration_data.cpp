#include "tools/fidelity/calibration_data.hpp"

#include <filesystem>
#include <fstream>
#include <sstream>

#include "scenarios/drill/drill.hpp"
#include "tools/fidelity/calibration_files.hpp"

namespace drydock::fidelity {

CalibrationData::CalibrationData(const std::optional<std::string>& directory) {
  for (const sim::EmbeddedFile& file : calibration_files()) {
    texts_[std::string(file.name)] = std::string(file.text);
  }
  if (!directory) return;
  if (!std::filesystem::is_directory(*directory)) {
    throw scenarios::InputError(*directory + ": is no directory");
  }
  for (auto& [name, text] : texts_) {
    const std::string path = (std::filesystem::path(*directory) / name).string();
    if (!std::filesystem::exists(path)) continue;
    std::ifstream file(path, std::ios::binary);
    std::ostringstream read;
    read << file.rdbuf();
    if (!file) throw scenarios::InputError(path + ": cannot be read");
    text = read.str();
    places_[name] = path;
  }
}

const std::string& CalibrationData::text(const std::string& name) const {
  const auto found = texts_.find(name);
  if (found == texts_.end()) throw scenarios::InputError(name + ": is not in the program");
  if (places_.contains(name)) replacement_read_ = true;
  return found->second;
}

std::string CalibrationData::place(const std::string& name) const {
  const auto found = places_.find(name);
  return found == places_.end() ? name : found->second;
}

}  // namespace drydock::fidelity
