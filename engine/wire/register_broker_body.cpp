#include <algorithm>
#include <array>
#include <nlohmann/json.hpp>
#include <utility>

#include "engine/wire/compression.hpp"
#include "engine/wire/json_text.hpp"
#include "engine/wire/register_broker.hpp"

namespace drydock {

namespace {

using Json = nlohmann::json;

constexpr std::size_t kInflatedBytesMax = 16 * 1024 * 1024;
constexpr std::int32_t kTopicsMax = 1'000'000;

// Members that are written and not looked at, with RocketMQ's defaults.
constexpr std::array<std::pair<std::string_view, std::string_view>, 3> kOnlyWritten = {
    {{"attributes", "{}"}, {"order", "false"}, {"topicFilterType", "\"SINGLE_TAG\""}}};
constexpr std::array<std::string_view, 5> kRead = {"perm", "readQueueNums", "topicName",
                                                   "topicSysFlag", "writeQueueNums"};

std::string as_json(std::string_view text) {
  JsonWriter writer;
  writer.text(text);
  return writer.take();
}

// Members in the order of their names, as RocketMQ writes them.
void write_topic(JsonWriter& writer, const TopicConfig& topic) {
  auto members = topic.kept;
  for (const auto& [name, json] : kOnlyWritten) members.emplace(name, json);
  members.emplace("perm", DecimalText(topic.permissions).view());
  members.emplace("readQueueNums", DecimalText(topic.read_queues).view());
  members.emplace("topicName", as_json(topic.topic));
  members.emplace("topicSysFlag", DecimalText(topic.topic_sys_flag).view());
  members.emplace("writeQueueNums", DecimalText(topic.write_queues).view());
  writer.begin_object();
  for (const auto& [name, json] : members) writer.key(name).raw(json);
  writer.end_object();
}

std::int32_t small_number(std::int64_t value) {
  return value < 0 || value > kQueuesMax ? 0 : static_cast<std::int32_t>(value);
}

// The members that a topic keeps without looking at them.
void keep_others(const Json& object, TopicConfig& topic) {
  if (!object.is_object()) return;
  for (const auto& [name, value] : object.items()) {
    if (std::ranges::find(kRead, name) != kRead.end()) continue;
    std::string json = value.dump(-1, ' ', false, Json::error_handler_t::replace);
    const auto is_default = [&](const auto& member) {
      return member.first == name && member.second == json;
    };
    if (std::ranges::any_of(kOnlyWritten, is_default)) continue;
    topic.kept.emplace(name, std::move(json));
  }
}

// No queues where the object does not say: RocketMQ's own defaults are 16, but its writers always
// say.
TopicConfig read_topic(const std::string& name, const Json& object) {
  TopicConfig topic;
  topic.topic = name;
  topic.read_queues = small_number(integer_member(object, "readQueueNums", 0));
  topic.write_queues = small_number(integer_member(object, "writeQueueNums", 0));
  topic.permissions = small_number(integer_member(object, "perm", topic.permissions));
  topic.topic_sys_flag = small_number(integer_member(object, "topicSysFlag", 0));
  keep_others(object, topic);
  return topic;
}

void write_wrapper(JsonWriter& writer, const RegisterBrokerBody& body) {
  writer.begin_object();
  write_data_version_member(writer, body.data_version);
  writer.key("mappingDataVersion");
  write_data_version(writer, {.timestamp_ms = body.data_version.timestamp_ms});
  writer.key("topicConfigTable").begin_object();
  for (const TopicConfig& topic : body.topics) {
    writer.key(topic.topic);
    write_topic(writer, topic);
  }
  writer.end_object();
  writer.key("topicQueueMappingDetailMap").begin_object().end_object();
  writer.key("topicQueueMappingInfoMap").begin_object().end_object();
  writer.end_object();
}

}  // namespace

std::string encode_topic(const TopicConfig& topic) {
  JsonWriter writer;
  write_topic(writer, topic);
  return writer.take();
}

namespace {

std::string to_json(const RegisterBrokerBody& body) {
  JsonWriter writer;
  writer.begin_object();
  writer.key("filterServerList").begin_array().end_array();
  writer.key("topicConfigSerializeWrapper");
  write_wrapper(writer, body);
  writer.end_object();
  return writer.take();
}

RegisterBrokerBody read_wrapper(const Json& wrapper) {
  RegisterBrokerBody body;
  body.data_version = read_data_version_member(wrapper).value_or(DataVersion());
  if (const Json* const table = object_member(wrapper, "topicConfigTable")) {
    for (const auto& [name, topic] : table->items()) body.topics.push_back(read_topic(name, topic));
  }
  return body;
}

std::optional<RegisterBrokerBody> from_json(std::string_view text) {
  const std::optional<Json> root = read_json(text);
  if (!root || !root->is_object()) return std::nullopt;
  const Json* const wrapper = object_member(*root, "topicConfigSerializeWrapper");
  if (wrapper == nullptr) return std::nullopt;
  return read_wrapper(*wrapper);
}

std::string spaced_topic(const TopicConfig& topic) {
  std::string text = topic.topic;
  for (const std::int32_t value : {topic.read_queues, topic.write_queues, topic.permissions}) {
    text += ' ';
    text += DecimalText(value).view();
  }
  return text + " SINGLE_TAG {}";
}

bool read_spaced_topic(std::string_view text, TopicConfig& topic) {
  const auto next = [&text] {
    const std::size_t space = text.find(' ');
    const std::string_view part = text.substr(0, space);
    text = space == std::string_view::npos ? std::string_view() : text.substr(space + 1);
    return part;
  };
  topic.topic = next();
  std::array<std::int64_t, 3> numbers{};
  for (std::int64_t& number : numbers) {
    if (!read_number(next(), number)) return false;
  }
  topic.read_queues = small_number(numbers[0]);
  topic.write_queues = small_number(numbers[1]);
  topic.permissions = small_number(numbers[2]);
  return !topic.topic.empty();
}

void append_integer(std::string& into, std::size_t value) {
  std::array<std::byte, 4> bytes;
  write_big_endian(bytes.data(), static_cast<std::int32_t>(value));
  into += as_text(bytes);
}

void append_sized(std::string& into, std::string_view text) {
  append_integer(into, text.size());
  into += text;
}

SharedBytes to_compressed(const RegisterBrokerBody& body) {
  JsonWriter version;
  write_data_version(version, body.data_version);
  std::string plain;
  append_sized(plain, version.view());
  append_integer(plain, body.topics.size());
  for (const TopicConfig& topic : body.topics) append_sized(plain, spaced_topic(topic));
  append_sized(plain, "[]");  // No filter servers,
  append_integer(plain, 0);   // no topics with queues on several brokers.
  return deflate_bytes(as_byte_span(plain));
}

std::optional<RegisterBrokerBody> from_compressed(std::span<const std::byte> bytes) {
  const std::optional<std::string> plain = inflate_bytes(bytes, kInflatedBytesMax);
  if (!plain) return std::nullopt;
  BigEndianReader reader(as_byte_span(*plain));
  const auto version_text = as_text(reader.bytes(reader.integer<std::int32_t>()));
  const auto count = reader.integer<std::int32_t>();
  const std::optional<Json> version = read_json(version_text);
  if (!reader.ok() || !version || count < 0 || count > kTopicsMax) return std::nullopt;
  RegisterBrokerBody body;
  body.data_version = read_data_version(*version);
  for (std::int32_t i = 0; i < count; ++i) {
    const auto text = as_text(reader.bytes(reader.integer<std::int32_t>()));
    TopicConfig topic;
    if (!reader.ok() || !read_spaced_topic(text, topic)) return std::nullopt;
    body.topics.push_back(std::move(topic));
  }
  return body;  // What follows tells of filter servers and of static topics.
}

}  // namespace

std::string encode_topic_table(const RegisterBrokerBody& topics) {
  JsonWriter writer;
  write_wrapper(writer, topics);
  return writer.take();
}

std::optional<RegisterBrokerBody> decode_topic_table(std::string_view text) {
  const std::optional<Json> root = read_json(text);
  if (!root || object_member(*root, "topicConfigTable") == nullptr) return std::nullopt;
  return read_wrapper(*root);
}

SharedBytes encode_register_broker_body(const RegisterBrokerBody& body, BodyForm form) {
  if (form == BodyForm::compressed) return to_compressed(body);
  return SharedBytes::copy_of(to_json(body));
}

std::optional<RegisterBrokerBody> decode_register_broker_body(std::span<const std::byte> body,
                                                              BodyForm form) {
  if (form == BodyForm::compressed) return from_compressed(body);
  return from_json(as_text(body));
}

}  // namespace drydock
