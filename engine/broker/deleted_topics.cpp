#include "engine/broker/deleted_topics.hpp"

#include <algorithm>
#include <nlohmann/json.hpp>

#include "engine/broker/topics.hpp"
#include "engine/store/consume_queue_unit.hpp"
#include "engine/wire/json_text.hpp"
#include "engine/wire/remoting_command.hpp"

namespace drydock {

namespace {

using Json = nlohmann::json;

// An integer of a file, at least 0.
std::optional<std::int64_t> count_of(const Json& json) {
  if (!json.is_number_integer()) return std::nullopt;
  const auto value = json.get<std::int64_t>();
  return value < 0 ? std::nullopt : std::optional(value);
}

}  // namespace

std::size_t DeletedTopics::queues_of(const Table& topics) {
  std::size_t queues = 0;
  for (const auto& [topic, deleted] : topics) queues += deleted.next.size();
  return queues;
}

bool DeletedTopics::remember(std::string_view topic, const Numbers& numbers,
                             PhysicalOffset log_end) {
  if (numbers.empty()) return true;
  const auto known = topics_.find(topic);
  const auto is_new = [&](const auto& number) {
    return known == topics_.end() || !known->second.next.contains(number.first);
  };
  const auto added = static_cast<std::size_t>(std::ranges::count_if(numbers, is_new));
  if (known == topics_.end() && topics_.size() >= kTopicsMax) return false;
  if (queues_of(topics_) + added > kQueuesMax) return false;
  Deleted& deleted = topics_[std::string(topic)];
  deleted.log_end = log_end;
  for (const auto& [queue_id, next] : numbers) {
    QueueOffset& kept = deleted.next[queue_id];
    kept = std::max(kept, next);
  }
  ++changes_;
  return true;
}

void DeletedTopics::forget_before(PhysicalOffset log_begin) {
  const std::size_t gone = std::erase_if(
      topics_, [log_begin](const auto& topic) { return topic.second.log_end <= log_begin; });
  if (gone > 0) ++changes_;
}

std::vector<DeletedTopics::Queue> DeletedTopics::all() const {
  std::vector<Queue> queues;
  for (const auto& [topic, deleted] : topics_) {
    for (const auto& [queue_id, next] : deleted.next) {
      queues.push_back({.topic = topic, .queue_id = queue_id, .next = next});
    }
  }
  return queues;
}

bool DeletedTopics::read(std::string_view text) {
  const std::optional<Json> root = read_json(text);
  if (!root || !root->is_object()) return false;
  const Json* const table = object_member(*root, "topics");
  if (table == nullptr || !table->is_object()) return false;
  Table topics;
  for (const auto& [topic, member] : table->items()) {
    const Json* const queues = object_member(member, "queues");
    if (!topic_name_allowed(topic) || !member.contains("logEnd") || queues == nullptr) return false;
    const std::optional<std::int64_t> log_end = count_of(member["logEnd"]);
    if (!log_end) return false;
    Deleted& deleted = topics[topic];
    deleted.log_end = PhysicalOffset(*log_end);
    for (const auto& [queue, number] : queues->items()) {
      const auto queue_id = parse_decimal<std::int32_t>(queue);
      const std::optional<std::int64_t> next = count_of(number);
      if (!queue_id || *queue_id < 0 || !next || !has_position(QueueOffset(*next))) return false;
      deleted.next.insert_or_assign(*queue_id, QueueOffset(*next));
    }
  }
  if (topics.size() > kTopicsMax || queues_of(topics) > kQueuesMax) return false;
  topics_ = std::move(topics);
  ++changes_;
  return true;
}

std::string DeletedTopics::write() const {
  JsonWriter writer;
  writer.begin_object().key("topics").begin_object();
  for (const auto& [topic, deleted] : topics_) {
    writer.key(topic).begin_object().key("logEnd").number(deleted.log_end.value());
    writer.key("queues").begin_object();
    for (const auto& [queue_id, next] : deleted.next) {
      writer.key(queue_id, JsonKeys::all_quoted).number(next.value());
    }
    writer.end_object().end_object();
  }
  writer.end_object().end_object();
  return indented(writer.view());
}

}  // namespace drydock
