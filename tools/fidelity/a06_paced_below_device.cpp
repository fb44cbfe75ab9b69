// A6: 40 MB/s on a disk of 52.4 MB/s: the flusher keeps D near the background limit, so the writer
// is never throttled. It waits once, for the periodic commit of the journal.
#include "tools/fidelity/all.hpp"
#include "tools/fidelity/throttled_run.hpp"

namespace drydock::fidelity {
namespace {

// The longest stall that begins with the commit, and the longest of the others.
struct Split {
  Stall commit;
  Stall other;
};
Split split(const std::vector<Stall>& stalls) {
  std::vector<Stall> at_commit;
  std::vector<Stall> others;
  for (const Stall& stall : stalls) {
    const bool commit = stall.at >= Duration::ms(4'900) && stall.at < Duration::ms(5'200);
    (commit ? at_commit : others).push_back(stall);
  }
  return {longest(at_commit), longest(others)};
}

}  // namespace

std::vector<Row> paced_below_device(const CalibrationData& measured) {
  const ThrottledResult model = run_throttled({.background_bytes = 32 * kMiB,
                                               .dirty_bytes = 64 * kMiB,
                                               .bytes_per_s = {40'000'000},
                                               .length = Duration::s(7),
                                               // What the log of the commit waits behind.
                                               .queue_bytes = 6 * kMiB,
                                               .commit_interval = Duration::s(5)});
  const WriterResult& writer = model.writers.front();
  const Split stalls = split(writer.stalls);
  const Split real = split(measured_stalls(measured, "p4k_32_64_40"));
  return {
      same("sleeps of the throttle", std::to_string(writer.throttle_sleeps), "0"),
      at_most({"longest stall but for the commit", "ms", ms(stalls.other.length),
               ms(real.other.length)},
              10),
      in_range({"wait for the commit", "ms", ms(writer.journal.longest), ms(real.commit.length)},
               10, 100),
      same("longest stall is at the commit",
           stalls.commit.length > stalls.other.length ? "yes" : "no", "yes"),
  };
}

}  // namespace drydock::fidelity
