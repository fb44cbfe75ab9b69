#include <CLI/CLI.hpp>
#include <cstdio>
#include <exception>

#include "scenarios/drill/drill.hpp"
#include "tools/cli/commands.hpp"

namespace {

using drydock::cli::ExperimentOptions;
using drydock::cli::LintConfOptions;
using drydock::cli::RunOptions;

void add_experiment(CLI::App& command, ExperimentOptions& options) {
  command.add_option("scenario", options.scenario, "The drill (JSON with comments)")->required();
  command
      .add_option("--conf", options.conf,
                  "Your broker.conf, or BROKER=FILE, master=FILE, slave=FILE for some; without "
                  "it RocketMQ's defaults")
      ->expected(1)
      ->take_all();
  command.add_option("--set", options.set, "KEY=VALUE of broker.conf, over everything else")
      ->expected(1)
      ->take_all();
}

void add_run(CLI::App& app, RunOptions& options) {
  CLI::App* const run = app.add_subcommand("run", "Run a drill over its cells and seeds");
  add_experiment(*run, options.experiment);
  run->add_option("--seed", options.seeds, "N or N..M; without it the drill's own");
  run->add_option("--jobs", options.jobs, "Worker processes; without it one per core");
  run->add_flag(
      "--verify", options.verify,
      "Run each (cell, seed) twice more, side by side, and name the first event that differs");
  run->add_flag("--perturb", options.perturb,
                "Let each seed draw the order of events that fall on the same instant");
  run->add_option(
      "--out", options.out,
      "Directory for result.json, junit.xml, summary.md, and repro.json if a run fails");
  run->add_option("--junit", options.junit, "File for junit.xml alone");
}

CLI::App* add_lint_conf(CLI::App& app, LintConfOptions& options) {
  CLI::App* const lint = app.add_subcommand(
      "lint-conf", "What a broker.conf says, what of it counts here, and what it promises");
  lint->add_option("file", options.file, "Your broker.conf")->required();
  lint->add_flag("--strict", options.strict,
                 "Exit status 2 if a line is unknown, replaced, refused or without effect");
  return lint;
}

// CLI11 reports an unknown command as a missing one.
void refuse_unknown_command(const CLI::App& app, int argc, char** argv) {
  if (argc < 2 || argv[1][0] == '-') return;
  std::string known;
  for (const CLI::App* command : app.get_subcommands([](const CLI::App*) { return true; })) {
    if (command->get_name() == argv[1]) return;
    known += (known.empty() ? "" : ", ") + command->get_name();
  }
  throw drydock::scenarios::InputError("there is no command '" + std::string(argv[1]) +
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
  RunOptions options;
  LintConfOptions lint_options;
  app.require_subcommand(1);
  add_run(app, options);
  const CLI::App* const lint = add_lint_conf(app, lint_options);
  ExperimentOptions check_options;
  CLI::App* const check = app.add_subcommand(
      "check", "Whether a scenario is accepted; prints it with everything folded in");
  add_experiment(*check, check_options);
  std::string repro_file;
  CLI::App* const replay =
      app.add_subcommand("replay", "Run again what did not pass, from its repro.json");
  replay->add_option("file", repro_file, "The repro.json of an earlier run")->required();
  CLI::App* const list = app.add_subcommand("list", "What scenarios can refer to");
  CLI::App* const version = app.add_subcommand("version", "Which build this is");
  try {
    refuse_unknown_command(app, argc, argv);
    app.parse(argc, argv);
    if (lint->parsed()) return drydock::cli::lint_conf(lint_options);
    if (check->parsed()) return drydock::cli::check(check_options);
    if (replay->parsed()) return drydock::cli::replay(repro_file);
    if (list->parsed()) return drydock::cli::list();
    if (version->parsed()) return drydock::cli::version();
    return drydock::cli::run(options);
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
