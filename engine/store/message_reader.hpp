// Looks messages up: from a place in a queue to the bytes of their records (storage
// reference, 3.5).
#pragma once

#include <vector>

#include "engine/store/commit_log.hpp"
#include "engine/store/consume_queues.hpp"
#include "engine/store/pull_batch.hpp"

namespace drydock {

// Whether a unit's tag code is among the wanted ones, which are in the order of their numbers; none
// are listed: every message is wanted.
bool wants(std::span<const std::int32_t> tag_codes, std::int64_t tags_code);

// What is pointed to must last until the answer.
struct GetRequest {
  std::string_view topic;
  std::int32_t queue_id = 0;
  QueueOffset offset;
  std::int32_t count_max = 32;  // >= 1
  // Java's hashes of the tags that are wanted, in the order of their numbers; empty: every message.
  std::span<const std::int32_t> tag_codes;
  bool count_cold = false;  // See GetResult::cold_bytes.
};

struct GetResult {
  GetStatus status = GetStatus::unavailable;
  QueueOffset next;  // Where the consumer should go on.
  QueueOffset min;
  QueueOffset max;
  std::vector<ByteChain> records;  // One whole record each; they share the page cache's bytes.
  std::int64_t bytes = 0;
  std::int64_t cold_bytes = 0;  // Of them, if asked for: those of cold messages.
  // The last unit scanned lies further behind the end of the log than memory is thought to reach.
  bool suggest_slave = false;
};

// Which message of a queue belongs to a time.
struct TimeQuery {
  std::int64_t store_ms = 0;
  enum class Boundary : std::uint8_t {
    lower,  // The first that was stored then or later; the end of the queue if there is none.
    upper,  // The last that was stored then or earlier; the front of the queue if there is none.
  };
  Boundary boundary = Boundary::lower;
};

class MessageReader {
 public:
  MessageReader(CommitLog& log, ConsumeQueues& queues, const StoreConfiguration& configuration)
      : log_(log), queues_(queues), configuration_(configuration) {}

  // Waits for page reads only, on behalf of `worker`. Errors: what reading gave.
  Task<Result<GetResult>> get(Worker& worker, GetRequest request);
  // The whole record that lies at `at`; empty if the log has none there.
  Task<Result<ByteChain>> record_at(Worker& worker, PhysicalOffset at);
  // Searches a queue by store timestamps, which are taken to grow along it; within its ends.
  Task<Result<QueueOffset>> offset_at(Worker& worker, std::string_view topic, std::int32_t queue_id,
                                      TimeQuery time);
  // The store timestamp of a queue's first message; -1 if it has none.
  Task<Result<std::int64_t>> earliest_store_ms(Worker& worker, std::string_view topic,
                                               std::int32_t queue_id);
  // Whether the message lies further behind the end of the log than memory is thought to reach;
  // false if there is no such message.
  Task<Result<bool>> on_disk(Worker& worker, std::string_view topic, std::int32_t queue_id,
                             QueueOffset offset);
  // The same by the rule for cold data (accessMessageInMemoryHotRatio).
  Task<Result<bool>> in_cold_area(Worker& worker, std::string_view topic, std::int32_t queue_id,
                                  QueueOffset offset);

 private:
  struct Scan;
  Task<Result<void>> scan(Worker& worker, Scan& scan);
  Task<Result<ByteChain>> record(Worker& worker, ConsumeQueueUnit unit);
  // The store timestamp of the message `offset`; -1 if the log does not have it (any more).
  Task<Result<std::int64_t>> store_ms(Worker& worker, ConsumeQueue& queue, QueueOffset offset);
  PullLimits limits(const GetRequest& request) const;
  // Where the message lies in the log; none if there is no such message.
  Task<Result<std::optional<PhysicalOffset>>> place_of(Worker& worker, std::string_view topic,
                                                       std::int32_t queue_id, QueueOffset offset);
  bool in_memory(PhysicalOffset at) const {
    return within(at, configuration_.access_message_in_memory_max_ratio);
  }
  bool is_hot(PhysicalOffset at) const {
    return within(at, configuration_.access_message_in_memory_hot_ratio);
  }
  // Whether it is no further behind the end of the log than that share of the memory, in percent.
  bool within(PhysicalOffset at, std::int32_t percent) const;
  // Whether the record counts as one that comes from the disk.
  bool is_cold(ConsumeQueueUnit unit) const;
  QueueOffset corrected(QueueOffset next, QueueOffset asked) const;

  CommitLog& log_;
  ConsumeQueues& queues_;
  const StoreConfiguration& configuration_;
};

}  // namespace drydock
