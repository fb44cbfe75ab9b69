// A scenario file with anything in it: accepted, or refused in one line that names the file.
#include <cstdint>

#include "engine/types/ensure.hpp"
#include "scenarios/loader/loader.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace drydock;
  const std::string text(reinterpret_cast<const char*>(data), size);
  try {
    (void)scenarios::parse_drill("f.json", text);
  } catch (const scenarios::InputError& error) {
    ENSURE(std::string_view(error.what()).starts_with("f.json:"));
  }
  return 0;
}
