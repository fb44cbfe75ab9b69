// The small parts of a simulated process's context.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "engine/runtime/context.hpp"
#include "sim/host/cores.hpp"
#include "sim/kernel/kernel.hpp"

namespace drydock::sim {

// Streams named "<process>/<name>" of the run's seed.
class SimRandom : public Random {
 public:
  SimRandom(const Kernel& kernel, std::string process)
      : kernel_(kernel), process_(std::move(process)) {}
  RandomStream stream(std::string_view name) override {
    return kernel_.stream(process_ + "/" + std::string(name));
  }

 private:
  const Kernel& kernel_;
  std::string process_;
};

class SimWorker : public Worker {
 public:
  SimWorker(WorkerId id, std::string name) : Worker(id, std::move(name)) {}
};

class SimWorkers : public Workers {
 public:
  explicit SimWorkers(std::uint32_t process_id) : process_id_(process_id) {}
  Worker& add(std::string name) override {
    const auto index = static_cast<std::uint32_t>(workers_.size());
    workers_.push_back(std::make_unique<SimWorker>(
        WorkerId((std::uint64_t{process_id_} << 32) | index), std::move(name)));
    return *workers_.back();
  }
  const std::vector<std::unique_ptr<SimWorker>>& all() const { return workers_; }
  // Nobody comes back from where he is stuck: the process is gone.
  void end_waits(MonotonicTime now) {
    for (const auto& worker : workers_) worker->set_wait(WaitPlace::none, now);
  }

 private:
  std::uint32_t process_id_;
  std::vector<std::unique_ptr<SimWorker>> workers_;
};

// Crash points and buggify sites of one process, armed by a plan.
class SimChaos : public Chaos {
 public:
  explicit SimChaos(Random& random) : random_(random) {}

  // Calls `action` at the `occurrence`-th time (from 1, counted from this call) that the process
  // reaches `point`. The action posts what it wants (a kill, a power loss) as an urgent event; if
  // the process survives that, its coroutine goes on behind it.
  void arm(CrashPoint point, std::uint64_t occurrence, std::function<void()> action);

  // From now on `fire(site)` is true `numerator` times in `denominator`.
  void enable(BuggifySite site, std::uint32_t numerator, std::uint32_t denominator);

 protected:
  void reached(CrashPoint point, Waiter& waiter) override;
  bool decide(BuggifySite site) override;

 private:
  struct Armed {
    CrashPoint point;
    std::uint64_t remaining;
    std::function<void()> action;
  };
  struct Enabled {
    BuggifySite site;
    std::uint32_t numerator;
    std::uint32_t denominator;
    RandomStream stream;
  };
  Random& random_;
  std::vector<Armed> points_;
  std::vector<Enabled> sites_;
};

// Sends a process's events to the kernel and its log lines to the host's log.
class SimObserver : public Observer {
 public:
  using LogSink = std::function<void(LogLevel level, const std::string& line)>;
  SimObserver(Kernel& kernel, std::uint32_t process_id, LogSink sink)
      : kernel_(kernel), process_id_(process_id), sink_(std::move(sink)) {}
  using Observer::event;
  void event(EventName name, std::int64_t a, std::int64_t b) override {
    kernel_.engine_event(process_id_, name, a, b);
  }
  void log(LogLevel level, std::string line) override {
    if (sink_) sink_(level, line);
  }

 private:
  Kernel& kernel_;
  std::uint32_t process_id_;
  LogSink sink_;
};

// CPU time of one process: waits for a core of the host, then for the time to pass.
class SimCompute : public Compute {
 public:
  SimCompute(Cores& cores, Clock& clock, std::uint32_t process_id, bool priced)
      : share_(cores, clock, process_id), priced_(priced) {}
  Task<Result<void>> charge(Worker& worker, Duration cpu) override;
  bool priced() const override { return priced_; }
  Cores::Share& share() { return share_; }

 private:
  Cores::Share share_;
  bool priced_;
};

}  // namespace drydock::sim
