// A load as fio makes it: so many commands of one kind and size at a time, each followed by the
// next one, and what became of their times.
#pragma once

#include <algorithm>
#include <array>
#include <vector>

#include "sim/disk/disk_path.hpp"

namespace drydock::test {

struct LoadOptions {
  sim::DiskCommand::Kind kind = sim::DiskCommand::Kind::read;
  std::int64_t bytes = 4096;
  int depth = 1;
  sim::DiskCommand::Urgency urgency = sim::DiskCommand::Urgency::exempt;
  // Of 100 commands so many are reads; `kind` does not matter then.
  int read_percent = -1;
};

class DiskLoad {
 public:
  DiskLoad(sim::Kernel& kernel, sim::DiskPath& path, LoadOptions options)
      : kernel_(kernel),
        path_(path),
        options_(options),
        stream_(kernel.stream("load")),
        bytes_(SharedBytes::zeros(static_cast<std::size_t>(options.bytes))) {
    for (int i = 0; i < options_.depth; ++i) next();
  }
  // Stops when what is in flight has ended.
  void stop() { running_ = false; }
  void forget_the_past() {
    since_ = kernel_.now();
    for (auto& latencies : latencies_ns_) latencies.clear();
  }

  std::int64_t count() const { return reads() + writes(); }
  std::int64_t reads() const { return static_cast<std::int64_t>(latencies_ns_[0].size()); }
  std::int64_t writes() const { return static_cast<std::int64_t>(latencies_ns_[1].size()); }
  std::int64_t per_second() const { return per_second(count()); }
  std::int64_t per_second(std::int64_t commands) const {
    return commands * 1'000'000'000 / (kernel_.now() - since_);
  }
  std::int64_t bytes_per_second() const { return per_second() * options_.bytes; }
  // Microseconds.
  std::int64_t mean() const {
    std::int64_t sum = 0;
    for (const auto& latencies : latencies_ns_) {
      for (const std::int64_t latency : latencies) sum += latency;
    }
    return sum / count() / 1000;
  }
  std::int64_t percentile(std::int64_t per_mille) const {
    std::vector<std::int64_t> sorted = latencies_ns_[0];
    sorted.insert(sorted.end(), latencies_ns_[1].begin(), latencies_ns_[1].end());
    std::ranges::sort(sorted);
    const auto index = static_cast<std::size_t>(per_mille) * sorted.size() / 1000;
    return sorted.at(std::min(index, sorted.size() - 1)) / 1000;
  }

 private:
  class Command final : public sim::DiskCommand {
   public:
    using DiskCommand::Read;
    using DiskCommand::Write;
    template <class What>
    Command(DiskLoad& load, What what)
        : DiskCommand(std::move(what)), load_(load), from_ns_(load.kernel_.now()) {}
    void completed(Result<void> outcome) override {
      if (!outcome) return;
      const std::size_t direction = kind() == Kind::read ? 0 : 1;
      load_.latencies_ns_[direction].push_back(load_.kernel_.now() - from_ns_);
      if (load_.running_) load_.next();
    }

   private:
    DiskLoad& load_;
    std::int64_t from_ns_;
  };

  void next() {
    const std::int64_t places = path_.disk().store().capacity_bytes() / options_.bytes;
    const std::int64_t offset = stream_.between(0, places - 1) * options_.bytes;
    bool reads = options_.kind == sim::DiskCommand::Kind::read;
    if (options_.read_percent >= 0) reads = stream_.between(0, 99) < options_.read_percent;
    if (reads) {
      const Command::Read read{.offset = offset, .length = options_.bytes};
      path_.submit(std::make_unique<Command>(*this, read));
    } else {
      const Command::Write write{
          .offset = offset, .bytes = ByteChain(bytes_), .urgency = options_.urgency};
      path_.submit(std::make_unique<Command>(*this, write));
    }
  }

  sim::Kernel& kernel_;
  sim::DiskPath& path_;
  LoadOptions options_;
  RandomStream stream_;
  SharedBytes bytes_;
  bool running_ = true;
  std::int64_t since_ = 0;
  std::array<std::vector<std::int64_t>, 2> latencies_ns_;  // Reads, writes.
};

}  // namespace drydock::test
