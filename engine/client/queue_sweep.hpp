// Reads every queue of a topic once: what a reader finds who goes from end to end, and no further.
// Each queue ends where it ended when its turn came.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "engine/client/queue_source.hpp"
#include "engine/client/received_message.hpp"

namespace drydock {

struct SweepOptions {
  std::string topic;
  ConsumeFrom from = ConsumeFrom::min;
  std::string subscription = "*";  // Or tags with || between.
  // A broker that does not answer, or answers without getting further, is asked again for so long.
  Duration patience = Duration::s(30);
};

// A queue that was read, and how far.
struct SweptQueue {
  MessageQueue queue;
  QueueOffset next;
  std::uint64_t damaged = 0;  // Records that were passed over, each with a line in the log.
};
using SweptQueues = std::vector<SweptQueue>;

// Takes a message; false: no further one is wanted.
using MessageVisitor = std::function<bool(const ReceivedMessage&)>;

// Queues in the order of `source`, messages in the order of their queue. `visit` is not called any
// more once it has said so. Errors: as QueueSource::queues_of; the last error of a broker whose
// patience has run out (io_error if it answered); cancelled.
Task<Result<SweptQueues>> read_every_queue(Context& context, QueueSource& source,
                                           QueueClient& client, SweepOptions options,
                                           const MessageVisitor& visit);

}  // namespace drydock
