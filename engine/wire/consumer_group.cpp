#include "engine/wire/consumer_group.hpp"

#include <nlohmann/json.hpp>

#include "engine/wire/json_text.hpp"

namespace drydock {

namespace {

using Json = nlohmann::json;

bool name_allowed(const std::string& name) {
  return !name.empty() && name.size() <= kWireNameBytesMax;
}

void write_queues(JsonWriter& writer, const std::vector<LockQueue>& queues) {
  writer.begin_array();
  for (const LockQueue& queue : queues) {
    writer.begin_object();
    writer.key("brokerName").text(queue.broker_name);
    writer.key("queueId").number(queue.queue_id);
    writer.key("topic").text(queue.topic);
    writer.end_object();
  }
  writer.end_array();
}

std::optional<LockQueue> read_queue(const Json& json) {
  LockQueue queue;
  queue.broker_name = text_member(json, "brokerName");
  queue.topic = text_member(json, "topic");
  const std::int64_t id = integer_member(json, "queueId", -1);
  if (!name_allowed(queue.broker_name) || !name_allowed(queue.topic)) return std::nullopt;
  if (id < 0 || id > INT32_MAX) return std::nullopt;
  queue.queue_id = static_cast<std::int32_t>(id);
  return queue;
}

}  // namespace

HeaderFault decode_consumer_group_header(std::span<const std::byte> ext_fields,
                                         ConsumerGroupHeader& header) {
  ExtFieldReader fields(ext_fields);
  std::string_view key;
  std::string_view value;
  while (fields.next(key, value)) {
    if (key == "consumerGroup" && !read_name(value, header.consumer_group)) return {key};
  }
  if (header.consumer_group.empty()) return {"consumerGroup"};
  return {};
}

HeaderFault decode_unregister_client_header(std::span<const std::byte> ext_fields,
                                            UnregisterClientHeader& header) {
  ExtFieldReader fields(ext_fields);
  std::string_view key;
  std::string_view value;
  while (fields.next(key, value)) {
    if (key == "clientID" && !read_name(value, header.client_id)) return {key};
    if (key == "producerGroup" && !read_name(value, header.producer_group)) return {key};
    if (key == "consumerGroup" && !read_name(value, header.consumer_group)) return {key};
  }
  if (header.client_id.empty()) return {"clientID"};
  return {};
}

SharedBytes encode_consumer_list(const std::vector<std::string>& client_ids) {
  JsonWriter writer;
  writer.begin_object().key("consumerIdList").begin_array();
  for (const std::string& id : client_ids) writer.text(id);
  writer.end_array().end_object();
  return SharedBytes::copy_of(writer.view());
}

std::optional<std::vector<std::string>> decode_consumer_list(std::span<const std::byte> body) {
  const std::optional<Json> root = read_json(as_text(body));
  if (!root) return std::nullopt;
  const Json* const list = array_member(*root, "consumerIdList");
  if (list == nullptr) return std::nullopt;
  std::vector<std::string> ids;
  for (const Json& id : *list) {
    if (!id.is_string()) return std::nullopt;
    ids.push_back(id.get<std::string>());
  }
  return ids;
}

SharedBytes encode_lock_batch(const LockBatch& batch) {
  JsonWriter writer;
  writer.begin_object();
  writer.key("clientId").text(batch.client_id);
  writer.key("consumerGroup").text(batch.consumer_group);
  writer.key("mqSet");
  write_queues(writer, batch.queues);
  writer.key("onlyThisBroker").boolean(false);
  writer.end_object();
  return SharedBytes::copy_of(writer.view());
}

std::optional<LockBatch> decode_lock_batch(std::span<const std::byte> body) {
  const std::optional<Json> root = read_json(as_text(body));
  if (!root) return std::nullopt;
  LockBatch batch;
  batch.consumer_group = text_member(*root, "consumerGroup");
  batch.client_id = text_member(*root, "clientId");
  const Json* const queues = array_member(*root, "mqSet");
  if (!name_allowed(batch.consumer_group) || !name_allowed(batch.client_id)) return std::nullopt;
  if (queues == nullptr || queues->size() > kLockBatchMax) return std::nullopt;
  for (const Json& json : *queues) {
    std::optional<LockQueue> queue = read_queue(json);
    if (!queue) return std::nullopt;
    batch.queues.push_back(std::move(*queue));
  }
  return batch;
}

std::optional<std::vector<LockQueue>> decode_locked_queues(std::span<const std::byte> body) {
  const std::optional<Json> root = read_json(as_text(body));
  if (!root) return std::nullopt;
  const Json* const queues = array_member(*root, "lockOKMQSet");
  if (queues == nullptr || queues->size() > kLockBatchMax) return std::nullopt;
  std::vector<LockQueue> locked;
  for (const Json& json : *queues) {
    std::optional<LockQueue> queue = read_queue(json);
    if (!queue) return std::nullopt;
    locked.push_back(std::move(*queue));
  }
  return locked;
}

SharedBytes encode_locked_queues(const std::vector<LockQueue>& queues) {
  JsonWriter writer;
  writer.begin_object().key("lockOKMQSet");
  write_queues(writer, queues);
  writer.end_object();
  return SharedBytes::copy_of(writer.view());
}

}  // namespace drydock
