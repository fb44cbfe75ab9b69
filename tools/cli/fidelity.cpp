// drydock fidelity: the simulated storage beside what was measured on a real kernel.
#include <unistd.h>

#include <cstdio>
#include <exception>
#include <nlohmann/json.hpp>
#include <set>

#include "engine/types/nearest_name.hpp"
#include "scenarios/drill/drill.hpp"
#include "tools/cli/commands.hpp"
#include "tools/cli/terminal.hpp"
#include "tools/fidelity/experiment.hpp"

namespace drydock::cli {
namespace {

using fidelity::Experiment;
using fidelity::Row;
using scenarios::InputError;

// So many of the 24 have to be inside: Linux I/O model, section 11, has no more than noise to
// spare.
constexpr std::size_t kMissesMax = 2;

struct Outcome {
  const Experiment* experiment;
  std::vector<Row> rows;
  bool inside = false;
  bool inside_by_words = false;
};

bool known(const std::string& id) {
  for (const Experiment& experiment : fidelity::experiments()) {
    if (experiment.id == id) return true;
  }
  return false;
}

// "A7,A9": some of the experiments. Nothing: all of them.
std::vector<const Experiment*> chosen(const std::optional<std::string>& only) {
  std::set<std::string> ids;
  std::string rest = only.value_or("");
  while (only) {
    const std::size_t comma = rest.find(',');
    const std::string id = rest.substr(0, comma);
    if (!known(id)) {
      throw InputError("--only: there is no experiment '" + printable(id) +
                       "'; known here: A1 to A" + std::to_string(fidelity::experiments().size()));
    }
    if (!ids.insert(id).second) throw InputError("--only: names " + id + " twice");
    if (comma == std::string::npos) break;
    rest.erase(0, comma + 1);
  }
  std::vector<const Experiment*> found;
  for (const Experiment& experiment : fidelity::experiments()) {
    if (!only || ids.contains(std::string(experiment.id))) found.push_back(&experiment);
  }
  return found;
}

// One line that is written over on a terminal, a line for each otherwise.
void show_progress(const Experiment& experiment, std::size_t number, std::size_t all) {
  const bool terminal = ::isatty(STDERR_FILENO) == 1;
  std::fprintf(stderr, "%s%s, %zu of %zu%s", terminal ? "\r\033[K" : "",
               std::string(experiment.id).c_str(), number, all, terminal ? "" : "\n");
  if (terminal && number == all) std::fprintf(stderr, "\r\033[K");
}

void print(const Outcome& outcome) {
  std::printf("%-4s %-4s %s\n", std::string(outcome.experiment->id).c_str(),
              outcome.inside ? "yes" : "NO", std::string(outcome.experiment->title).c_str());
  for (const Row& row : outcome.rows) {
    const char* const by_words = !row.inside_by_words   ? ""
                                 : *row.inside_by_words ? "; re-read from the records; yes by words"
                                                        : "; re-read from the records; NO by words";
    std::printf("     %-4s %-52s %14s %14s  %s%s\n", row.inside ? "yes" : "NO",
                printable(row.statistic).c_str(), fidelity::text_of(row.model, row.unit).c_str(),
                printable(fidelity::text_of(row.measured, row.unit)).c_str(), row.tolerance.c_str(),
                by_words);
  }
}

nlohmann::ordered_json json_of(const fidelity::Value& value) {
  if (const double* const number = std::get_if<double>(&value)) return *number;
  if (const std::string* const words = std::get_if<std::string>(&value)) return *words;
  return nullptr;
}

nlohmann::ordered_json json_of(const std::vector<Outcome>& outcomes, std::size_t inside,
                               std::size_t inside_by_words) {
  nlohmann::ordered_json experiments = nlohmann::ordered_json::array();
  for (const Outcome& outcome : outcomes) {
    nlohmann::ordered_json rows = nlohmann::ordered_json::array();
    for (const Row& row : outcome.rows) {
      nlohmann::ordered_json by_words;
      if (row.inside_by_words) by_words = *row.inside_by_words;
      rows.push_back({{"statistic", row.statistic},
                      {"unit", row.unit},
                      {"model", json_of(row.model)},
                      {"measured", json_of(row.measured)},
                      {"tolerance", row.tolerance},
                      {"inside", row.inside},
                      {"re_read", row.inside_by_words.has_value()},
                      {"inside_by_words", std::move(by_words)}});
    }
    experiments.push_back({{"id", std::string(outcome.experiment->id)},
                           {"title", std::string(outcome.experiment->title)},
                           {"inside", outcome.inside},
                           {"inside_by_words", outcome.inside_by_words},
                           {"rows", std::move(rows)}});
  }
  return {{"version", kVersion},
          {"inside", inside},
          {"inside_by_words", inside_by_words},
          {"of", outcomes.size()},
          {"experiments", std::move(experiments)}};
}

void write_json(const std::string& path, const nlohmann::ordered_json& json) {
  const std::string text = json.dump(2) + "\n";
  std::FILE* const file = std::fopen(path.c_str(), "wb");
  if (file == nullptr) throw InputError("--json: " + path + ": cannot be written");
  const bool written = std::fwrite(text.data(), 1, text.size(), file) == text.size();
  const bool closed = std::fclose(file) == 0;
  if (!written || !closed) throw InputError("--json: " + path + ": cannot be written");
}

}  // namespace

int fidelity(const FidelityOptions& options) {
  const std::vector<const Experiment*> experiments = chosen(options.only);
  const fidelity::CalibrationData measured(options.data);
  const auto refuse_vain_data = [&options] {
    throw InputError("--data has no effect: " + printable(*options.data) +
                     " holds no file of the name of a measurement that these experiments read");
  };
  if (options.data && !measured.replaced()) refuse_vain_data();
  std::vector<Outcome> outcomes;
  std::size_t inside = 0;
  std::size_t inside_by_words = 0;
  for (const Experiment* const experiment : experiments) {
    show_progress(*experiment, outcomes.size() + 1, experiments.size());
    Outcome outcome{.experiment = experiment, .rows = experiment->run(measured)};
    outcome.inside = fidelity::inside(outcome.rows);
    outcome.inside_by_words = fidelity::inside_by_words(outcome.rows);
    if (outcome.inside) ++inside;
    if (outcome.inside_by_words) ++inside_by_words;
    outcomes.push_back(std::move(outcome));
  }
  // Only some of the experiments may have been chosen.
  if (options.data && !measured.replacement_read()) refuse_vain_data();
  std::printf("%-9s %-52s %14s %14s  %s\n", "inside?", "", "model", "measured", "tolerance");
  for (const Outcome& outcome : outcomes) print(outcome);
  std::printf("%zu of %zu inside\n", inside, outcomes.size());
  std::printf("%zu of %zu by the words of section 11, without records that were re-read\n",
              inside_by_words, outcomes.size());
  if (options.json) write_json(*options.json, json_of(outcomes, inside, inside_by_words));
  const std::size_t misses = outcomes.size() - inside;
  // Of some of them, all have to be.
  return misses <= (options.only ? 0 : kMissesMax) ? 0 : kDamageFound;
}

}  // namespace drydock::cli
