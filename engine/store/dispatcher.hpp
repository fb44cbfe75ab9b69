// Puts one record of the log where readers will find it: today into its consume queue. Used by
// recovery and, later, by the dispatch service.
#pragma once

#include "engine/store/checkpoint.hpp"
#include "engine/store/consume_queues.hpp"
#include "engine/store/dispatch_step.hpp"

namespace drydock {

class Dispatcher {
 public:
  // `levels` outlives it.
  Dispatcher(Context& context, ConsumeQueues& queues, Checkpoint& checkpoint, LogKind kind,
             const DelayLevels& levels)
      : context_(context), queues_(queues), checkpoint_(checkpoint), kind_(kind), levels_(levels) {}

  // What the queues are told of a good record.
  DispatchRequest request_of(const RecordView& view, std::int32_t bytes) const {
    return dispatch_request_of(view, bytes, levels_);
  }

  // Completes when the unit is written (in the page cache), was there already, or was given up: a
  // queue file that can't be made is tried 30 times, a second apart. Error: cancelled. What
  // `request` points to must last as long.
  Task<Result<void>> dispatch(Worker& worker, DispatchRequest request);

  // A unit was given up. The store takes no further message.
  bool given_up() const { return given_up_; }

 private:
  Task<Result<ConsumeQueue::Appended>> append(Worker& worker, DispatchRequest request);
  void give_up(const DispatchRequest& request);

  Context& context_;
  ConsumeQueues& queues_;
  Checkpoint& checkpoint_;
  LogKind kind_;
  const DelayLevels& levels_;
  bool given_up_ = false;
};

}  // namespace drydock
