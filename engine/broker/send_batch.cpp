// A batch on its way through the send processor (storage reference, 2.8): its own checks, one
// append, and an answer with the ids of all messages.
#include "engine/broker/send_processor.hpp"
#include "engine/wire/message_batch.hpp"
#include "engine/wire/message_properties.hpp"

namespace drydock {

namespace {

bool has_timer(std::string_view properties) {
  PropertyReader reader(properties);
  Property property;
  while (reader.next(property)) {
    if (property.name.starts_with("TIMER_DELAY_") || property.name == "TIMER_DELIVER_MS") {
      return true;
    }
  }
  return false;
}

// Of RocketMQ's two kinds of queues this version has SimpleCQ alone.
bool has_batch_queues(const TopicConfig* topic) {
  if (topic == nullptr) return false;
  const auto attributes = topic->kept.find("attributes");
  return attributes != topic->kept.end() && attributes->second.find("BatchCQ") != std::string::npos;
}

}  // namespace

SendProcessor::Refusal SendProcessor::check_batch(const SendMessageHeader& header,
                                                  const TopicConfig* topic) {
  if (header.topic.starts_with("%RETRY%")) {
    return {ResponseCode::message_illegal, "batch request does not support retry group"};
  }
  if (has_batch_queues(topic)) {
    return {ResponseCode::request_code_not_supported,
            "topics whose queue.type is BatchCQ are not supported in this version"};
  }
  if (has_timer(header.properties)) {
    return {ResponseCode::request_code_not_supported,
            "delays of any length are not supported in this version"};
  }
  return {};
}

// The messages have unique keys of their own, so none is made for the batch.
SharedBytes SendProcessor::batch_properties(const SendMessageHeader& header) const {
  const Property added[] = {{property::kRegion, "DefaultRegion"},
                            {property::kTraceOn, "true"},
                            {property::kCluster, configuration_.broker_cluster_name}};
  return rewrite_properties(header.properties, added);
}

Task<void> SendProcessor::store_batch(std::shared_ptr<ServerConnection> connection,
                                      RemotingCommand request, IncomingMessage batch,
                                      WorkerPool::Lease lease) {
  const bool wait_store_ok = batch.wait_store_ok;
  const std::int32_t queue_id = batch.queue_id;
  const SharedBytes topic = batch.topic;
  BatchPutResult stored = co_await store_.append_batch(lease.worker(), std::move(batch));
  lease.release();
  if (stored.put.status == PutStatus::put_ok) {
    const PutStatus safe = co_await safety_.wait(stored.put, wait_store_ok);
    stored.put.status = safe;
  }
  answer_batch(*connection, request, queue_id, stored);
  const auto messages = static_cast<std::int64_t>(stored.record_bytes.size());
  count(as_text(topic.span()), stored.put, messages);
}

void SendProcessor::answer_batch(ServerConnection& connection, const RemotingCommand& request,
                                 std::int32_t queue_id, const BatchPutResult& stored) {
  const ResponseCode code = response_code_of(stored.put.status);
  if (!counts_as_sent(stored.put.status)) {
    refuse(connection, request, Refusal{code, name_of(stored.put.status)});
    return;
  }
  if (request.is_one_way()) return;
  SendBatchResponse fields{{}, queue_id, stored.put.queue_offset};
  OffsetMessageId id{store_.store_host(), stored.put.offset};
  for (const std::int32_t bytes : stored.record_bytes) {
    if (!fields.message_ids.empty()) fields.message_ids += ',';
    fields.message_ids += view_of(encode_offset_message_id(id));
    id.offset = id.offset + bytes;
  }
  connection.respond(encode_command(response_head(request.head, code), fields, {}, {}));
}

}  // namespace drydock
