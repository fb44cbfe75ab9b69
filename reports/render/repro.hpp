// repro.json: runs that did not pass, with all that is needed to see them again.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "reports/record/drill_result.hpp"

namespace drydock::reports {

struct ReproRun {
  CellId cell;
  std::uint64_t seed = 0;
  std::string fingerprint;
  Verdict verdict = Verdict::inconclusive;
  std::string note;
};

struct Repro {
  std::string version;   // Of the drydock that wrote it.
  std::string scenario;  // The effective scenario: nothing else is needed.
  bool perturb = false;
  std::vector<ReproRun> runs;
};

// The first run of each cell that did not pass. None if all did.
std::optional<Repro> repro_of(const DrillResult& result, const std::string& effective_scenario,
                              bool perturb);

std::string render_repro(const Repro& repro);
// Throws std::runtime_error with one line if the text is no repro.json.
Repro parse_repro(const std::string& text);

// What a run says beside the recorded one: "the same failure, bit for bit", "another failure: …",
// "no longer fails".
std::string compare(const ReproRun& recorded, const RunResult& again);

}  // namespace drydock::reports
