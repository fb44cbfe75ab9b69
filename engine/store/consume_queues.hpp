// All consume queues of a store, by topic and queue id.
//
// They are walked in the order in which they were found or made: by name at load, then as messages
// arrive. The directory layout is the list: consumequeue/{topic}/{queue id}/.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "engine/store/consume_queue.hpp"
#include "engine/store/queue_offsets.hpp"

namespace drydock {

// Whether a record with these fields has a queue. Only a damaged record has not: its topic would be
// no name of a directory, or its queue id is negative.
bool has_queue(std::string_view topic, std::int32_t queue_id);

class ConsumeQueues {
 public:
  ConsumeQueues(Context& context, ConsumeQueueOptions options)
      : context_(context), options_(std::move(options)) {}

  // Maps the files of every queue that has a directory. Errors: as MappedFileQueue::load.
  Task<Result<void>> load(Worker& worker);
  // After load: each queue finds its end.
  Task<Result<void>> recover(Worker& worker);
  // Drops what points at or behind `end` of the log.
  Task<Result<void>> truncate(Worker& worker, PhysicalOffset end);
  // The log has no file at all.
  Task<Result<void>> destroy(Worker& worker);
  Task<Result<void>> correct_min(Worker& worker, PhysicalOffset log_start);
  // Makes the names of all files and directories of queues durable. After load. Errors: what a sync
  // gave.
  Task<Result<void>> sync_names(Worker& worker);
  // Removes the files and directories of a topic's queues, while others may be at work with them.
  // Its queues go on as new ones. Errors: the last one that removing gave.
  Task<Result<void>> destroy_topic(Worker& worker, std::string topic);
  // One flush of every queue, each as ConsumeQueue::flush; goes on after errors. Gives the last
  // error. `rounds`: at most so many per queue, until what it had then is flushed, or a flush fails
  // and leaves the position (hardened).
  Task<Result<void>> flush(Worker& worker, std::int32_t least_pages, int rounds);

  // The queue; null if it has never had a message.
  ConsumeQueue* find(std::string_view topic, std::int32_t queue_id) const;
  // The queue, made if it is new. Only if `has_queue`.
  ConsumeQueue& of(std::string_view topic, std::int32_t queue_id);
  // Each queue's maximum becomes the next index of that queue.
  void fill(QueueOffsets& offsets) const;

  // The queues in the order in which they were found or made; more may come at the end.
  std::size_t count() const { return all_.size(); }
  ConsumeQueue& at(std::size_t index) const { return *all_.at(index); }

  // Every queue that has files or had a message, in the order of topics and queue ids.
  std::vector<ConsumeQueue*> by_name() const;

  // The largest end of a record that any queue knows, or kNoPhysical.
  std::int64_t known_to() const;
  bool has_unflushed() const;
  // A queue has files, and nothing in them but what points in front of the log.
  bool any_is_short() const;
  // Set when a unit was written.
  Event& advanced() { return advanced_; }

 private:
  Task<Result<void>> load_topic(Worker& worker, std::string topic);

  struct TextHash {
    using is_transparent = void;
    std::size_t operator()(std::string_view text) const {
      return std::hash<std::string_view>{}(text);
    }
  };
  using Queues = std::map<std::int32_t, ConsumeQueue*>;

  Context& context_;
  ConsumeQueueOptions options_;
  Event advanced_;
  std::vector<std::unique_ptr<ConsumeQueue>> all_;  // Grows while others wait; walk it by index.
  // Only ever looked up, never walked: the order of a hash table decides nothing.
  std::unordered_map<std::string, Queues, TextHash, std::equal_to<>> by_topic_;
};

}  // namespace drydock
