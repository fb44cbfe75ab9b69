// Worker processes: each takes a number, does the work for it, and answers with a text.
#pragma once

#include <sys/types.h>

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "engine/types/time.hpp"

namespace drydock::cli {

// The answer to one number: the text, or how the worker ended without giving one.
struct Answer {
  bool crashed = false;
  std::string text;
};

// Workers are forked from this process, so they know everything that it knew, and live until the
// work is done. A crash costs the number that the worker had; another worker takes its place. So
// does work that never ends: its worker is killed if it takes more than `limit` of real time, which
// is looked at about once a second.
class WorkerPool {
 public:
  // Work on a number that has several parts says so when the next ones begin, `count` of them side
  // by side: they have `count` times `limit` from then on.
  using NextParts = std::function<void(int count)>;
  using Work = std::function<std::string(std::uint64_t number, const NextParts& next)>;
  using Done = std::function<void(std::uint64_t number, const Answer& answer)>;

  // `jobs` >= 1. `work` runs in the workers, `done` here.
  WorkerPool(int jobs, Duration limit, Work work)
      : jobs_(static_cast<std::size_t>(jobs)), limit_(limit), work_(std::move(work)) {}
  ~WorkerPool() { stop(); }
  WorkerPool(const WorkerPool&) = delete;
  WorkerPool& operator=(const WorkerPool&) = delete;

  // Has the numbers 0 to count - 1 worked off; answers come in any order. False if the user
  // interrupted (SIGINT, SIGTERM); the workers are gone then.
  bool run(std::uint64_t count, const Done& done);

 private:
  struct Worker {
    pid_t pid = -1;
    int to = -1;    // We write numbers.
    int from = -1;  // We read answers.
    bool busy = false;
    bool out_of_time = false;  // It has been killed for that.
    std::uint64_t number = 0;
    std::uint64_t parts = 1;                      // Side by side,
    std::chrono::steady_clock::time_point since;  // this time.
  };

  Worker start();
  [[noreturn]] void serve(int in, int out);
  void give(Worker& worker);
  // Reads what a worker says: the answer, or that further parts begin (none then). If it ended
  // without an answer, finds out how. One that has ended is replaced.
  std::optional<Answer> take(Worker& worker);
  void replace(Worker& worker);
  // Kills workers whose time is up; how they ended is found out as for a crash.
  void end_stuck_workers();
  std::string bury(Worker& worker);
  void stop();

  std::size_t jobs_;
  Duration limit_;
  Work work_;
  std::uint64_t next_ = 0;
  std::uint64_t count_ = 0;
  std::vector<Worker> workers_;
};

}  // namespace drydock::cli
