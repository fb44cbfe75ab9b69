#include "engine/broker/subscription_groups.hpp"

#include <algorithm>
#include <nlohmann/json.hpp>

#include "engine/broker/topics.hpp"
#include "engine/wire/json_text.hpp"

namespace drydock {

namespace {

using Json = nlohmann::json;

constexpr std::int32_t kRetryQueuesMax = 65'535;
// Of all groups as JSON: what is kept can be read back.
constexpr std::size_t kTextBytesMax = JsonLimits().bytes / 2;

std::string default_json(std::string_view group) {
  JsonWriter writer;
  writer.begin_object();
  writer.key("attributes").begin_object().end_object();
  writer.key("brokerId").number(0);
  writer.key("consumeBroadcastEnable").boolean(true);
  writer.key("consumeEnable").boolean(true);
  writer.key("consumeFromMinEnable").boolean(true);
  writer.key("consumeMessageOrderly").boolean(false);
  writer.key("consumeTimeoutMinute").number(15);
  writer.key("groupName").text(group);
  writer.key("groupRetryPolicy").begin_object().key("type").text("CUSTOMIZED").end_object();
  writer.key("groupSysFlag").number(0);
  writer.key("notifyConsumerIdsChangedEnable").boolean(true);
  writer.key("retryMaxTimes").number(16);
  writer.key("retryQueueNums").number(1);
  writer.key("whichBrokerWhenConsumeSlowly").number(1);
  writer.end_object();
  return writer.take();
}

std::int32_t number_of(const Json& json, const char* name, std::int32_t fallback,
                       std::int32_t most) {
  const std::int64_t number = integer_member(json, name, fallback);
  return static_cast<std::int32_t>(std::clamp<std::int64_t>(number, -1, most));
}

SubscriptionGroup group_of(const Json& json) {
  const SubscriptionGroup usual;
  return {.retry_queues =
              std::max(0, number_of(json, "retryQueueNums", usual.retry_queues, kRetryQueuesMax)),
          .retry_times_max = number_of(json, "retryMaxTimes", usual.retry_times_max, INT32_MAX),
          .consume_enable = bool_member(json, "consumeEnable", true),
          .notify_changes = bool_member(json, "notifyConsumerIdsChangedEnable", true),
          .broker_id = integer_member(json, "brokerId", usual.broker_id),
          .when_slow_id = integer_member(json, "whichBrokerWhenConsumeSlowly", usual.when_slow_id)};
}

}  // namespace

const SubscriptionGroup* SubscriptionGroups::find_or_create(std::string_view group,
                                                            std::int64_t now_ms) {
  const auto known = table_.find(group);
  if (known != table_.end()) return &known->second.group;
  if (!auto_create_ || table_.size() >= kCountMax || !topic_name_allowed(group)) return nullptr;
  const auto added = table_.emplace(group, Entry{default_, default_json(group)}).first;
  ++changes_;
  ++version_.counter;
  version_.timestamp_ms = now_ms;
  return &added->second.group;
}

const SubscriptionGroup* SubscriptionGroups::find(std::string_view group) const {
  const auto known = table_.find(group);
  if (known != table_.end()) return &known->second.group;
  return auto_create_ ? &default_ : nullptr;
}

bool SubscriptionGroups::follow(std::string_view text) {
  const std::optional<Json> root = read_json(text);
  if (!root || !root->is_object()) return false;
  return read_data_version_member(*root) == version_ || take(*root);
}

bool SubscriptionGroups::read(std::string_view text) {
  const std::optional<Json> root = read_json(text);
  return root && root->is_object() && take(*root);
}

bool SubscriptionGroups::take(const nlohmann::json& root) {
  Table table;
  std::size_t bytes = 0;
  if (const Json* const groups = object_member(root, "subscriptionGroupTable")) {
    for (const auto& [name, json] : groups->items()) {
      if (!json.is_object()) return false;
      if (!topic_name_allowed(name)) continue;
      std::string kept = json.dump(-1, ' ', false, Json::error_handler_t::replace);
      bytes += kept.size() + name.size();
      table.emplace(name, Entry{group_of(json), std::move(kept)});
    }
  }
  if (table.size() > kCountMax || bytes > kTextBytesMax) return false;
  table_ = std::move(table);
  if (const Json* const forbidden = object_member(root, "forbiddenTable")) {
    forbidden_ = forbidden->dump(-1, ' ', false, Json::error_handler_t::replace);
  }
  version_ = read_data_version_member(root).value_or(version_);
  ++changes_;
  return true;
}

std::string SubscriptionGroups::write() const {
  JsonWriter writer;
  writer.begin_object();
  write_data_version_member(writer, version_);
  writer.key("forbiddenTable").raw(forbidden_);
  writer.key("subscriptionGroupTable").begin_object();
  for (const auto& [name, entry] : table_) writer.key(name).raw(entry.json);
  writer.end_object().end_object();
  return indented(writer.view());
}

}  // namespace drydock
