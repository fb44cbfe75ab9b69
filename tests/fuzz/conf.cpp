// A broker.conf with anything in it.
#include <cstdint>

#include "engine/broker/configuration.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace drydock;
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const ConfigurationResult result = parse_broker_configuration(text);
  for (const ConfigurationNote& note : result.notes) ENSURE(!describe(note).empty());
  return 0;
}
