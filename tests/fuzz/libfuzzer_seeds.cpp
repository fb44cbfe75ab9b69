// Gives libFuzzer the seeds: as files of a directory of their own, which goes with the program.
#include <stdlib.h>

#include <cstdio>
#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include "tests/fuzz/fuzzer.hpp"

namespace {

std::string& directory() {
  static std::string path;
  return path;
}

void remove_directory() {
  std::error_code ignored;
  std::filesystem::remove_all(directory(), ignored);
}

}  // namespace

// libFuzzer reads its arguments after this. The first directory among them is where it writes what
// it finds: ours, if the caller names none. A caller who names a file wants that file alone.
extern "C" int LLVMFuzzerInitialize(int* argc, char*** argv) {
  static std::vector<char*> arguments(*argv, *argv + *argc);
  for (const char* const argument : arguments) {
    const bool is_file = argument != arguments.front() && argument[0] != '-' &&
                         std::filesystem::is_regular_file(argument);
    if (is_file) return 0;
  }
  directory() = (std::filesystem::temp_directory_path() / "drydock-fuzz-XXXXXX").string();
  if (::mkdtemp(directory().data()) == nullptr) return 0;
  std::atexit(remove_directory);
  std::size_t number = 0;
  for (const std::string& seed : drydock::fuzz::seeds()) {
    std::ofstream(directory() + "/seed-" + std::to_string(++number), std::ios::binary) << seed;
  }
  arguments.push_back(directory().data());
  *argc = static_cast<int>(arguments.size());
  arguments.push_back(nullptr);
  *argv = arguments.data();
  return 0;
}
