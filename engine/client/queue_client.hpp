// Asks brokers about queues: one request and its answer per call.
//
// Errors of all of them: what the connection gave (timed_out, cancelled, connection_refused,
// connection_reset, …; a time-out ends the connection, as RocketMQ's client does); not_found if the
// broker doesn't know the topic; busy if it refuses for now, as a slave does that may not be read;
// permission_denied; invalid_argument for a queue that the topic doesn't have; io_error for any
// other refusal, and for an answer that can't be read.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "engine/client/broker_connections.hpp"
#include "engine/types/ids.hpp"
#include "engine/wire/consumer_group.hpp"

namespace drydock {

// One queue of one broker.
struct QueueAt {
  Endpoint broker;
  std::string topic;
  std::int32_t queue_id = 0;
};

struct PullOrder {
  QueueAt queue;
  QueueOffset from;
  std::int32_t count_max = 32;
  std::string subscription = "*";  // Or tags with || between.
  Duration suspend;                // How long the broker may hold the pull; 0: not at all.
};

enum class PullStatus : std::uint8_t {
  found,
  nothing_new,   // Nothing at the offset, nor in the time that the broker may hold the pull.
  try_again,     // Nothing that is wanted among the messages scanned, or ask the master.
  offset_moved,  // The queue doesn't reach that far, or doesn't begin that early.
};

struct PulledBatch {
  PullStatus status = PullStatus::nothing_new;
  std::int64_t suggested_broker_id = 0;  // Where to pull next.
  QueueOffset next;                      // From which offset.
  QueueOffset min;                       // Of the queue.
  QueueOffset max;
  SharedBytes records;  // See read_records.
};

// Where to begin in a queue.
enum class ConsumeFrom : std::uint8_t {
  stored,  // Where the group has come to; where nothing is stored, at the first message.
  min,     // At the first message.
  max,     // Behind the last one.
};

class QueueClient {
 public:
  QueueClient(BrokerConnections& brokers, std::string group)
      : brokers_(brokers), group_(std::move(group)) {}

  Task<Result<PulledBatch>> pull(PullOrder order, Deadline deadline);
  Task<Result<QueueOffset>> min_offset(QueueAt queue, Deadline deadline);
  Task<Result<QueueOffset>> max_offset(QueueAt queue, Deadline deadline);
  // None: nothing is stored for the group.
  Task<Result<std::optional<QueueOffset>>> stored_offset(QueueAt queue, Deadline deadline);
  Task<Result<void>> store_offset(QueueAt queue, QueueOffset offset, Deadline deadline);
  Task<Result<QueueOffset>> first_offset(QueueAt queue, ConsumeFrom from, Deadline deadline);
  // Those of the queues that the client has for itself alone now; `client_id` as in its heartbeats.
  Task<Result<std::vector<LockQueue>>> lock(Endpoint broker, LockBatch batch, Deadline deadline);
  Task<Result<void>> unlock(Endpoint broker, LockBatch batch, Deadline deadline);
  // How many queues of a topic can be read there.
  Task<Result<std::int32_t>> read_queues(Endpoint broker, std::string topic, Deadline deadline);

 private:
  Task<Result<RemotingCommand>> ask(Endpoint broker, SharedBytes frame, Deadline deadline);
  Task<Result<QueueOffset>> end_of(RequestCode code, QueueAt queue, Deadline deadline);

  BrokerConnections& brokers_;
  std::string group_;
};

}  // namespace drydock
