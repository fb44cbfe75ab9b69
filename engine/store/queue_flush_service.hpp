// Makes the units of the consume queues durable: every second those with two dirty pages, every
// minute all of them and the checkpoint (storage reference, 7.2): RocketMQ's
// FlushConsumeQueueService.
#pragma once

#include "engine/runtime/poll_grid.hpp"
#include "engine/store/checkpoint.hpp"
#include "engine/store/consume_queues.hpp"
#include "engine/store/flush_schedule.hpp"
#include "engine/store/store_configuration.hpp"

namespace drydock {

class QueueFlushService {
 public:
  QueueFlushService(Context& context, ConsumeQueues& queues, Checkpoint& checkpoint,
                    const StoreConfiguration& configuration);

  // The service's loop; it returns soon after `stop`, having flushed what is left.
  Task<void> run();
  void stop();
  // A flush failed and the hardened behaviour has stopped the store.
  bool stopped() const { return failed_; }

 private:
  // Waits until the next round with something to flush; gives its least pages. -1: cancelled.
  Task<std::int32_t> next_round();
  // False: cancelled.
  Task<bool> flush(std::int32_t least_pages, int rounds);

  Context& context_;
  ConsumeQueues& queues_;
  Checkpoint& checkpoint_;
  Worker& worker_;
  Behaviour behaviour_;
  Duration interval_;
  FlushSchedule schedule_;
  Event stop_;
  bool failed_ = false;
};

}  // namespace drydock
