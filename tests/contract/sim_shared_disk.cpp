// The simulated disk that the contracts of block devices and reservations share.
#include "sim/disk/sim_block_device.hpp"
#include "sim/disk/sim_reservations.hpp"
#include "tests/contract/shared_disk.hpp"
#include "tests/support/no_services.hpp"

namespace drydock::contract {
namespace {

class SimSharedDisk final : public SharedDisk {
 public:
  explicit SimSharedDisk(std::optional<sim::ReservationOptions> reservations)
      : kernel_({.seed = 1}),
        disk_(kernel_, DiskId(1),
              {.name = "d",
               .capacity_bytes = 1 << 20,
               .placement = sim::DiskPlacement::remote,
               .reservations = reservations}) {}

  bool run(int host, Program program) override {
    Attached& on = attached_[static_cast<std::size_t>(host)];
    sim::SimProcess& process = on.host.spawn("p" + std::to_string(++processes_));
    process.attach(std::make_unique<test::NoNetwork>(), std::make_unique<test::NoFiles>());
    process.start([&on, program](Context& context) -> Task<void> {
      Worker& worker = context.workers.add("w");
      co_await program(worker, on.device, on.reservations);
    });
    const std::int64_t limit = kernel_.now() + Duration::s(1'000).count_ns();
    return kernel_.run_while_not([&process] { return !process.alive(); }, limit);
  }
  void power_cut() override {
    disk_.lose_power();
    disk_.restore_power();
  }

 private:
  struct Attached {
    Attached(sim::Kernel& kernel, sim::SimDisk& disk, std::uint32_t number)
        : host(kernel, HostId(number), {.name = "h" + std::to_string(number)}),
          device(disk, host),
          reservations(disk, host) {}
    sim::Host host;
    sim::SimBlockDevice device;
    sim::SimReservations reservations;
  };

  sim::Kernel kernel_;
  sim::SimDisk disk_;
  Attached attached_[2] = {{kernel_, disk_, 1}, {kernel_, disk_, 2}};
  int processes_ = 0;
};

}  // namespace

std::unique_ptr<SharedDisk> SimulatedDisk::make() {
  return std::make_unique<SimSharedDisk>(std::nullopt);
}

std::unique_ptr<SharedDisk> make_reserving_disk(std::string_view preset) {
  return std::make_unique<SimSharedDisk>(sim::reservations_named(preset));
}

}  // namespace drydock::contract
