#include "engine/broker/topics.hpp"

#include <algorithm>
#include <utility>

#include "engine/wire/json_text.hpp"
#include "engine/wire/remoting_frame.hpp"

namespace drydock {

namespace {

constexpr std::size_t kTopicCharactersMax = 127;

// What a topic of the longest name takes in topics.json, at most; in a frame it takes less.
constexpr std::size_t kTopicTextBytesMax = 2 * kTopicCharactersMax + 300;
// Of the members of all topics that are kept without being understood, names and commas included.
constexpr std::size_t kKeptBytesMax = 4 << 20;
constexpr std::size_t kTableBytesMax = Topics::kCountMax * kTopicTextBytesMax + kKeptBytesMax;
static_assert(kTableBytesMax < JsonLimits().bytes);
static_assert(kTableBytesMax < static_cast<std::size_t>(kFrameBytesMax));

std::size_t kept_bytes(const TopicConfig& topic) {
  std::size_t bytes = 0;
  for (const auto& [name, json] : topic.kept) bytes += 2 * name.size() + json.size() + 4;
  return bytes;
}

bool allowed(char c) {
  return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '%' ||
         c == '|' || c == '_' || c == '-';
}

}  // namespace

bool topic_name_allowed(std::string_view topic) {
  return !topic.empty() && topic.size() <= kTopicCharactersMax &&
         std::ranges::all_of(topic, &allowed);
}

Topics::Topics(Options options, std::int64_t now_ms) : options_(std::move(options)) {
  constexpr std::int32_t kAll = permission::kInherit | permission::kRead | permission::kWrite;
  version_.timestamp_ms = now_ms;
  add("SELF_TEST_TOPIC", 1);
  if (options_.auto_create) add(std::string(kAutoCreateTopic), options_.queue_count, kAll);
  add("BenchmarkTest", 1024);
  add(options_.cluster_name, 16, kAll);
  add(options_.broker_name, 1, kAll);
  add("OFFSET_MOVED_EVENT", 1);
  add("SCHEDULE_TOPIC_XXXX", 18);
  add(options_.cluster_name + "_REPLY_TOPIC", 1);
  add("rmq_sys_REVIVE_LOG_" + options_.cluster_name, 8);
  add("rmq_sys_SYNC_BROKER_MEMBER_" + options_.broker_name, 1, permission::kInherit);
  add("RMQ_SYS_TRANS_HALF_TOPIC", 1);
  add("RMQ_SYS_TRANS_OP_HALF_TOPIC", 1);
  add("rmq_sys_wheel_timer", 1);
}

void Topics::add(std::string name, std::int32_t queues, std::int32_t permissions) {
  TopicConfig topic{
      .topic = name, .read_queues = queues, .write_queues = queues, .permissions = permissions};
  topics_.insert_or_assign(std::move(name), std::move(topic));
}

std::optional<std::int32_t> Topics::find_or_create(std::string_view topic, std::string_view model,
                                                   std::int32_t queues_wanted,
                                                   std::int64_t now_ms) {
  const auto found = topics_.find(topic);
  if (found != topics_.end()) return found->second.write_queues;
  if (!options_.auto_create || model != kAutoCreateTopic) return std::nullopt;
  if (topics_.size() >= kCountMax) return std::nullopt;
  const std::int32_t count = std::clamp(queues_wanted, 0, options_.queue_count);
  add_new(topic, count, now_ms);
  return count;
}

std::optional<std::int32_t> Topics::find_or_add(std::string_view topic, std::int32_t queues,
                                                std::int64_t now_ms) {
  const auto found = topics_.find(topic);
  if (found != topics_.end()) return found->second.write_queues;
  if (!topic_name_allowed(topic) || topics_.size() >= kCountMax) return std::nullopt;
  add_new(topic, queues, now_ms);
  return queues;
}

void Topics::add_new(std::string_view topic, std::int32_t queues, std::int64_t now_ms) {
  add(std::string(topic), queues);
  note_change(std::string(topic), now_ms);
}

bool Topics::update(TopicConfig topic, std::int64_t now_ms) {
  const auto found = topics_.find(topic.topic);
  if (found == topics_.end() && topics_.size() >= kCountMax) return false;
  std::string name = topic.topic;
  std::size_t others_bytes = kept_bytes_;
  if (found != topics_.end()) {
    others_bytes -= kept_bytes(found->second);
    for (const auto& [member, json] : found->second.kept) {
      if (member != "order") topic.kept.emplace(member, json);
    }
  }
  const std::size_t own_bytes = kept_bytes(topic);
  if (own_bytes > kKeptBytesMax - others_bytes) return false;
  kept_bytes_ = others_bytes + own_bytes;
  topics_.insert_or_assign(name, std::move(topic));
  note_change(std::move(name), now_ms);
  return true;
}

bool Topics::remove(std::string_view topic, std::int64_t now_ms) {
  const auto found = topics_.find(topic);
  if (found == topics_.end()) return false;
  kept_bytes_ -= kept_bytes(found->second);
  topics_.erase(found);
  ++changes_;
  ++version_.counter;
  version_.timestamp_ms = now_ms;
  return true;
}

void Topics::note_change(std::string name, std::int64_t now_ms) {
  const bool first = names_of_new_.insert(name).second;
  if (first) new_.push_back(std::move(name));
  ++changes_;
  ++version_.counter;
  version_.timestamp_ms = now_ms;
}

const TopicConfig* Topics::find(std::string_view topic) const {
  const auto found = topics_.find(topic);
  return found == topics_.end() ? nullptr : &found->second;
}

bool Topics::read(std::string_view text) {
  std::optional<RegisterBrokerBody> read = decode_topic_table(text);
  return read && take(topics_, std::move(*read));
}

bool Topics::follow(std::string_view text) {
  std::optional<RegisterBrokerBody> read = decode_topic_table(text);
  if (!read) return false;
  if (read->data_version == version_) return true;
  return take({}, std::move(*read));
}

bool Topics::take(Table topics, RegisterBrokerBody read) {
  for (TopicConfig& topic : read.topics) {
    const std::string name = topic.topic;
    if (topic_name_allowed(name)) topics.insert_or_assign(name, std::move(topic));
  }
  std::size_t kept = 0;
  for (const auto& [name, topic] : topics) kept += kept_bytes(topic);
  if (topics.size() > kCountMax || kept > kKeptBytesMax) return false;
  topics_ = std::move(topics);
  kept_bytes_ = kept;
  version_ = read.data_version;
  ++changes_;
  return true;
}

std::string Topics::write() const { return indented(encode_topic_table(all())); }

RegisterBrokerBody Topics::all() const {
  RegisterBrokerBody body{.data_version = version_};
  for (const auto& [name, topic] : topics_) body.topics.push_back(topic);
  return body;
}

std::optional<RegisterBrokerBody> Topics::only(std::string_view topic) const {
  const TopicConfig* const found = find(topic);
  if (found == nullptr) return std::nullopt;
  return RegisterBrokerBody{.data_version = version_, .topics = {*found}};
}

std::vector<std::string> Topics::take_new() {
  names_of_new_.clear();
  return std::exchange(new_, {});
}

}  // namespace drydock
