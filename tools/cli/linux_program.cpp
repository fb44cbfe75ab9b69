#include "tools/cli/linux_program.hpp"

#include <atomic>
#include <csignal>

namespace drydock::cli {
namespace {

std::atomic<on_linux::LinuxWorld*> world_to_stop = nullptr;
std::atomic<int> signal_seen = 0;

// Async-signal-safe: LinuxWorld::stop is.
void on_signal(int number) {
  signal_seen = number;
  if (on_linux::LinuxWorld* const world = world_to_stop) world->stop();
}

// The handlers, while it lives. Each works once (SA_RESETHAND).
class StopSignals {
 public:
  explicit StopSignals(on_linux::LinuxWorld& world) {
    signal_seen = 0;
    world_to_stop = &world;
    struct sigaction action = {};
    action.sa_handler = on_signal;
    action.sa_flags = SA_RESETHAND;
    sigaction(SIGINT, &action, nullptr);
    sigaction(SIGTERM, &action, nullptr);
  }
  ~StopSignals() { world_to_stop = nullptr; }
  StopSignals(const StopSignals&) = delete;
  StopSignals& operator=(const StopSignals&) = delete;
};

}  // namespace

int run_to_end(on_linux::LinuxWorld& world, on_linux::LinuxProcess& process) {
  constexpr Duration kLong = Duration::s(100'000'000);  // Three years; then it waits again.
  const StopSignals signals(world);
  while (!world.run_until([&process] { return !process.alive(); }, kLong)) {
    if (signal_seen != 0) process.terminate();
  }
  return signal_seen;
}

Task<Result<void>> reach_one_of(Context& context, std::vector<Endpoint> servers, Duration timeout) {
  Error last = ErrorCode::connection_refused;
  for (const Endpoint server : servers) {
    const ConnectOptions options{.deadline = context.clock.now() + timeout};
    Result<std::unique_ptr<Stream>> stream = co_await context.network.connect(server, options);
    if (stream) {
      (*stream)->reset();
      co_return Result<void>();
    }
    last = stream.error();
  }
  co_return last;
}

}  // namespace drydock::cli
