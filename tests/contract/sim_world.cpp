// The simulated world behind the face of the contracts: hosts with a local disk each, on one
// network.
#include <vector>

#include "sim/fs/host_files.hpp"
#include "sim/host/processes.hpp"
#include "sim/net/network.hpp"
#include "tests/contract/world.hpp"

namespace drydock::contract {
namespace {

constexpr const char* kEndsAtOnce = "ends-at-once";
constexpr const char* kNeverEnds = "never-ends";

class SimGuest final : public Guest {
 public:
  SimGuest(sim::SimProcess& process, sim::SimProcesses::Launch launch)
      : process_(process), processes_(process.host(), std::move(launch), Duration::ms(5)) {}

  ProcessState& state() override { return process_; }
  void kill() override { process_.kill(); }
  void terminate() override { process_.terminate(); }
  bool exited_by_itself() const override { return process_.end() == sim::ProcessEnd::exited; }
  Processes& processes() override { return processes_; }

 private:
  sim::SimProcess& process_;
  sim::SimProcesses processes_;
};

class SimWorld final : public World {
 public:
  SimWorld() : kernel_({.seed = 1}), network_(kernel_) {}
  ~SimWorld() override {
    for (const auto& machine : machines_) machine->host.lose_power();
    for (std::size_t i = 0; i < machines_.size(); ++i) kernel_.step(kernel_.now());
  }

  std::string_view name() const override { return "simulation"; }

  Guest& start(int host, std::string name, Program program) override {
    Machine& on = machine(host);
    sim::SimProcess& process = spawn(on, std::move(name));
    on.guests.push_back(std::make_unique<SimGuest>(
        process, [this](sim::Host&, const ProcessSpec& spec) { return launch(spec); }));
    process.start(std::move(program));
    return *on.guests.back();
  }
  std::uint32_t address(int host) const override {
    return 0x0a000001 + static_cast<std::uint32_t>(host);
  }
  bool run_until(const std::function<bool()>& condition) override {
    return kernel_.run_while_not(condition, kernel_.now() + Duration::s(1'000).count_ns());
  }
  bool power_cut(int host) override {
    machine(host).host.lose_power();
    machine(host).host.restore_power();
    kernel_.run_until(kernel_.now() + Duration::s(1).count_ns());
    return true;
  }
  ProcessSpec ends_at_once() const override { return {kEndsAtOnce, {}}; }
  ProcessSpec never_ends() const override { return {kNeverEnds, {}}; }

 private:
  struct Machine {
    Machine(SimWorld& world, std::uint32_t number)
        : disk(world.kernel_, DiskId(number), disk_options(number)),
          host(world.kernel_, HostId(number), host_options(world, number)),
          files(world.kernel_, host, disk, sim::FileSystemOptions{}) {
      world.network_.add_host(host);
    }
    static sim::DiskOptions disk_options(std::uint32_t number) {
      sim::DiskOptions options;
      options.name = "d" + std::to_string(number);
      options.capacity_bytes = 1 << 30;
      return options;
    }
    static sim::HostOptions host_options(const SimWorld& world, std::uint32_t number) {
      sim::HostOptions options;
      options.name = "h" + std::to_string(number);
      options.address = world.address(static_cast<int>(number));
      options.wall_offset_ns = 1'700'000'000'000'000'000;
      return options;
    }
    sim::SimDisk disk;
    sim::Host host;
    sim::HostFiles files;
    std::vector<std::unique_ptr<SimGuest>> guests;
  };

  Machine& machine(int host) {
    while (machines_.size() <= static_cast<std::size_t>(host)) {
      const auto number = static_cast<std::uint32_t>(machines_.size());
      machines_.push_back(std::make_unique<Machine>(*this, number));
    }
    return *machines_[static_cast<std::size_t>(host)];
  }
  sim::SimProcess& spawn(Machine& on, std::string name) {
    sim::SimProcess& process = on.host.spawn(std::move(name));
    process.attach(network_.attach(on.host, process), on.files.attach(process));
    return process;
  }
  // What a supervisor of host 0 can start.
  Result<ProcessId> launch(const ProcessSpec& spec) {
    if (spec.program != kEndsAtOnce && spec.program != kNeverEnds) return ErrorCode::not_found;
    sim::SimProcess& process = spawn(machine(0), spec.program);
    if (spec.program == kEndsAtOnce) {
      process.start([](Context&) -> Task<void> { co_return; });
    } else {
      process.start([](Context& context) -> Task<void> {
        Result<void> told = co_await context.terminate.wait();
        ENSURE(told.has_value());
      });
    }
    return process.id();
  }

  sim::Kernel kernel_;
  sim::SimNetwork network_;
  std::vector<std::unique_ptr<Machine>> machines_;
};

}  // namespace

std::unique_ptr<World> Simulation::make() { return std::make_unique<SimWorld>(); }

}  // namespace drydock::contract
