#include "engine/broker/delay_offsets.hpp"

#include <nlohmann/json.hpp>

#include "engine/store/delay_levels.hpp"
#include "engine/wire/json_text.hpp"
#include "engine/wire/remoting_command.hpp"

namespace drydock {

namespace {

using Json = nlohmann::json;

constexpr std::uint64_t kVersionStep = 200;  // delayOffsetUpdateVersionStep
constexpr std::size_t kLevelsMax = DelayLevels::kCountMax;

}  // namespace

QueueOffset DelayOffsets::of(std::int32_t level) const {
  const auto next = next_.find(level);
  return next == next_.end() ? QueueOffset() : next->second;
}

void DelayOffsets::set(std::int32_t level, QueueOffset next, std::int64_t now_ms) {
  if (of(level) == next) return;
  next_.insert_or_assign(level, next);
  if (++changes_ % kVersionStep == 0) {
    ++version_.counter;
    version_.timestamp_ms = now_ms;
  }
}

bool DelayOffsets::read(std::string_view text) {
  const std::optional<Json> root = read_json(text);
  if (!root || !root->is_object()) return false;
  std::map<std::int32_t, QueueOffset> next = next_;
  if (const Json* const table = object_member(*root, "offsetTable")) {
    for (const auto& [level, offset] : table->items()) {
      const auto number = parse_decimal<std::int32_t>(level);
      if (!number || !offset.is_number_integer()) return false;
      next.insert_or_assign(*number, QueueOffset(offset.get<std::int64_t>()));
    }
  }
  if (next.size() > kLevelsMax) return false;
  next_ = std::move(next);
  version_ = read_data_version_member(*root).value_or(version_);
  ++changes_;
  return true;
}

std::string DelayOffsets::write() const {
  JsonWriter writer;
  writer.begin_object();
  write_data_version_member(writer, version_);
  writer.key("offsetTable").begin_object();
  for (const auto& [level, next] : next_) {
    writer.key(level, JsonKeys::integers_bare).number(next.value());
  }
  writer.end_object().end_object();
  return indented(writer.view());
}

}  // namespace drydock
