// How far the queues of deleted topics were numbered, so that they go on there if a topic is made
// again: config/deletedTopics.json, which RocketMQ neither has nor reads. Pure. Kept where
// topic.numbers-start-again is hardened.
//
//   {"topics":{"orders":{"logEnd":81920,"queues":{"0":55,"3":7}}}}
//
// "logEnd": what lies behind it in the log is newer than the deletion. Once the log begins there,
// none of the topic's old records is left, and nothing needs to be remembered.
#pragma once

#include <map>
#include <utility>
#include <vector>

#include "engine/broker/config_content.hpp"
#include "engine/types/ids.hpp"

namespace drydock {

class DeletedTopics : public ConfigContent {
 public:
  static constexpr std::size_t kTopicsMax = 20'000;
  static constexpr std::size_t kQueuesMax = 1'000'000;  // Of all topics.

  // The next number of each queue of a topic.
  using Numbers = std::vector<std::pair<std::int32_t, QueueOffset>>;

  // A topic is deleted while the log ends at `log_end`. False, and nothing is changed, if that is
  // one too many. Without a number there is nothing to remember.
  bool remember(std::string_view topic, const Numbers& numbers, PhysicalOffset log_end);
  // The log begins at `log_begin`.
  void forget_before(PhysicalOffset log_begin);

  struct Queue {
    std::string_view topic;
    std::int32_t queue_id = 0;
    QueueOffset next;
  };
  // In the order of topics and queue ids; valid until the next change.
  std::vector<Queue> all() const;

  bool read(std::string_view text) override;
  std::string write() const override;
  std::uint64_t changes() const override { return changes_; }

 private:
  struct Deleted {
    PhysicalOffset log_end;
    std::map<std::int32_t, QueueOffset> next;  // By queue id.
  };
  using Table = std::map<std::string, Deleted, std::less<>>;

  static std::size_t queues_of(const Table& topics);

  Table topics_;
  std::uint64_t changes_ = 0;
};

}  // namespace drydock
