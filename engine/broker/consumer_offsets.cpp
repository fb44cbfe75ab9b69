#include "engine/broker/consumer_offsets.hpp"

#include <nlohmann/json.hpp>
#include <set>

#include "engine/wire/json_text.hpp"
#include "engine/wire/remoting_command.hpp"

namespace drydock {

namespace {

using Json = nlohmann::json;

constexpr char kBetween = '@';
constexpr std::size_t kPairsMax = 1'000'000;
constexpr std::uint64_t kVersionStep = 500;  // consumerOffsetUpdateVersionStep
constexpr JsonLimits kLimits{.bytes = 256 * 1024 * 1024, .values = 20'000'000, .depth = 8};

std::string key_of(const ConsumerOffsets::Place& place) {
  std::string key(place.topic);
  key += kBetween;
  key += place.group;
  return key;
}

}  // namespace

bool ConsumerOffsets::commit(const Place& place, std::int64_t offset, std::int64_t now_ms) {
  std::string key = key_of(place);
  if (table_.size() >= kPairsMax && !table_.contains(key)) return false;
  table_[std::move(key)].insert_or_assign(place.queue_id, offset);
  if (++changes_ % kVersionStep == 0) {
    ++version_.counter;
    version_.timestamp_ms = now_ms;
  }
  return true;
}

std::optional<std::int64_t> ConsumerOffsets::find(const Place& place) const {
  const auto pair = table_.find(key_of(place));
  if (pair == table_.end()) return std::nullopt;
  const auto queue = pair->second.find(place.queue_id);
  if (queue == pair->second.end()) return std::nullopt;
  return queue->second;
}

bool ConsumerOffsets::read(std::string_view text) {
  const std::optional<Json> root = read_json(text, kLimits);
  if (!root || !root->is_object()) return false;
  Table table;
  if (const Json* const pairs = object_member(*root, "offsetTable")) {
    for (const auto& [key, queues] : pairs->items()) {
      if (!queues.is_object()) return false;
      for (const auto& [id, offset] : queues.items()) {
        const auto queue_id = parse_decimal<std::int32_t>(id);
        if (!queue_id || !offset.is_number_integer()) return false;
        table[key][*queue_id] = offset.get<std::int64_t>();
      }
    }
  }
  table_ = std::move(table);
  if (const Json* const version = object_member(*root, "dataVersion")) {
    version_ = {.state_version = integer_member(*version, "stateVersion", 0),
                .counter = integer_member(*version, "counter", 0),
                .timestamp_ms = integer_member(*version, "timestamp", 0)};
  }
  ++changes_;
  return true;
}

std::string ConsumerOffsets::write() const {
  std::map<std::string_view, std::set<std::string_view>> topics_of_groups;
  JsonWriter writer;
  writer.begin_object();
  writer.key("dataVersion").begin_object();
  writer.key("counter").number(version_.counter);
  writer.key("stateVersion").number(version_.state_version);
  writer.key("timestamp").number(version_.timestamp_ms);
  writer.end_object();
  for (const auto& [key, queues] : table_) {
    const std::string_view pair = key;
    const std::size_t between = pair.find(kBetween);
    if (between == std::string_view::npos) continue;
    topics_of_groups[pair.substr(between + 1)].insert(pair.substr(0, between));
  }
  writer.key("groupTopicMap").begin_object();
  for (const auto& [group, topics] : topics_of_groups) {
    writer.key(group).begin_array();
    for (const std::string_view topic : topics) writer.text(topic);
    writer.end_array();
  }
  writer.end_object();
  writer.key("offsetTable").begin_object();
  for (const auto& [key, queues] : table_) {
    writer.key(key).begin_object();
    for (const auto& [id, offset] : queues) {
      writer.key(id, JsonKeys::integers_bare).number(offset);
    }
    writer.end_object();
  }
  writer.end_object().end_object();
  return indented(writer.view());
}

}  // namespace drydock
