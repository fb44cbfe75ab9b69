#include <cstdio>
#include <exception>

#include "scenarios/drill/drill.hpp"
#include "tools/cli/arguments.hpp"
#include "tools/cli/commands.hpp"

namespace {

// CLI11 reports an unknown command as a missing one. `first`: where its name stands in `argv`.
void refuse_unknown_command(const CLI::App& app, int first, int argc, char** argv) {
  if (argc <= first || argv[first][0] == '-') return;
  std::string known;
  for (const CLI::App* command : app.get_subcommands([](const CLI::App*) { return true; })) {
    if (command->get_name() == argv[first]) {
      return refuse_unknown_command(*command, first + 1, argc, argv);
    }
    known += (known.empty() ? "" : ", ") + command->get_name();
  }
  if (known.empty()) return;  // It has no commands below it: an argument.
  throw drydock::scenarios::InputError("there is no command '" + std::string(argv[first]) +
                                       "'; known here: " + known);
}

int fail(int status, const char* what) {
  std::fprintf(stderr, "drydock: %s\n", what);
  return status;
}

}  // namespace

int main(int argc, char** argv) {
  CLI::App app(
      "Drydock: faults, losses and outages of a RocketMQ-compatible broker, in virtual time");
  std::function<int()> chosen;
  drydock::cli::add_commands(app, chosen);
  try {
    refuse_unknown_command(app, 1, argc, argv);
    app.parse(argc, argv);
    return chosen();
  } catch (const CLI::ParseError& error) {
    // Help is no error; it prints itself.
    if (error.get_exit_code() == 0) return app.exit(error);
    return fail(drydock::cli::kInputWrong, error.what());
  } catch (const drydock::scenarios::InputError& error) {
    return fail(drydock::cli::kInputWrong, error.what());
  } catch (const std::exception& error) {
    return fail(drydock::cli::kInternalError, error.what());
  }
}
