// What is configured of each group of consumers (storage reference, 1.2):
// config/subscriptionGroup.json. Pure.
//
// A group that nobody configured gets RocketMQ's defaults when it is first needed, if
// autoCreateSubscriptionGroup allows. Members that nothing here looks at are kept as they are.
#pragma once

#include <map>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <string_view>

#include "engine/broker/config_content.hpp"
#include "engine/wire/data_version.hpp"

namespace drydock {

struct SubscriptionGroup {
  std::int32_t retry_queues = 1;      // retryQueueNums; 0: nothing is consumed again.
  std::int32_t retry_times_max = 16;  // retryMaxTimes
  bool consume_enable = true;         // consumeEnable
  bool notify_changes = true;         // notifyConsumerIdsChangedEnable
  std::int64_t broker_id = 0;         // brokerId: where its members pull.
  std::int64_t when_slow_id = 1;      // whichBrokerWhenConsumeSlowly: those that are far behind.
};

class SubscriptionGroups : public ConfigContent {
 public:
  static constexpr std::size_t kCountMax = 20'000;  // RocketMQ knows no bound.

  explicit SubscriptionGroups(bool auto_create) : auto_create_(auto_create) {}

  // The group; made if it is new. Null: it may not be made, or is one too many. Until the next
  // change. `now_ms`: wall time.
  const SubscriptionGroup* find_or_create(std::string_view group, std::int64_t now_ms);
  // The group as it would be made; null if it may not be.
  const SubscriptionGroup* find(std::string_view group) const;

  // The groups of the master, of whom this broker is a slave, take the place of all that there are.
  // False, and nothing is changed, if they are no table of groups or too many.
  bool follow(std::string_view text);

  bool read(std::string_view text) override;
  std::string write() const override;
  std::uint64_t changes() const override { return changes_; }

 private:
  struct Entry {
    SubscriptionGroup group;
    std::string json;  // All of it.
  };
  using Table = std::map<std::string, Entry, std::less<>>;

  // False, and nothing is changed, as of `follow`.
  bool take(const nlohmann::json& root);

  bool auto_create_;
  SubscriptionGroup default_;
  Table table_;
  std::string forbidden_ = "{}";  // forbiddenTable
  DataVersion version_;
  std::uint64_t changes_ = 0;
};

}  // namespace drydock
