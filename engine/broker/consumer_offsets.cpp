#include "engine/broker/consumer_offsets.hpp"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <set>

#include "engine/wire/json_text.hpp"
#include "engine/wire/remoting_command.hpp"

namespace drydock {

namespace {

using Json = nlohmann::json;

constexpr char kBetween = '@';
constexpr std::uint64_t kVersionStep = 500;  // consumerOffsetUpdateVersionStep
constexpr JsonLimits kLimits{.bytes = 256 * 1024 * 1024, .values = 20'000'000, .depth = 8};

// Whatever is kept can be read back. A pair stands in the file twice, once in each map, an entry
// once; the rest is quotes, tabs and the like.
constexpr std::size_t kPairBytesMax = 2 * (2 * kWireNameBytesMax + 1) + 64;
constexpr std::size_t kEntryBytesMax = 48;
static_assert(ConsumerOffsets::kPairsMax * kPairBytesMax +
                  ConsumerOffsets::kEntriesMax * kEntryBytesMax + 1024 <
              kLimits.bytes);
static_assert(ConsumerOffsets::kPairsMax * 4 + ConsumerOffsets::kEntriesMax < kLimits.values);

// JSON has such characters as they are.
bool name_allowed(std::string_view name) {
  const auto plain = [](char c) { return c > ' ' && c <= '~' && c != '"' && c != '\\'; };
  return !name.empty() && name.size() <= kWireNameBytesMax && std::ranges::all_of(name, plain);
}

// "topic@group".
bool key_allowed(std::string_view key) {
  const std::size_t between = key.find(kBetween);
  return between != std::string_view::npos && name_allowed(key.substr(0, between)) &&
         name_allowed(key.substr(between + 1));
}

std::string key_of(const ConsumerOffsets::Place& place) {
  std::string key(place.topic);
  key += kBetween;
  key += place.group;
  return key;
}

}  // namespace

bool ConsumerOffsets::commit(const Place& place, std::int64_t offset, std::int64_t now_ms) {
  std::string key = key_of(place);
  if (!key_allowed(key) || !insert(table_, std::move(key), place.queue_id, offset)) return false;
  if (++changes_ % kVersionStep == 0) {
    ++version_.counter;
    version_.timestamp_ms = now_ms;
  }
  return true;
}

bool ConsumerOffsets::insert(Table& table, std::string key, std::int32_t queue_id,
                             std::int64_t offset) {
  const auto pair = table.offsets.find(key);
  const bool new_pair = pair == table.offsets.end();
  const bool new_entry = new_pair || !pair->second.contains(queue_id);
  if (new_pair && table.offsets.size() >= kPairsMax) return false;
  if (new_entry && table.entries >= kEntriesMax) return false;
  table.offsets[std::move(key)].insert_or_assign(queue_id, offset);
  table.entries += new_entry ? 1 : 0;
  return true;
}

std::optional<std::int64_t> ConsumerOffsets::find(const Place& place) const {
  const auto pair = table_.offsets.find(key_of(place));
  if (pair == table_.offsets.end()) return std::nullopt;
  const auto queue = pair->second.find(place.queue_id);
  if (queue == pair->second.end()) return std::nullopt;
  return queue->second;
}

void ConsumerOffsets::lower(const EndOf& end_of) {
  for (auto& [key, queues] : table_.offsets) {
    const std::string_view topic = std::string_view(key).substr(0, key.find(kBetween));
    for (auto& [queue_id, offset] : queues) {
      const std::int64_t end = end_of(topic, queue_id);
      if (offset <= end) continue;
      offset = end;
      ++changes_;
    }
  }
}

bool ConsumerOffsets::remove_topic(std::string_view topic) {
  const std::size_t removed = std::erase_if(table_.offsets, [&](const auto& entry) {
    const std::string_view pair = entry.first;
    if (pair.substr(0, pair.find(kBetween)) != topic) return false;
    table_.entries -= entry.second.size();
    return true;
  });
  changes_ += removed;
  return removed > 0;
}

std::vector<std::string> ConsumerOffsets::topics_of(std::string_view group) const {
  std::vector<std::string> topics;
  for (const auto& [key, queues] : table_.offsets) {
    const std::string_view pair = key;
    const std::size_t between = pair.find(kBetween);
    if (pair.substr(between + 1) == group) topics.emplace_back(pair.substr(0, between));
  }
  return topics;
}

std::optional<ConsumerOffsets::Told> ConsumerOffsets::parse(std::string_view text) {
  const std::optional<Json> root = read_json(text, kLimits);
  if (!root || !root->is_object()) return std::nullopt;
  Told told;
  if (const Json* const pairs = object_member(*root, "offsetTable")) {
    for (const auto& [key, queues] : pairs->items()) {
      if (!queues.is_object()) return std::nullopt;
      if (!key_allowed(key)) continue;
      for (const auto& [id, offset] : queues.items()) {
        const auto queue_id = parse_decimal<std::int32_t>(id);
        if (!queue_id || !offset.is_number_integer()) return std::nullopt;
        if (!insert(told.table, key, *queue_id, offset.get<std::int64_t>())) return std::nullopt;
      }
    }
  }
  told.version = read_data_version_member(*root);
  return told;
}

bool ConsumerOffsets::read(std::string_view text) {
  std::optional<Told> told = parse(text);
  if (!told) return false;
  table_ = std::move(told->table);
  version_ = told->version.value_or(version_);
  ++changes_;
  return true;
}

bool ConsumerOffsets::follow(std::string_view text) {
  std::optional<Told> told = parse(text);
  if (!told) return false;
  Table& all = told->table;
  for (const auto& [key, queues] : table_.offsets) {
    if (all.offsets.contains(key)) continue;
    for (const auto& [id, offset] : queues) {
      if (!insert(all, key, id, offset)) return false;
    }
  }
  if (all.offsets == table_.offsets) return true;
  table_ = std::move(all);
  version_ = told->version.value_or(version_);
  ++changes_;
  return true;
}

std::string ConsumerOffsets::write() const {
  std::map<std::string_view, std::set<std::string_view>> topics_of_groups;
  JsonWriter writer;
  writer.begin_object();
  write_data_version_member(writer, version_);
  for (const auto& [key, queues] : table_.offsets) {
    const std::string_view pair = key;
    const std::size_t between = pair.find(kBetween);
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
  for (const auto& [key, queues] : table_.offsets) {
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
