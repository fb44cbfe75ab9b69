// A disk with times that can be worked out by hand, hosts, and commands that note when they end.
#pragma once

#include <memory>
#include <optional>
#include <vector>

#include "sim/disk/disk_path.hpp"

namespace drydock::test {

// Every write takes 100 us, a read 50 us, a flush 30 us; transfers cost nothing.
inline sim::DiskProfile flat_profile() {
  return {.name = "flat",
          .read = sim::QuantileTable::constant(Duration::us(50)),
          .write = sim::QuantileTable::constant(Duration::us(100)),
          .flush = sim::QuantileTable::constant(Duration::us(30)),
          .read_servers = 4,
          .write_servers = 4};
}

inline SharedBytes page_of(char value) {
  return SharedBytes::copy_of(std::string(sim::kPageBytes, value));
}
inline std::string text_of_chain(const ByteChain& chain) {
  const SharedBytes whole = chain.flatten();
  return std::string(reinterpret_cast<const char*>(whole.data()), whole.size());
}

// What came of a command.
struct Ended {
  std::optional<Result<void>> outcome;
  std::int64_t at_us = -1;
  std::string bytes;
  bool ok() const { return outcome.has_value() && outcome->has_value(); }
  std::optional<ErrorCode> error() const {
    if (!outcome || outcome->has_value()) return std::nullopt;
    return outcome->error().code();
  }
};

class NotedCommand : public sim::DiskCommand {
 public:
  using DiskCommand::Flush;
  using DiskCommand::Read;
  using DiskCommand::Reserve;
  using DiskCommand::Write;
  template <class What>
  NotedCommand(const sim::Kernel& kernel, std::shared_ptr<Ended> ended, What what)
      : DiskCommand(std::move(what)), kernel_(kernel), ended_(std::move(ended)) {}
  void completed(Result<void> outcome) override {
    ended_->outcome = outcome;
    ended_->at_us = kernel_.now() / 1000;
    if (kind() == Kind::read || kind() == Kind::reservation) {
      ended_->bytes = text_of_chain(bytes());
    }
  }

 private:
  const sim::Kernel& kernel_;
  std::shared_ptr<Ended> ended_;
};

class DiskWorld {
 public:
  explicit DiskWorld(sim::DiskOptions options = {.name = "d0",
                                                 .capacity_bytes = 1 << 20,
                                                 .profile = flat_profile()},
                     std::uint64_t seed = 1)
      : kernel({.seed = seed}), disk(kernel, DiskId(1), std::move(options)) {}

  sim::Kernel kernel;
  sim::SimDisk disk;
  sim::Host host{kernel, HostId(1), {.name = "h1"}};
  sim::Host other_host{kernel, HostId(2), {.name = "h2"}};
  sim::DiskPath path{disk, host};
  sim::DiskPath other_path{disk, other_host};

  std::shared_ptr<Ended> write(std::int64_t block, char value, bool journal = false,
                               sim::DiskPath* by = nullptr) {
    NotedCommand::Write what{.offset = block * sim::kPageBytes, .bytes = ByteChain(page_of(value))};
    if (journal) what.purpose = sim::DiskCommand::Purpose::journal;
    return send(std::move(what), by);
  }
  std::shared_ptr<Ended> read(std::int64_t block, sim::DiskPath* by = nullptr) {
    const NotedCommand::Read what{.offset = block * sim::kPageBytes, .length = sim::kPageBytes};
    return send(what, by);
  }
  std::shared_ptr<Ended> flush(sim::DiskPath* by = nullptr) {
    return send(NotedCommand::Flush(), by);
  }
  template <class What>
  std::shared_ptr<Ended> send(What what, sim::DiskPath* by = nullptr) {
    auto ended = std::make_shared<Ended>();
    auto command = std::make_unique<NotedCommand>(kernel, ended, std::move(what));
    (by == nullptr ? path : *by).submit(std::move(command));
    return ended;
  }
  void run_for(Duration time) { kernel.run_until(kernel.now() + time.count_ns()); }
  // The first byte of the block as the device has it.
  char on_device(std::int64_t block) const {
    return text_of_chain(disk.store().read(block * sim::kPageBytes, 512)).front();
  }
};

}  // namespace drydock::test
