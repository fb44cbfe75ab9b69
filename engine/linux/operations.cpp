#include "engine/linux/operations.hpp"

#include "engine/linux/io_operation.hpp"
#include "engine/linux/ring.hpp"
#include "engine/linux/services.hpp"

namespace drydock::on_linux {

Operations::Operations(LinuxExecutor& executor, FileIo file_io)
    : executor_(executor),
      mailbox_(executor, [this](Operation& operation) { finished(operation); }),
      stand_in_([this](const std::atomic<bool>& wanted_back) { stand_in(wanted_back); },
                [&executor] { executor.nudge(); }) {
  executor.set_chores(this);
  if (file_io == FileIo::lanes_only) return;
  const auto deliver = [this](Operation& operation) { finished(operation); };
  ring_ = Ring::open(executor, deliver, ring_refusal_);
}

Operations::~Operations() {
  ENSURE(in_flight_ == 0);
  executor_.set_chores(nullptr);
}

void Operations::launch(std::shared_ptr<Operation> operation) {
  ENSURE(in_flight_ < kOperationsMax);
  ++in_flight_;
  Operation& self = *operation;
  self.in_flight_ = std::move(operation);
}

void Operations::submit(std::shared_ptr<Operation> operation, Lane& lane) {
  Operation& self = *operation;
  launch(std::move(operation));
  auto* const io = ring_ == nullptr ? nullptr : self.as_io();
  if (io != nullptr) {
    ring_->submit(*io);
  } else if (self.usually_brief() && (!standing_in_ || &lane == at_work_)) {
    brief_.push_back({&self, &lane});  // Behind the one at which the thread is stuck, if it is.
  } else {
    lane.submit(self);
  }
}

void Operations::submit_unowned(std::shared_ptr<Operation> operation) {
  Operation& self = *operation;
  launch(std::move(operation));
  own_lane_.submit(self);
}

void Operations::run() {
  while (!brief_.empty()) {
    const Brief next = brief_.front();
    brief_.pop_front();
    at_work_ = next.lane;
    stand_in_.watch(next.lane->name(), [&next] { next.operation->run(); });
    at_work_ = nullptr;
    finished(*next.operation);
  }
}

// While the loop's own thread is stuck, lanes do everything; what the stuck worker gave comes after
// what it is stuck at.
void Operations::stand_in(const std::atomic<bool>& wanted_back) {
  standing_in_ = true;
  for (const Brief& waiting : std::exchange(brief_, {})) {
    if (waiting.lane == at_work_) {
      brief_.push_back(waiting);
    } else {
      waiting.lane->submit(*waiting.operation);
    }
  }
  executor_.carry_on(wanted_back);
  standing_in_ = false;
}

void Operations::finished(Operation& operation) {
  --in_flight_;
  // Kept until the end of this call: the waiter may be gone, then nobody else holds it.
  const std::shared_ptr<Operation> self = std::move(operation.in_flight_);
  if (operation.wait_ != nullptr) operation.wait_->complete();
}

OperationWait::OperationWait(Operations& operations, Worker* worker,
                             std::shared_ptr<Operation> operation, WaitPlace place)
    : Waiter(Kind::uninterruptible),
      operations_(operations),
      worker_(static_cast<LinuxWorker*>(worker)),
      operation_(std::move(operation)),
      place_(place) {}

OperationWait::~OperationWait() {
  if (operation_->wait_ == this) operation_->wait_ = nullptr;
  if (started_ && worker_ != nullptr) worker_->end_wait();
}

void OperationWait::start() {
  started_ = true;
  operation_->wait_ = this;
  if (worker_ == nullptr) return operations_.submit_unowned(operation_);
  worker_->begin_wait(place_);
  operations_.submit(operation_, worker_->lane());
}

}  // namespace drydock::on_linux
