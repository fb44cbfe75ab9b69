// A kernel with hosts whose processes have no network and no files: enough to test tasks, scopes,
// waits, clocks and kills.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "engine/types/memory_pool.hpp"
#include "sim/host/host.hpp"
#include "tests/support/no_services.hpp"

namespace drydock::test {

// An event that calls a function: the hand of the test inside the run.
class Call : public Wakeup {
 public:
  explicit Call(std::function<void()> action, EventKind kind = EventKind::user,
                std::uint32_t subject = 0)
      : Wakeup(&Call::on_run, kind, subject), action_(std::move(action)) {}

 private:
  static void on_run(Wakeup& wakeup) { static_cast<Call&>(wakeup).action_(); }
  std::function<void()> action_;
};

class World {
 public:
  explicit World(sim::KernelOptions options = {.seed = 1}) : kernel(options) {}

  sim::Kernel kernel;

  sim::Host& add_host(sim::HostOptions options = {}) {
    const auto number = static_cast<std::uint32_t>(hosts_.size());
    if (options.name.empty()) options.name = "h" + std::to_string(number);
    hosts_.push_back(std::make_unique<sim::Host>(kernel, HostId(number), std::move(options)));
    return *hosts_.back();
  }
  // The n-th host; the first one is made when it is asked for.
  sim::Host& host(std::size_t index = 0) {
    if (hosts_.empty()) add_host();
    return *hosts_.at(index);
  }

  // A process of the host that runs `program`. It starts with the next event.
  sim::SimProcess& start(sim::Host& on, sim::Program program, std::string name = "p") {
    sim::SimProcess& process = on.spawn(std::move(name));
    process.attach(std::make_unique<NoNetwork>(), std::make_unique<NoFiles>());
    process.start(std::move(program));
    return process;
  }
  sim::SimProcess& start(sim::Program program, std::string name = "p") {
    return start(host(), std::move(program), std::move(name));
  }

  // Calls `action` as an event at a virtual time, behind what is queued for that time already.
  void at(Duration time, std::function<void()> action) {
    calls_.push_back(std::make_unique<Call>(std::move(action)));
    kernel.at(*calls_.back(), time.count_ns());
  }

  void run_to(Duration time) { kernel.run_until(time.count_ns()); }
  void run() { kernel.run_until_idle(Duration::s(1'000'000).count_ns()); }
  Duration now() const { return Duration::ns(kernel.now()); }

 private:
  std::vector<std::unique_ptr<sim::Host>> hosts_;
  std::vector<std::unique_ptr<Call>> calls_;
};

// Counts its living instances, and notes in which order they went.
class Probe {
 public:
  Probe(std::vector<std::string>& gone, std::string name) : gone_(&gone), name_(std::move(name)) {}
  Probe(Probe&& other) noexcept
      : gone_(std::exchange(other.gone_, nullptr)), name_(std::move(other.name_)) {}
  Probe& operator=(Probe&&) = delete;
  ~Probe() {
    if (gone_ != nullptr) gone_->push_back(name_);
  }

 private:
  std::vector<std::string>* gone_;
  std::string name_;
};

}  // namespace drydock::test
