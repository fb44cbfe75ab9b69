// Reads the queues of a topic as messages come, as RocketMQ's pulling consumer does (HA reference,
// 6.4): one pull at a time per queue, which the broker holds until there is something; what was
// read waits until the application asks for it, so far as memory allows; how far the application
// has come is stored at the broker.
//
// It reads every queue of the topic: groups do not share queues among their members.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "engine/client/producer.hpp"
#include "engine/client/queue_client.hpp"
#include "engine/client/received_message.hpp"

namespace drydock {

struct PullConsumerOptions {
  std::string consumer_group = "drydock";
  ConsumeFrom from = ConsumeFrom::stored;
  bool store_offsets = true;       // The group's offsets follow what the application has read.
  std::string subscription = "*";  // Or tags with || between.
  // In order, as RocketMQ's push consumers do: a queue is pulled and handed out only while its
  // master says that it is ours alone. That is asked for every 20 s
  // (rocketmq.client.rebalance.lockInterval) and counts for 30 s
  // (rocketmq.client.rebalance.lockMaxLiveTime).
  bool ordered = false;
  std::int32_t batch = 32;                     // pullBatchSize: at most so many messages per pull.
  Duration suspend = Duration::s(15);          // How long the broker may hold a pull.
  Duration request_timeout = Duration::s(30);  // Of a pull, from sending it on.
  Duration connect_timeout = Duration::ms(3000);
  Duration offset_interval = Duration::s(5);  // persistConsumerOffsetInterval; first after 10 s
  Duration route_interval = Duration::s(30);  // So often it looks for new queues.
  // After an error the queue rests so long (pullTimeDelayMillsWhenException).
  Duration retry_pause = Duration::s(1);
  // After an answer that brings it no further; 0: it asks again at once.
  Duration idle_pause = Duration::ms(100);
  // A queue with so much waiting for the application is not pulled (pullThresholdForQueue,
  // pullThresholdSizeForQueue).
  std::size_t waiting_messages_max = 1000;
  std::size_t waiting_bytes_max = 100 * 1024 * 1024;
};

// It outlives its polls: keep it in a frame that is older than the tasks that poll.
class PullConsumer {
 public:
  PullConsumer(Context& context, Endpoint broker, std::string topic, PullConsumerOptions options);
  PullConsumer(Context& context, NameServers name_servers, std::string topic,
               PullConsumerOptions options);
  ~PullConsumer();

  // Finds the topic's queues and begins to pull. Errors: as QueueSource::queues_of; it can be tried
  // again.
  Task<Result<void>> start(Deadline deadline);

  // The next messages, at least one, at most `count_max` (>= 1), all of one queue, in its order;
  // queues take turns. The messages that earlier polls gave count as consumed from now on. One poll
  // at a time. Errors: timed_out if none came; cancelled.
  Task<Result<std::vector<ReceivedMessage>>> poll(Deadline deadline, std::size_t count_max = 32);
  // Everything that polls have given counts as consumed, without another poll.
  void note_consumed();
  // How many damaged records came and were passed over, each with a line in the log. They count as
  // consumed with what comes behind them.
  std::uint64_t damaged() const;

  // Stores the offsets, if it may, and ends all connections.
  Task<void> close();

 private:
  class Implementation;
  std::unique_ptr<Implementation> implementation_;
};

}  // namespace drydock
