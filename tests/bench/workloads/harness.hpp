// What every contestant's executable shares: its command line, the CPU stopwatch and the record.
//
//   PROGRAM --contestant NAME --workload NAME [--n N] [--messages M] [--virtual-seconds S]
//
// runs one workload once and prints one JSON record on stdout. The driver (tools/bench) repeats,
// alternates, compares. Exit status 2: the program does not know the contestant or the workload.
#pragma once

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <string>

namespace drydock::bench {

struct Options {
  std::string contestant;
  std::string workload;
  std::uint32_t n = 0;
  std::uint64_t messages = 600'000;
  std::int64_t virtual_s = 36'000;
};

inline Options parse_options(int argc, char** argv) {
  Options options;
  for (int i = 1; i + 1 < argc; i += 2) {
    const std::string name = argv[i];
    const char* value = argv[i + 1];
    if (name == "--contestant") options.contestant = value;
    if (name == "--workload") options.workload = value;
    if (name == "--n") options.n = static_cast<std::uint32_t>(std::strtoul(value, nullptr, 10));
    if (name == "--messages") options.messages = std::strtoull(value, nullptr, 10);
    if (name == "--virtual-seconds") options.virtual_s = std::strtoll(value, nullptr, 10);
  }
  return options;
}

// CPU time of the process, user and system.
inline double cpu_seconds() {
  timespec now{};
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) + static_cast<double>(now.tv_nsec) * 1e-9;
}

struct Record {
  double cpu_s = 0;    // The scored part: from the first event to the last.
  double setup_s = 0;  // CPU time before it: building nodes, arming what the load begins with.
  double virtual_s = 0;
  std::uint64_t messages = 0;
  std::uint64_t timeouts = 0;
  std::uint64_t elections = 0;
  std::uint64_t leaders = 0;
  std::uint64_t events = 0;    // Entries taken from the queue, stale ones included; 0: unknown.
  std::uint64_t checksum = 0;  // Of timers-only; 0 elsewhere.
  std::int64_t transfer_fast_ns = 0;  // Of bulk-link: instant of the last delivery.
  std::int64_t transfer_slow_ns = 0;
  std::int64_t sojourn_fast_ns = 0;  // Of bulk-link: mean of hand-over to delivery.
  std::int64_t sojourn_slow_ns = 0;
  std::string version;      // Of the peer.
  std::string fingerprint;  // Of the run, where the contestant has one.
};

// Measures a contestant's run: construct before setup, call started() before the first event and
// finish() after the last.
class Stopwatch {
 public:
  Stopwatch() : begun_(cpu_seconds()), started_(begun_) {}
  void started() { started_ = cpu_seconds(); }
  void finish(Record& record) const {
    record.cpu_s = cpu_seconds() - started_;
    record.setup_s = started_ - begun_;
  }

 private:
  double begun_;
  double started_;
};

// Of this program alone: ru_maxrss would also count the process that started it.
inline std::uint64_t peak_memory_kb() {
  unsigned long long kb = 0;
  std::FILE* status = std::fopen("/proc/self/status", "r");
  if (status == nullptr) return 0;
  char line[256];
  while (std::fgets(line, sizeof line, status) != nullptr) {
    if (std::sscanf(line, "VmHWM: %llu kB", &kb) == 1) break;
  }
  std::fclose(status);
  return kb;
}

inline void print_record(const Options& options, const Record& record) {
  std::printf("{\"workload\": \"%s\", \"contestant\": \"%s\", \"n\": %u, ",
              options.workload.c_str(), options.contestant.c_str(), options.n);
  std::printf("\"cpu_s\": %.6f, \"setup_s\": %.6f, \"virtual_s\": %.6f, ", record.cpu_s,
              record.setup_s, record.virtual_s);
  const auto count = [](const char* name, std::uint64_t value) {
    std::printf("\"%s\": %llu, ", name, static_cast<unsigned long long>(value));
  };
  count("messages", record.messages);
  count("timeouts", record.timeouts);
  count("elections", record.elections);
  count("leaders", record.leaders);
  count("events", record.events);
  count("checksum", record.checksum);
  count("transfer_fast_ns", static_cast<std::uint64_t>(record.transfer_fast_ns));
  count("transfer_slow_ns", static_cast<std::uint64_t>(record.transfer_slow_ns));
  count("sojourn_fast_ns", static_cast<std::uint64_t>(record.sojourn_fast_ns));
  count("sojourn_slow_ns", static_cast<std::uint64_t>(record.sojourn_slow_ns));
  count("max_rss_kb", peak_memory_kb());
  std::printf("\"version\": \"%s\", \"fingerprint\": \"%s\"}\n", record.version.c_str(),
              record.fingerprint.c_str());
}

inline int unknown_workload(const char* program, const Options& options) {
  std::fprintf(stderr, "%s: no workload '%s' for contestant '%s'\n", program,
               options.workload.c_str(), options.contestant.c_str());
  return 2;
}

}  // namespace drydock::bench
