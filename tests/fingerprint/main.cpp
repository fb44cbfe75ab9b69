// drydock-fingerprint: one line `name fingerprint` per workload, with the figures of its report if
// it has one.
//
//   --jobs N   in N processes; the lines and their order stay the same
//   --verify   each workload twice, side by side: names the first event that differs (status 3)
//   --events   adds the number of events to each line
#include <sys/wait.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <iostream>
#include <string>
#include <vector>

#include "tests/fingerprint/crowd.hpp"
#include "tests/fingerprint/drill_runs.hpp"

namespace drydock::fingerprint {
namespace {

struct Workload {
  std::string name;
  std::function<std::unique_ptr<sim::Verifiable>()> make;
  // What else to compare, once the simulation is over.
  std::function<std::string(sim::Verifiable&)> summarize;
};

std::vector<Workload> workloads() {
  constexpr Duration kMail = Duration::ms(400);  // It is the busiest.
  std::vector<Workload> all;
  const auto add = [&all](const char* name, auto make, CrowdOptions options) {
    all.push_back({name, [make, options] { return make(options); }, {}});
  };
  add("mail-1", make_mail_crowd, {.seed = 1, .length = kMail});
  add("mail-2", make_mail_crowd, {.seed = 2, .length = kMail});
  add("mail-perturbed", make_mail_crowd, {.seed = 3, .perturb = true, .length = kMail});
  add("streams-1", make_stream_crowd, {.seed = 1});
  add("streams-perturbed", make_stream_crowd, {.seed = 2, .perturb = true});
  add("files-1", make_file_crowd, {.seed = 1});
  add("files-perturbed", make_file_crowd, {.seed = 2, .perturb = true});
  for (const DrillFile& file : kDrillFiles) {
    const auto drill = std::make_shared<const scenarios::Experiment>(load_drill(file));
    for (std::size_t cell = 0; cell < drill->cells.size(); ++cell) {
      for (std::uint64_t seed = 1; seed <= file.seeds; ++seed) {
        const std::string number = std::to_string(cell + 1) + "-" + std::to_string(seed);
        all.push_back({file.name + ("-" + number),
                       [drill, cell, seed] { return make_drill_run(*drill, cell, seed); },
                       summary_of});
      }
    }
  }
  return all;
}

struct Options {
  std::size_t jobs = 1;
  bool verify = false;
  bool events = false;
};

std::string run(const Workload& workload, const Options& options) {
  std::string line = workload.name;
  if (options.verify) {
    const std::optional<sim::Divergence> found = sim::verify(workload.make);
    return line + " " + (found ? found->describe() : std::string("equal"));
  }
  const std::unique_ptr<sim::Verifiable> simulation = workload.make();
  while (simulation->advance()) {
  }
  line += " " + simulation->kernel().fingerprint().digest().hex();
  if (workload.summarize) line += " " + workload.summarize(*simulation);
  if (options.events) line += " " + std::to_string(simulation->kernel().events());
  return line;
}

// Writes the lines of every `jobs`-th workload, each ended by a zero byte.
void work(std::size_t first, const std::vector<Workload>& all, const Options& options, int to) {
  for (std::size_t i = first; i < all.size(); i += options.jobs) {
    const std::string line = run(all[i], options);
    const char* next = line.c_str();
    for (std::size_t left = line.size() + 1; left > 0;) {
      const ssize_t written = write(to, next, left);
      if (written <= 0) std::_Exit(3);
      next += written;
      left -= static_cast<std::size_t>(written);
    }
  }
}

std::vector<std::string> read_lines(int from) {
  std::vector<std::string> lines(1);
  char buffer[4096];
  for (ssize_t got = 0; (got = read(from, buffer, sizeof buffer)) > 0;) {
    for (const char c : std::string_view(buffer, static_cast<std::size_t>(got))) {
      if (c == '\0') {
        lines.emplace_back();
      } else {
        lines.back() += c;
      }
    }
  }
  lines.pop_back();
  return lines;
}

std::vector<std::string> run_in_processes(const std::vector<Workload>& all,
                                          const Options& options) {
  std::vector<int> pipes;
  for (std::size_t job = 0; job < options.jobs; ++job) {
    int ends[2];
    if (pipe(ends) != 0) std::exit(3);
    const pid_t child = fork();
    if (child < 0) std::exit(3);
    if (child == 0) {
      close(ends[0]);
      work(job, all, options, ends[1]);
      std::_Exit(0);
    }
    close(ends[1]);
    pipes.push_back(ends[0]);
  }
  std::vector<std::string> lines(all.size());
  for (std::size_t job = 0; job < options.jobs; ++job) {
    const std::vector<std::string> part = read_lines(pipes[job]);
    for (std::size_t i = 0; i < part.size(); ++i) lines[job + i * options.jobs] = part[i];
  }
  for (std::size_t job = 0; job < options.jobs; ++job) {
    int status = 0;
    if (wait(&status) < 0 || status != 0) std::exit(3);
  }
  return lines;
}

int main_of(const Options& options) {
  const std::vector<Workload> all = workloads();
  std::vector<std::string> lines;
  if (options.jobs > 1) {
    lines = run_in_processes(all, options);
  } else {
    for (const Workload& workload : all) lines.push_back(run(workload, options));
  }
  bool differs = false;
  for (const std::string& line : lines) {
    std::cout << line << "\n";
    if (options.verify && !line.ends_with(" equal")) differs = true;
  }
  return differs ? 3 : 0;
}

}  // namespace
}  // namespace drydock::fingerprint

int main(int argc, char** argv) {
  drydock::fingerprint::Options options;
  for (int i = 1; i < argc; ++i) {
    const std::string argument = argv[i];
    if (argument == "--verify") {
      options.verify = true;
    } else if (argument == "--events") {
      options.events = true;
    } else if (argument == "--jobs" && i + 1 < argc && std::atoi(argv[i + 1]) > 0) {
      options.jobs = static_cast<std::size_t>(std::atoi(argv[++i]));
    } else {
      std::cerr << "usage: drydock-fingerprint [--jobs N] [--verify] [--events]\n";
      return 2;
    }
  }
  return drydock::fingerprint::main_of(options);
}
