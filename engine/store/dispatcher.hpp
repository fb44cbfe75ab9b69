// Puts one record of the log where readers will find it: into its consume queue, then into the
// index. Used by recovery and, later, by the dispatch service.
#pragma once

#include "engine/store/checkpoint.hpp"
#include "engine/store/consume_queues.hpp"
#include "engine/store/dispatch_step.hpp"
#include "engine/store/message_index.hpp"
#include "engine/store/running_flags.hpp"

namespace drydock {

class Dispatcher {
 public:
  // `flags` and `configuration` outlive it.
  Dispatcher(Context& context, ConsumeQueues& queues, MessageIndex& index, Checkpoint& checkpoint,
             const RunningFlags& flags, const StoreConfiguration& configuration, LogKind kind)
      : context_(context),
        queues_(queues),
        index_(index),
        checkpoint_(checkpoint),
        flags_(flags),
        behaviour_(configuration.behaviour),
        levels_(configuration.delay_levels),
        kind_(kind) {}

  // What the queues and the index are told of a good record.
  DispatchRequest request_of(const RecordView& view, std::int32_t bytes) const {
    return dispatch_request_of(view, bytes, levels_);
  }

  // Completes when the unit is written (in the page cache), was there already, or was given up: a
  // queue file that can't be made is tried 30 times, a second apart; and when the index has the
  // keys, or has given up. Error: cancelled. What `request` points to must last as long.
  Task<Result<void>> dispatch(Worker& worker, DispatchRequest request);

  // A unit, or the index, was given up. The store takes no further message.
  bool given_up() const { return given_up_ || index_.given_up(); }

 private:
  // RocketMQ does not even try while the disk of the queues is nearly full.
  bool may_write() const {
    const bool refused =
        flags_.logic_disk_full && behaviour_.faithful(BehaviourSwitch::queue_dropped_on_full_disk);
    return !given_up_ && !refused;
  }
  Task<Result<ConsumeQueue::Appended>> append(Worker& worker, DispatchRequest request);
  void note_unit(const DispatchRequest& request, ConsumeQueue::Appended appended);
  void give_up(const DispatchRequest& request);

  Context& context_;
  ConsumeQueues& queues_;
  MessageIndex& index_;
  Checkpoint& checkpoint_;
  const RunningFlags& flags_;
  Behaviour behaviour_;
  const DelayLevels& levels_;
  LogKind kind_;
  bool given_up_ = false;
};

}  // namespace drydock
