#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstring>
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

// Help is printed by the parser.
int run_command(CLI::App& app, const std::function<int()>& chosen, int argc, char** argv) {
  refuse_unknown_command(app, 1, argc, argv);
  try {
    app.parse(argc, argv);
  } catch (const CLI::Success& help) {
    return app.exit(help);
  }
  return chosen();
}

// Whoever reads the answer must not take a part of it for the whole.
void check_standard_output() {
  errno = 0;
  std::fflush(stdout);
  if (std::ferror(stdout) == 0) return;
  // The reason of a write before is gone. Another one tells it; the output is cut in any case.
  if (errno == 0) (void)!::write(STDOUT_FILENO, "\n", 1);
  const std::string reason = errno == 0 ? "" : std::string(": ") + std::strerror(errno);
  throw drydock::scenarios::InputError("standard output: cannot be written" + reason);
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
    const int status = run_command(app, chosen, argc, argv);
    check_standard_output();
    return status;
  } catch (const CLI::ParseError& error) {
    return fail(drydock::cli::kInputWrong, error.what());
  } catch (const drydock::scenarios::InputError& error) {
    return fail(drydock::cli::kInputWrong, error.what());
  } catch (const std::exception& error) {
    return fail(drydock::cli::kInternalError, error.what());
  }
}
