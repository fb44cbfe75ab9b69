// The device commands of the log: its blocks, its superblock, and the flushes between them.
#pragma once

#include "sim/disk/disk_path.hpp"

namespace drydock::sim {

// Who sends them: one after the other, or several whose ends it counts.
class LogOwner {
 public:
  // One of its commands has completed.
  virtual void step(Result<void> outcome) = 0;

 protected:
  ~LogOwner() = default;
};

class LogCommand final : public DiskCommand {
 public:
  // Neither waits. `block`: the first of those that the bytes are for.
  static void write(DiskPath& path, LogOwner& owner, std::int64_t block, ByteChain bytes,
                    WriteDurability durability) {
    Write write{.offset = block * kPageBytes,
                .bytes = std::move(bytes),
                .purpose = Purpose::journal,
                .durability = durability};
    path.submit(std::make_unique<LogCommand>(owner, std::move(write)));
  }
  static void flush(DiskPath& path, LogOwner& owner) {
    const Flush flush{.purpose = Purpose::journal};
    path.submit(std::make_unique<LogCommand>(owner, flush));
  }

  template <class Request>
  LogCommand(LogOwner& owner, Request request) : DiskCommand(std::move(request)), owner_(owner) {}
  void completed(Result<void> outcome) override { owner_.step(std::move(outcome)); }

 private:
  LogOwner& owner_;
};

}  // namespace drydock::sim
