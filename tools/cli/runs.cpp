#include "tools/cli/runs.hpp"

#include <algorithm>
#include <cstdio>
#include <thread>

#include "reports/expect/expect.hpp"
#include "reports/render/json.hpp"
#include "scenarios/drill/units.hpp"

namespace drydock::cli {
namespace {

// A simulator that is slower than what it simulates hangs; so does one that takes this time for
// less.
constexpr Duration kLimit = Duration::s(600);

}  // namespace

int default_jobs() {
  return std::clamp(static_cast<int>(std::thread::hardware_concurrency()), 1, kJobsMax);
}

Duration limit_of(const std::optional<std::string>& limit, const scenarios::Phases& phases) {
  if (limit) {
    const auto given = scenarios::parse_duration(*limit);
    if (given && *given >= Duration::ms(1) && *given <= scenarios::kDurationMax) return *given;
    throw scenarios::InputError("--limit: must be 1 ms to " +
                                scenarios::text_of(scenarios::kDurationMax) + ", " +
                                scenarios::kDurationForm);
  }
  const Duration longest = std::max(kLimit, phases.at_most());
  if (longest > kLimit) {
    std::fprintf(
        stderr,
        "drydock: the phases may take %s of virtual time, so a run may take as long of real "
        "time; --limit sets another limit\n",
        scenarios::text_of(longest).c_str());
  }
  return longest;
}

reports::RunResult run_of(const Answer& answer, std::uint64_t seed) {
  if (!answer.crashed) return reports::run_from_json(answer.text);
  reports::RunResult run;
  run.seed = seed;
  reports::give_up(run, answer.text);
  return run;
}

}  // namespace drydock::cli
