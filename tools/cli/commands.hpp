// tools/cli is the `drydock` program: one file per command, and what only a command needs. Nothing
// includes it.
//
//   main          options, and which command they mean
//   run           runs a drill over seeds and cells
//   check         whether a scenario is accepted, and what it says with everything folded in
//   replay        runs again what did not pass
//   experiment    from the files that a command names to cells
//   list          what scenarios can refer to
//   lint_conf     what a broker.conf says, what of it counts here, and what it promises
//   version       which build this is
//   worker_pool   worker processes that a crash cannot take the rest down with
//   input_file    files that users name
//   terminal      how wide it is
//   progress      one line on a terminal while runs go on
//
// Exit status (design, section 0): 0 all pass; 1 an expectation is false or damage was found; 2
// input or environment is wrong; 3 internal error or nondeterminism; 4 inconclusive; 130
// interrupted.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "tools/cli/experiment.hpp"

namespace drydock::cli {

inline constexpr int kInputWrong = 2;
inline constexpr int kInternalError = 3;
inline constexpr int kInterrupted = 130;

struct RunOptions {
  ExperimentOptions experiment;
  std::optional<std::string> seeds;  // None: those of the drill.
  std::optional<int> jobs;           // None: one per core.
  bool verify = false;
  bool perturb = false;
  std::optional<std::string> out;    // None: no files.
  std::optional<std::string> junit;  // None: no such file beside those of `out`.
};

struct LintConfOptions {
  std::string file;
  bool strict = false;  // Anything without effect is wrong input.
};

// Each returns the exit status. Wrong input is thrown as scenarios::InputError.
int run(const RunOptions& options);
int check(const ExperimentOptions& options);
int replay(const std::string& file);
int lint_conf(const LintConfOptions& options);
int list();
int version();

// The version of this build.
extern const char* const kVersion;

}  // namespace drydock::cli
