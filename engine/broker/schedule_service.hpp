// Delivers messages that wait for their time (storage reference, 9.1), RocketMQ's
// ScheduleMessageService.
//
// Each level is a queue of its own, in the order of the due times. A level is looked at every
// 100 ms, the first time a second after the start: what is due is put into the queue where it
// belongs, in order. What can't be put is tried again at the next look, and those behind it wait.
// While a level has nothing no timer is armed; its looks stay on the same grid.
//
// The next message of each level is kept in config/delayOffset.json, written every
// flushDelayOffsetInterval: after a crash messages of that time are delivered again.
#pragma once

#include <map>
#include <optional>

#include "engine/broker/delay_offsets.hpp"
#include "engine/broker/put_safety.hpp"
#include "engine/runtime/context.hpp"
#include "engine/store/message_store.hpp"

namespace drydock {

class ScheduleService {
 public:
  // `master` is null on a slave.
  ScheduleService(Context& context, const BrokerConfiguration& configuration, MessageStore& store,
                  HaMaster* master, DelayOffsets& offsets)
      : context_(context),
        store_(store),
        safety_(context, configuration, store, master),
        offsets_(offsets),
        levels_scope_(context.scope) {}

  // Begins to deliver; the store has started.
  void start();
  // Nothing is delivered any more; what is being put is waited for.
  Task<void> stop();
  // A message of the schedule topic can be read.
  void message_arrived(std::int32_t queue_id);
  // Set when an offset has changed.
  Event& changed() { return changed_; }

 private:
  struct Level {
    Level(std::int32_t number_, Worker& worker_) : number(number_), worker(worker_) {}
    std::int32_t number;
    Worker& worker;
    Event arrived;
    std::optional<PutResult> unsafe;  // Stored, and not as safe yet as it must be.
  };

  const DelayLevels& levels() const { return store_.configuration().delay_levels; }
  QueueRange range(std::int32_t level) const { return store_.range(kScheduleTopic, level - 1); }
  void note(std::int32_t level, QueueOffset next);
  void wake(std::int32_t level);
  Task<void> deliver(Level& level);
  Task<void> deliver_due(Level& level);
  // False: it can't be put now, or is stored and not safe yet: the next call goes on waiting.
  Task<bool> deliver_one(Level& level, PhysicalOffset at);
  Task<bool> wait_for_safety(Level& level);

  Context& context_;
  MessageStore& store_;
  PutSafety safety_;
  DelayOffsets& offsets_;
  Event changed_;
  MonotonicTime started_;
  bool running_ = false;
  std::map<std::int32_t, Level> running_levels_;  // Those that have had a message.
  TaskScope levels_scope_;
};

}  // namespace drydock
