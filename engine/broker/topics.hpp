// Which topics exist, and the rules for their names (storage reference, 1.2, 2.7 and 6.1). Pure.
//
// A topic that is sent to and does not exist is made after the model of TBW102, if the
// configuration allows and there are not too many. Kept in config/topics.json.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "engine/broker/config_content.hpp"
#include "engine/broker/system_topics.hpp"
#include "engine/wire/register_broker.hpp"

namespace drydock {

// Letters, digits, %, |, _ and -, at most 127 of them, at least one.
bool topic_name_allowed(std::string_view topic);

// The topics of a group: what failed, to be consumed again, and what has failed too often.
inline constexpr std::string_view kRetryTopicPrefix = "%RETRY%";
inline constexpr std::string_view kDeadLetterTopicPrefix = "%DLQ%";
inline std::string retry_topic_of(std::string_view group) {
  return std::string(kRetryTopicPrefix) += group;
}
inline std::string dead_letter_topic_of(std::string_view group) {
  return std::string(kDeadLetterTopicPrefix) += group;
}

class Topics : public ConfigContent {
 public:
  struct Options {
    bool auto_create = true;
    std::int32_t queue_count = 8;  // Of TBW102: the most that a new topic gets.
    std::string cluster_name = "DefaultCluster";
    std::string broker_name = "broker";
  };
  // So many are kept. All of them are written into one file and told in one frame, which must hold
  // them; RocketMQ knows no bound, and fails there.
  static constexpr std::size_t kCountMax = 20'000;

  // Begins with the topics of the system, as of `now_ms` (wall time).
  Topics(Options options, std::int64_t now_ms);

  // The number of queues of `topic`. A missing one is made with as many queues as the client asks
  // for, within limits; none if it is missing and may not be made from `model`, or is one too many.
  std::optional<std::int32_t> find_or_create(std::string_view topic, std::string_view model,
                                             std::int32_t queues_wanted, std::int64_t now_ms);

  // The same of a topic that the broker itself needs: made with `queues`, to read and write,
  // without a model. None if its name is not allowed or it is one too many.
  std::optional<std::int32_t> find_or_add(std::string_view topic, std::int32_t queues,
                                          std::int64_t now_ms);

  // An operator makes or changes a topic, whose name is allowed; what is kept of it without being
  // understood stays, but for `order`. False, and nothing is changed, if it is one too many or if
  // too much would be kept.
  bool update(TopicConfig topic, std::int64_t now_ms);

  // Takes a topic away; false if there is none.
  bool remove(std::string_view topic, std::int64_t now_ms);

  // The topic; nullptr if it does not exist. Valid until the next change.
  const TopicConfig* find(std::string_view topic) const;

  // What a name server should know: everything, in the order of the names, or one topic alone; none
  // if it does not exist (a name server would take an empty list for one of all topics).
  RegisterBrokerBody all() const;
  std::optional<RegisterBrokerBody> only(std::string_view topic) const;
  // The topics that were made or changed since the last call, each once, in the order of the first
  // change.
  std::vector<std::string> take_new();
  bool has_new() const { return !new_.empty(); }

  // The topics of the master, of whom this broker is a slave, take the place of all that there are.
  // False, and nothing is changed, if they are no table of topics or too many.
  bool follow(std::string_view text);

  // The topics in a file replace those of the same name.
  bool read(std::string_view text) override;
  std::string write() const override;
  std::uint64_t changes() const override { return changes_; }

 private:
  using Table = std::map<std::string, TopicConfig, std::less<>>;

  // Adds those of `read` to `topics` and takes them, if there is room for all.
  bool take(Table topics, RegisterBrokerBody read);
  void add_new(std::string_view topic, std::int32_t queues, std::int64_t now_ms);
  void note_change(std::string name, std::int64_t now_ms);
  void add(std::string name, std::int32_t queues,
           std::int32_t permissions = permission::kRead | permission::kWrite);

  Options options_;
  DataVersion version_;
  Table topics_;
  std::size_t kept_bytes_ = 0;  // Of all topics.
  std::vector<std::string> new_;
  std::set<std::string, std::less<>> names_of_new_;
  std::uint64_t changes_ = 0;
};

}  // namespace drydock
