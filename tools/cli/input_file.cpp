#include "tools/cli/input_file.hpp"

#include <filesystem>
#include <fstream>
#include <sstream>

#include "scenarios/drill/drill.hpp"

namespace drydock::cli {

using scenarios::InputError;

std::string read_file(const std::string& path) {
  std::error_code ignored;
  if (std::filesystem::is_directory(path, ignored)) throw InputError(path + ": is a directory");
  std::ifstream file(path, std::ios::binary);
  if (!file) throw InputError(path + ": cannot be read");
  std::ostringstream text;
  text << file.rdbuf();
  return text.str();
}

}  // namespace drydock::cli
