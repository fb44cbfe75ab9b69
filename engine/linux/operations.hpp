// What is in flight, and where it runs.
#pragma once

#include <cstdint>
#include <deque>
#include <memory>

#include "engine/linux/lane.hpp"
#include "engine/linux/mailbox.hpp"
#include "engine/linux/operation.hpp"
#include "engine/linux/stand_in.hpp"
#include "engine/types/bytes.hpp"

namespace drydock::on_linux {

class IoOperation;
class Ring;

// Who does reads, writes and syncs. Everything else that may block runs on the worker's lane in
// either case: io_uring has no call for it, or an old one.
enum class FileIo : std::uint8_t {
  ring_if_allowed,  // io_uring; lanes where the kernel or a container's filter refuses it.
  lanes_only,
};

// One per world. A worker has at most one call in flight (the contract of Worker), so their number
// is bounded by the number of workers; kOperationsMax is an alarm, not a queue length.
class Operations : private Chores {
 public:
  static constexpr std::size_t kOperationsMax = 65'536;

  Operations(LinuxExecutor& executor, FileIo file_io);
  ~Operations() override;

  // On `lane`; by the ring if there is one and the operation is an IoOperation; by the run loop's
  // own thread, next, if it is usually brief.
  void submit(std::shared_ptr<Operation> operation, Lane& lane);
  // On a lane of the world's own: what nobody waits for (unmapping, closing what may be slow to
  // close) and what has no worker.
  void submit_unowned(std::shared_ptr<Operation> operation);

  // `co_await operations.wait(worker, operation, place);` submits it and waits until it is done.
  // `worker` is one of this world.
  template <class AnyOperation>
  OperationWait wait(Worker& worker, const std::shared_ptr<AnyOperation>& operation,
                     WaitPlace place) {
    return OperationWait(*this, &worker, operation, place);
  }
  // For what has no worker.
  template <class AnyOperation>
  OperationWait wait(const std::shared_ptr<AnyOperation>& operation) {
    return OperationWait(*this, nullptr, operation, WaitPlace::none);
  }

  Mailbox& mailbox() { return mailbox_; }
  std::size_t in_flight() const { return in_flight_; }
  bool uses_ring() const { return ring_ != nullptr; }
  // Why there is no ring although one was wanted: an errno value; 0 otherwise.
  int ring_refusal() const { return ring_refusal_; }

 private:
  // An operation for the run loop's own thread, and where it goes if that is stuck.
  struct Brief {
    Operation* operation;
    Lane* lane;
  };

  bool pending() const override { return !brief_.empty(); }
  void run() override;
  // On the thread that stands in.
  void stand_in(const std::atomic<bool>& wanted_back);
  void launch(std::shared_ptr<Operation> operation);
  void finished(Operation& operation);

  LinuxExecutor& executor_;
  std::size_t in_flight_ = 0;
  std::deque<Brief> brief_;
  Lane* at_work_ = nullptr;  // Whose operation the loop's own thread is doing.
  bool standing_in_ = false;
  Mailbox mailbox_;
  int ring_refusal_ = 0;
  std::unique_ptr<Ring> ring_;
  Lane own_lane_{mailbox_, "drydock"};
  StandIn stand_in_;
};

}  // namespace drydock::on_linux
