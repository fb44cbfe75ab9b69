#include "tools/fidelity/fio_run.hpp"

#include <memory>
#include <string>

#include "sim/disk/disk_path.hpp"
#include "sim/disk/sim_disk.hpp"

namespace drydock::fidelity {
namespace {

constexpr std::int64_t kAreaBytes = std::int64_t{1} << 30;
constexpr Duration kRamp = Duration::s(1);

class Job {
 public:
  Job(sim::Kernel& kernel, sim::DiskPath& path, const FioRunJob& options, int number)
      : kernel_(kernel),
        path_(path),
        options_(options),
        stream_(kernel.stream("fio/" + std::to_string(number))),
        block_(SharedBytes::zeros(static_cast<std::size_t>(options.block_bytes))) {
    for (int i = 0; i < options.depth; ++i) {
      slots_.push_back(std::make_unique<Slot>(*this));
      kernel_.post(*slots_.back());
    }
  }

  FioRunResult result(Duration length) && {
    const double seconds = static_cast<double>(length.count_ns()) / 1e9;
    const auto count = static_cast<double>(result_.latency_ms.size());
    result_.per_second = count / seconds;
    result_.bytes_per_s = result_.per_second * static_cast<double>(options_.block_bytes);
    return std::move(result_);
  }

 private:
  class Command;
  // One of the `depth` places: submits the next command when it is run.
  class Slot : public Wakeup {
   public:
    explicit Slot(Job& job) : Wakeup(&Slot::on_run, EventKind::user, 0), job_(job) {}

   private:
    static void on_run(Wakeup& wakeup) {
      auto& slot = static_cast<Slot&>(wakeup);
      slot.job_.submit(slot);
    }
    Job& job_;
  };

  std::int64_t next_offset() {
    const std::int64_t blocks = kAreaBytes / options_.block_bytes;
    const std::int64_t block =
        options_.random
            ? static_cast<std::int64_t>(stream_.below(static_cast<std::uint64_t>(blocks)))
            : next_block_++ % blocks;
    return block * options_.block_bytes;
  }
  void submit(Slot& slot);
  void completed(Slot& slot, std::int64_t submitted_at) {
    const Duration took = Duration::ns(kernel_.now() - submitted_at);
    if (submitted_at >= kRamp.count_ns()) {
      result_.latency_ms.push_back(static_cast<double>(took.count_ns()) / 1e6);
    }
    kernel_.post(slot);
  }

  sim::Kernel& kernel_;
  sim::DiskPath& path_;
  FioRunJob options_;
  RandomStream stream_;
  SharedBytes block_;
  std::int64_t next_block_ = 0;
  std::vector<std::unique_ptr<Slot>> slots_;
  FioRunResult result_;
};

class Job::Command : public sim::DiskCommand {
 public:
  using DiskCommand::Read;
  using DiskCommand::Write;
  template <class What>
  Command(Job& job, Slot& slot, What what)
      : DiskCommand(std::move(what)), job_(job), slot_(slot), submitted_at_(job.kernel_.now()) {}
  void completed(Result<void> outcome) override {
    ENSURE(outcome.has_value());
    job_.completed(slot_, submitted_at_);
  }

 private:
  Job& job_;
  Slot& slot_;
  std::int64_t submitted_at_;
};

void Job::submit(Slot& slot) {
  const std::int64_t offset = next_offset();
  if (options_.write) {
    Command::Write write{.offset = offset, .bytes = ByteChain(block_)};
    path_.submit(std::make_unique<Command>(*this, slot, std::move(write)));
  } else {
    const Command::Read read{.offset = offset, .length = options_.block_bytes};
    path_.submit(std::make_unique<Command>(*this, slot, read));
  }
}

}  // namespace

std::vector<FioRunResult> run_fio(const sim::DiskProfile& disk, const sim::BlockThrottle& throttle,
                                  const std::vector<FioRunJob>& jobs, Duration length) {
  sim::Kernel kernel({.seed = 1});
  sim::SimDisk device(kernel, DiskId(1),
                      {.name = "disk",
                       .capacity_bytes = kAreaBytes,
                       .profile = disk,
                       .queue = {.throttle = throttle}});
  sim::Host host(kernel, HostId(1), {.name = "host"});
  sim::DiskPath path(device, host);
  std::vector<std::unique_ptr<Job>> running;
  for (std::size_t i = 0; i < jobs.size(); ++i) {
    running.push_back(std::make_unique<Job>(kernel, path, jobs[i], static_cast<int>(i)));
  }
  kernel.run_until((kRamp + length).count_ns());
  std::vector<FioRunResult> results;
  for (const auto& job : running) results.push_back(std::move(*job).result(length));
  return results;
}

}  // namespace drydock::fidelity
