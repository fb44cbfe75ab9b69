#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <fstream>

#include "reports/expect/expect.hpp"
#include "reports/render/evidence.hpp"
#include "reports/render/json.hpp"
#include "reports/render/junit.hpp"
#include "reports/render/markdown.hpp"
#include "reports/render/repro.hpp"
#include "reports/render/text.hpp"
#include "scenarios/drill/cells.hpp"
#include "scenarios/drill/units.hpp"
#include "scenarios/world_sim/runner.hpp"
#include "tools/cli/commands.hpp"
#include "tools/cli/experiment.hpp"
#include "tools/cli/progress.hpp"
#include "tools/cli/runs.hpp"
#include "tools/cli/terminal.hpp"
#include "tools/cli/worker_pool.hpp"

namespace drydock::cli {
namespace {

using scenarios::InputError;

// Of --out.
constexpr const char* kResultFile = "result.json";
constexpr const char* kJunitFile = "junit.xml";
constexpr const char* kSummaryFile = "summary.md";
constexpr const char* kReproFile = "repro.json";

void write_file(const std::filesystem::path& path, const std::string& text) {
  std::ofstream file(path, std::ios::binary);
  file << text;
  file.close();
  if (!file) throw InputError(path.string() + ": cannot be written");
}

int jobs_of(const RunOptions& options) {
  if (!options.jobs) return default_jobs();
  if (*options.jobs < 1 || *options.jobs > kJobsMax) {
    throw InputError("--jobs: must be 1 to " + std::to_string(kJobsMax));
  }
  return *options.jobs;
}

// Runs are numbered seed by seed, so that a cell's runs come in order whatever finishes first.
class Invocation {
 public:
  Invocation(const scenarios::Experiment& experiment, scenarios::SeedRange seeds,
             scenarios::Verification verification)
      : experiment_(experiment), seeds_(seeds), verification_(verification) {
    for (const scenarios::Cell& cell : experiment.cells) {
      reports::CellResult result;
      result.id = cell.id;
      result.changes = cell.changes;
      result.runs.resize(seeds.count());
      cells_.push_back(std::move(result));
    }
  }

  std::uint64_t count() const { return seeds_.count() * experiment_.cells.size(); }

  // In a worker.
  std::string work(std::uint64_t number, const WorkerPool::NextParts& next) const {
    const scenarios::Cell& cell = experiment_.cells[cell_of(number)];
    return reports::run_to_json(
        scenarios::run_one(experiment_, cell, seed_of(number), verification_, next));
  }

  // Here.
  void take(std::uint64_t number, const Answer& answer) {
    reports::RunResult run = run_of(answer, seed_of(number));
    cells_[cell_of(number)].runs[number / experiment_.cells.size()] = std::move(run);
  }

  reports::DrillResult result() {
    for (std::size_t i = 0; i < cells_.size(); ++i) {
      reports::judge_cell(cells_[i], experiment_.cells[i].expectations);
    }
    return {experiment_.facts, std::move(cells_)};
  }

 private:
  std::size_t cell_of(std::uint64_t number) const { return number % experiment_.cells.size(); }
  std::uint64_t seed_of(std::uint64_t number) const {
    return seeds_.first + number / experiment_.cells.size();
  }

  const scenarios::Experiment& experiment_;
  scenarios::SeedRange seeds_;
  scenarios::Verification verification_;
  std::vector<reports::CellResult> cells_;
};

// A file of an earlier invocation must not be taken for one of this.
void write_repro(const std::filesystem::path& path, const reports::DrillResult& result,
                 const scenarios::Experiment& experiment) {
  const auto repro = reports::repro_of(result, experiment.effective, experiment.perturb);
  std::error_code ignored;
  if (!repro) {
    std::filesystem::remove(path, ignored);
  } else {
    write_file(path, reports::render_repro(*repro));
  }
}

void make_directory(const std::string& path) {
  if (path.empty()) throw InputError("--out: names no directory");
  std::error_code error;
  std::filesystem::create_directories(path, error);
  if (error) throw InputError("--out: " + path + ": " + error.message());
}

// Before hours of runs. A file that is there keeps its content until then.
void check_writable(const std::string& option, const std::filesystem::path& file) {
  std::error_code unknown;
  if (std::filesystem::is_directory(file, unknown)) {
    throw InputError(option + ": " + file.string() + ": is a directory");
  }
  const bool was_there = std::filesystem::exists(file, unknown);
  if (!std::ofstream(file, std::ios::binary | std::ios::app)) {
    throw InputError(option + ": " + file.string() + ": cannot be written");
  }
  if (!was_there) std::filesystem::remove(file, unknown);
}

void check_files(const RunOptions& options) {
  if (options.out) {
    make_directory(*options.out);
    for (const char* name : {kResultFile, kJunitFile, kSummaryFile, kReproFile}) {
      check_writable("--out", std::filesystem::path(*options.out) / name);
    }
  }
  if (!options.junit) return;
  if (options.junit->empty()) throw InputError("--junit: names no file");
  check_writable("--junit", *options.junit);
}

}  // namespace

int run(const RunOptions& options) {
  const int jobs = jobs_of(options);
  scenarios::Experiment experiment = experiment_of(options.experiment);
  experiment.perturb = options.perturb;
  experiment.evidence = options.evidence;
  if (options.perturb) experiment.facts.replay += " --perturb";
  if (options.verify) experiment.facts.replay += " --verify";
  const scenarios::SeedRange seeds = options.seeds
                                         ? scenarios::parse_seed_range(*options.seeds, "--seed")
                                         : experiment.drill.seeds;
  const Duration limit = limit_of(options.limit, experiment.drill.phases);
  check_files(options);

  Invocation invocation(
      experiment, seeds,
      options.verify ? scenarios::Verification::side_by_side : scenarios::Verification::none);
  WorkerPool pool(jobs, limit, [&](std::uint64_t number, const WorkerPool::NextParts& next) {
    return invocation.work(number, next);
  });
  {
    Progress progress(invocation.count());
    const bool finished =
        pool.run(invocation.count(), [&](std::uint64_t number, const Answer& answer) {
          invocation.take(number, answer);
          progress.step();
        });
    if (!finished) return kInterrupted;
  }
  const reports::DrillResult result = invocation.result();
  std::string text = reports::render_text(result, terminal_width());
  if (options.evidence) text += reports::render_evidence(result);
  std::fwrite(text.data(), 1, text.size(), stdout);
  if (options.out) {
    const std::filesystem::path out(*options.out);
    write_file(out / kResultFile, reports::render_json(result));
    write_file(out / kJunitFile, reports::render_junit(result));
    write_file(out / kSummaryFile, reports::render_markdown(result));
    write_repro(out / kReproFile, result, experiment);
  }
  if (options.junit) write_file(*options.junit, reports::render_junit(result));
  return reports::exit_status(result.cells);
}

}  // namespace drydock::cli
