// Two simulated hosts that are attached to one disk.
#include "sim/fs/node_control.hpp"
#include "tests/contract/node.hpp"
#include "tests/support/no_services.hpp"

namespace drydock::contract {
namespace {

class SimNodes final : public Nodes {
 public:
  SimNodes()
      : kernel_({.seed = 1}),
        disk_(kernel_, DiskId(1),
              {.name = "shared",
               .capacity_bytes = 64 << 20,
               .placement = sim::DiskPlacement::remote}) {
    sim::HostFiles::make_file_system(disk_, {});
    for (Node& node : nodes_) node.files.attach_disk(disk_, kSharedDevice);
  }

  bool run(int host, Program program) override {
    Node& on = nodes_[static_cast<std::size_t>(host)];
    sim::SimProcess& process = on.host.spawn("p" + std::to_string(++processes_));
    process.attach(std::make_unique<test::NoNetwork>(), on.files.attach(process));
    process.start([&on, program](Context& context) -> Task<void> {
      Worker& worker = context.workers.add("w");
      co_await program(worker, on.control, context.files);
    });
    const std::int64_t limit = kernel_.now() + Duration::s(1'000).count_ns();
    return kernel_.run_while_not([&process] { return !process.alive(); }, limit);
  }

 private:
  struct Node {
    Node(sim::Kernel& kernel, std::uint32_t number)
        : host(kernel, HostId(number), {.name = "h" + std::to_string(number)}),
          files(kernel, host, sim::FileSystemOptions()) {}
    sim::Host host;
    sim::HostFiles files;
    sim::SimHostControl control{files};
  };

  sim::Kernel kernel_;
  sim::SimDisk disk_;
  Node nodes_[2] = {{kernel_, 1}, {kernel_, 2}};
  int processes_ = 0;
};

}  // namespace

std::unique_ptr<Nodes> SimulatedNodes::make() { return std::make_unique<SimNodes>(); }

}  // namespace drydock::contract
