// The small parts of a process's context on Linux.
#pragma once

#include <array>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "engine/linux/lane.hpp"
#include "engine/runtime/context.hpp"

namespace drydock::on_linux {

using LogSink = std::function<void(std::string_view process, LogLevel level, const std::string&)>;
using EventSink =
    std::function<void(std::string_view process, EventName name, std::int64_t a, std::int64_t b)>;

// Streams named "<process>/<name>" of the world's seed.
class LinuxRandom : public Random {
 public:
  LinuxRandom(std::uint64_t seed, std::string process)
      : seed_(seed), process_(std::move(process)) {}
  RandomStream stream(std::string_view name) override {
    return RandomStream(seed_, process_ + "/" + std::string(name));
  }

 private:
  std::uint64_t seed_;
  std::string process_;
};

// A worker and the thread on which its blocking calls run. Its wait place says what its call in
// flight may be waiting for; where the thread really is, the kernel alone knows.
class LinuxWorker : public Worker {
 public:
  LinuxWorker(WorkerId id, std::string name, Mailbox& mailbox, const Clock& clock)
      : Worker(id, std::move(name)), clock_(clock), lane_(mailbox, this->name()) {}
  Lane& lane() { return lane_; }
  void begin_wait(WaitPlace place) { set_wait(place, clock_.now()); }
  void end_wait() { set_wait(WaitPlace::none, clock_.now()); }

 private:
  const Clock& clock_;
  Lane lane_;
};

class LinuxWorkers : public Workers {
 public:
  LinuxWorkers(ProcessId process, Mailbox& mailbox, const Clock& clock)
      : process_(process), mailbox_(mailbox), clock_(clock) {}
  Worker& add(std::string name) override;
  // Their threads end when their last operation has.
  void close_lanes();

 private:
  ProcessId process_;
  Mailbox& mailbox_;
  const Clock& clock_;
  std::vector<std::unique_ptr<LinuxWorker>> workers_;
};

// Nothing is ever armed.
class InertChaos : public Chaos {
 protected:
  void reached(CrashPoint, Waiter& waiter) override { waiter.complete(); }
  bool decide(BuggifySite) override { return false; }
};

// The real work was done already, on the thread that runs the engine.
class LinuxCompute : public Compute {
 public:
  Task<Result<void>> charge(Worker& worker, Duration cpu) override;
  bool priced() const override { return false; }
};

// Counts events, passes them and log lines on.
class LinuxObserver : public Observer {
 public:
  LinuxObserver(std::string process, const LogSink& log_sink, const EventSink& event_sink)
      : process_(std::move(process)), log_sink_(log_sink), event_sink_(event_sink) {}
  using Observer::event;
  void event(EventName name, std::int64_t a, std::int64_t b) override;
  void log(LogLevel level, std::string line) override { log_sink_(process_, level, line); }
  // How often `name` has happened in this process.
  std::uint64_t count(EventName name) const { return counts_[static_cast<std::size_t>(name)]; }

 private:
  std::string process_;
  const LogSink& log_sink_;
  const EventSink& event_sink_;
  std::array<std::uint64_t, static_cast<std::size_t>(EventName::count_)> counts_{};
};

// The log sink that is used if there is no other: lines of text on the standard error stream.
LogSink standard_error_log();
// 64 bits of the operating system's randomness. Source: getrandom(2).
std::uint64_t draw_seed();

}  // namespace drydock::on_linux
