#include "tools/fidelity/storage_world.hpp"

namespace drydock::fidelity {

class StorageWorld::Call : public Wakeup {
 public:
  explicit Call(std::function<void()> action)
      : Wakeup(&Call::on_run, EventKind::user, 0), action_(std::move(action)) {}

 private:
  static void on_run(Wakeup& wakeup) { static_cast<Call&>(wakeup).action_(); }
  std::function<void()> action_;
};

StorageWorld::StorageWorld(StorageOptions options)
    : kernel_({.seed = options.seed}),
      disk_(kernel_, DiskId(1),
            {.name = "disk",
             .capacity_bytes = options.disk_bytes,
             .profile = std::move(options.disk),
             .queue = {.throttle = options.throttle}}),
      host_(kernel_, HostId(1), {.name = "host", .memory = options.memory}),
      network_(kernel_),
      files_(kernel_, host_, disk_, options.files) {
  network_.add_host(host_);
}

StorageWorld::~StorageWorld() {
  // Frames go while everything that they refer to is still there.
  host_.lose_power();
  kernel_.step(kernel_.now());
}

sim::SimProcess& StorageWorld::start(std::string name, sim::Program program) {
  sim::SimProcess& process = host_.spawn(std::move(name));
  process.attach(network_.attach(host_, process), files_.attach(process));
  process.start(std::move(program));
  return process;
}

void StorageWorld::at(Duration time, std::function<void()> action) {
  calls_.push_back(std::make_unique<Call>(std::move(action)));
  kernel_.at(*calls_.back(), time.count_ns());
}

void StorageWorld::every(Duration period, Duration first, Duration last,
                         const std::function<void()>& action) {
  for (Duration time = first; time <= last; time += period) at(time, action);
}

}  // namespace drydock::fidelity
