#include "engine/wire/topic_admin.hpp"

#include "engine/wire/json_text.hpp"

namespace drydock {

namespace {

// Calls `read(key, value)` for each field; false: the value is not what the field demands.
template <class Read>
HeaderFault read_fields(std::span<const std::byte> ext_fields, Read read) {
  ExtFieldReader fields(ext_fields);
  std::string_view key;
  std::string_view value;
  while (fields.next(key, value)) {
    if (!read(key, value)) return {key};
  }
  return {};
}

std::string queue_key(const StatsQueue& queue) {
  JsonWriter key;
  key.begin_object();
  key.key("brokerName").text(queue.broker_name);
  key.key("queueId").number(queue.queue_id);
  key.key("topic").text(queue.topic);
  key.end_object();
  return key.take();
}

// The offsets come as integers by name, in the order of the names.
struct NamedNumber {
  std::string_view name;
  std::int64_t value = 0;
};
std::string entry(const StatsQueue& queue, std::span<const NamedNumber> numbers) {
  JsonWriter value;
  value.begin_object();
  for (const NamedNumber& number : numbers) value.key(number.name).number(number.value);
  value.end_object();
  return queue_key(queue) + ":" + value.take();
}

}  // namespace

HeaderFault decode_update_topic_header(std::span<const std::byte> ext_fields,
                                       UpdateTopicHeader& header) {
  header.permissions = -1;
  header.read_queues = -1;
  header.write_queues = -1;
  const HeaderFault fault =
      read_fields(ext_fields, [&header](std::string_view key, std::string_view value) {
        if (key == "topic") return read_name(value, header.topic);
        if (key == "readQueueNums") return read_number(value, header.read_queues);
        if (key == "writeQueueNums") return read_number(value, header.write_queues);
        if (key == "perm") return read_number(value, header.permissions);
        if (key == "topicSysFlag") return read_number(value, header.topic_sys_flag);
        if (key == "order") header.ordered = value == "true";
        if (key == "attributes") header.attributes = value;
        return true;
      });
  if (!fault.ok()) return fault;
  if (header.topic.empty()) return {"topic"};
  if (header.read_queues < 0) return {"readQueueNums"};
  if (header.write_queues < 0) return {"writeQueueNums"};
  return header.permissions < 0 ? HeaderFault{"perm"} : HeaderFault{};
}

HeaderFault decode_topic_stats_header(std::span<const std::byte> ext_fields,
                                      TopicStatsHeader& header) {
  const HeaderFault fault =
      read_fields(ext_fields, [&header](std::string_view key, std::string_view value) {
        return key != "topic" || read_name(value, header.topic);
      });
  return fault.ok() && header.topic.empty() ? HeaderFault{"topic"} : fault;
}

HeaderFault decode_consume_stats_header(std::span<const std::byte> ext_fields,
                                        ConsumeStatsHeader& header) {
  const HeaderFault fault =
      read_fields(ext_fields, [&header](std::string_view key, std::string_view value) {
        if (key == "consumerGroup") return read_name(value, header.consumer_group);
        return key != "topic" || read_name(value, header.topic);
      });
  return fault.ok() && header.consumer_group.empty() ? HeaderFault{"consumerGroup"} : fault;
}

std::string encode_topic_stats(const std::vector<TopicStats>& queues) {
  JsonWriter writer;
  writer.begin_object().key("offsetTable").begin_object();
  for (const TopicStats& one : queues) {
    const NamedNumber numbers[] = {{"lastUpdateTimestamp", one.last_update_ms},
                                   {"maxOffset", one.max.value()},
                                   {"minOffset", one.min.value()}};
    writer.raw(entry(one.queue, numbers));
  }
  writer.end_object().end_object();
  return writer.take();
}

std::string encode_consume_stats(const std::vector<ConsumeStats>& queues) {
  JsonWriter writer;
  writer.begin_object();
  writer.key("consumeTps").raw("0.0");
  writer.key("offsetTable").begin_object();
  for (const ConsumeStats& one : queues) {
    const NamedNumber numbers[] = {{"brokerOffset", one.broker.value()},
                                   {"consumerOffset", one.consumer.value()},
                                   {"lastTimestamp", one.last_ms},
                                   {"pullOffset", one.consumer.value()}};
    writer.raw(entry(one.queue, numbers));
  }
  writer.end_object().end_object();
  return writer.take();
}

}  // namespace drydock
