#include "tools/cli/broker_conf.hpp"

#include "engine/broker/settings.hpp"
#include "scenarios/drill/drill.hpp"
#include "tools/cli/input_file.hpp"
#include "tools/cli/terminal.hpp"

namespace drydock::cli {

ServedConfiguration read_broker_conf(const std::string& file) {
  if (file.empty()) throw scenarios::InputError("--conf: names no file");
  const ConfigurationResult result = parse_broker_configuration(read_file(file));
  ServedConfiguration served;
  for (const ConfigurationNote& note : result.notes) {
    if (note.severity != ConfigurationNote::Severity::warning) {
      throw scenarios::InputError(printable(file + ": " + describe(note)));
    }
    ++served.without_effect;
  }
  served.configuration = result.configuration;
  served.names_store = Settings(result.settings).is_given("storePathRootDir");
  return served;
}

}  // namespace drydock::cli
