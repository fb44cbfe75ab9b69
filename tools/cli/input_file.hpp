// Files that users name.
#pragma once

#include <string>

namespace drydock::cli {

// The whole content. Throws scenarios::InputError if the file can't be read.
std::string read_file(const std::string& path);

}  // namespace drydock::cli
