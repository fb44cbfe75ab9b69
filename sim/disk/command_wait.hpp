// Waiting for one disk command inside a process.
#pragma once

#include "engine/runtime/waiter.hpp"
#include "sim/disk/disk_path.hpp"

namespace drydock::sim {

class CommandWait;

// A command whose completion resumes a coroutine.
class AwaitedCommand : public DiskCommand {
 public:
  explicit AwaitedCommand(Read read) : DiskCommand(read) {}
  explicit AwaitedCommand(Write write) : DiskCommand(std::move(write)) {}
  explicit AwaitedCommand(Flush flush) : DiskCommand(flush) {}
  explicit AwaitedCommand(Reserve reserve) : DiskCommand(std::move(reserve)) {}
  using DiskCommand::Flush;
  using DiskCommand::Read;
  using DiskCommand::Reserve;
  using DiskCommand::Write;
  ~AwaitedCommand() override;
  void completed(Result<void> outcome) override;

 private:
  friend class CommandWait;
  CommandWait* wait_ = nullptr;
};

// `Result<ByteChain> read = co_await CommandWait(path, std::move(command), worker);`
// Submits the command and waits for it, uninterruptibly, the worker stuck at `device`. The chain
// holds what was read, or a report. The host's power loss ends command and frame in either order,
// so each lets go of the other.
class [[nodiscard]] CommandWait : public Waiter {
 public:
  CommandWait(DiskPath& path, std::unique_ptr<AwaitedCommand> command, Worker& worker)
      : Waiter(Kind::uninterruptible), path_(path), worker_(worker), unsent_(std::move(command)) {}
  ~CommandWait() {
    if (sent_ != nullptr) sent_->wait_ = nullptr;
  }
  bool await_ready() const { return false; }
  template <class Promise>
  bool await_suspend(std::coroutine_handle<Promise> handle) {
    if (!suspend(handle)) return false;
    worker_.set_wait(WaitPlace::device, path_.host().clock().now());
    sent_ = unsent_.get();
    sent_->wait_ = this;
    path_.submit(std::move(unsent_));
    return true;
  }
  Result<ByteChain> await_resume() {
    worker_.set_wait(WaitPlace::none, path_.host().clock().now());
    if (!outcome_) return outcome_.error();
    return std::move(bytes_);
  }

 private:
  friend class AwaitedCommand;
  DiskPath& path_;
  Worker& worker_;
  std::unique_ptr<AwaitedCommand> unsent_;
  AwaitedCommand* sent_ = nullptr;
  Result<void> outcome_;
  ByteChain bytes_;
};

inline AwaitedCommand::~AwaitedCommand() {
  if (wait_ != nullptr) wait_->sent_ = nullptr;
}

inline void AwaitedCommand::completed(Result<void> outcome) {
  if (wait_ == nullptr) return;
  CommandWait& wait = *std::exchange(wait_, nullptr);
  wait.sent_ = nullptr;
  wait.outcome_ = std::move(outcome);
  if (kind() == Kind::read || kind() == Kind::reservation) wait.bytes_ = bytes();
  wait.complete_now();
}

}  // namespace drydock::sim
