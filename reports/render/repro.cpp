#include "reports/render/repro.hpp"

#include <nlohmann/json.hpp>
#include <stdexcept>

namespace drydock::reports {
namespace {

using Json = nlohmann::json;

constexpr const char* kFormat = "drydock-repro-1";

Verdict verdict_named(const std::string& name) {
  for (const Verdict verdict : {Verdict::pass, Verdict::safety, Verdict::slo, Verdict::liveness,
                                Verdict::inconclusive, Verdict::harness}) {
    if (name == name_of(verdict)) return verdict;
  }
  throw std::runtime_error("there is no verdict '" + name + "'");
}

Json json_of(const ReproRun& run) {
  return {{"cell", run.cell},
          {"seed", run.seed},
          {"fingerprint", run.fingerprint},
          {"verdict", name_of(run.verdict)},
          {"note", run.note}};
}

// Without the "[json.exception.out_of_range.403] " in front.
std::string reason_of(const Json::exception& error) {
  const std::string what = error.what();
  const std::size_t bracket = what.find("] ");
  return bracket == std::string::npos ? what : what.substr(bracket + 2);
}

}  // namespace

std::optional<Repro> repro_of(const DrillResult& result, const std::string& effective_scenario,
                              bool perturb) {
  Repro repro{result.facts.version, effective_scenario, perturb, {}};
  for (const CellResult& cell : result.cells) {
    for (const RunResult& run : cell.runs) {
      if (run.verdict == Verdict::pass) continue;
      repro.runs.push_back({cell.id, run.seed, run.fingerprint, run.verdict, run.note});
      break;
    }
  }
  if (repro.runs.empty()) return std::nullopt;
  return repro;
}

std::string render_repro(const Repro& repro) {
  Json runs = Json::array();
  for (const ReproRun& run : repro.runs) runs.push_back(json_of(run));
  const Json whole = {{"format", kFormat},
                      {"drydock", repro.version},
                      {"perturb", repro.perturb},
                      {"runs", runs},
                      {"scenario", Json::parse(repro.scenario)}};
  return whole.dump(1, ' ', false, Json::error_handler_t::replace) + "\n";
}

Repro parse_repro(const std::string& text) {
  try {
    const Json json = Json::parse(text, nullptr, true, true);
    if (!json.is_object() || json.value("format", Json()) != kFormat) {
      throw std::runtime_error(std::string("no repro.json: its format is not ") + kFormat);
    }
    Repro repro;
    repro.version = json.at("drydock");
    repro.perturb = json.at("perturb");
    repro.scenario = json.at("scenario").dump(2) + "\n";
    for (const Json& run : json.at("runs")) {
      repro.runs.push_back({run.at("cell"), run.at("seed"), run.at("fingerprint"),
                            verdict_named(run.at("verdict")), run.at("note")});
    }
    return repro;
  } catch (const Json::exception& error) {
    throw std::runtime_error("no repro.json: " + reason_of(error));
  }
}

std::string compare(const ReproRun& recorded, const RunResult& again) {
  if (again.verdict == Verdict::pass) return "no longer fails";
  const std::string now = std::string(name_of(again.verdict)) + ": " + again.note;
  if (again.verdict != recorded.verdict || again.note != recorded.note) {
    return "another failure: " + now;
  }
  const bool equal = again.fingerprint == recorded.fingerprint;
  return (equal ? "the same failure, bit for bit: " : "the same failure, on another way: ") + now;
}

}  // namespace drydock::reports
