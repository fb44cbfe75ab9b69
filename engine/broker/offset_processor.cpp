#include "engine/broker/offset_processor.hpp"

#include <algorithm>

namespace drydock {

namespace {

SharedBytes refuse_header(const RemotingCommand& request) {
  return encode_answer(request.head, ResponseCode::system_error,
                       "a field of the header is missing or of no use");
}

SharedBytes offset_answer(const RemotingCommand& request, QueueOffset offset) {
  const OffsetResponse fields{offset};
  return encode_command(response_head(request.head, ResponseCode::success), fields, {}, {});
}

ConsumerOffsets::Place place_of(const ConsumerOffsetHeader& header) {
  return {header.consumer_group, header.queue.topic, header.queue.queue_id};
}

}  // namespace

SharedBytes OffsetProcessor::answer(const RemotingCommand& request) {
  return request.is(RequestCode::update_consumer_offset) ? update(request) : end_of_queue(request);
}

SharedBytes OffsetProcessor::end_of_queue(const RemotingCommand& request) const {
  QueueHeader header;
  if (!decode_queue_header(request.ext_fields.span(), header).ok()) return refuse_header(request);
  const QueueRange range = store_.range(header.topic, header.queue_id);
  return offset_answer(request, request.is(RequestCode::get_max_offset) ? range.max : range.min);
}

SharedBytes OffsetProcessor::update(const RemotingCommand& request) {
  ConsumerOffsetHeader header;
  const HeaderFault fault = decode_consumer_offset_header(request.ext_fields.span(), header);
  if (!fault.ok() || !header.commit_offset) return refuse_header(request);
  const QueueHeader& queue = header.queue;
  // A slave knows its master's topics once it has followed him; before that it refuses pulls, too.
  const TopicConfig* const topic = topics_.find(queue.topic);
  if (topic == nullptr) {
    return encode_answer(request.head, ResponseCode::topic_not_exist, "the topic does not exist");
  }
  const std::int32_t queues = std::max(topic->read_queues, topic->write_queues);
  if (queue.queue_id < 0 || queue.queue_id >= queues) {
    return encode_answer(request.head, ResponseCode::invalid_parameter,
                         "the queue id is out of range");
  }
  const bool kept = offsets_.commit(place_of(header), *header.commit_offset,
                                    context_.clock.wall_now().count_ms());
  return kept ? encode_answer(request.head, ResponseCode::success)
              : encode_answer(request.head, ResponseCode::system_error,
                              "too many groups, or an odd name");
}

Task<void> OffsetProcessor::query(std::shared_ptr<ServerConnection> connection,
                                  RemotingCommand request,
                                  [[maybe_unused]] Semaphore::Permit slot) {
  ConsumerOffsetHeader header;
  if (!decode_consumer_offset_header(request.ext_fields.span(), header).ok()) {
    connection->respond(refuse_header(request));
    co_return;
  }
  const std::optional<std::int64_t> stored = offsets_.table.find(place_of(header));
  if (stored && *stored >= 0) {
    connection->respond(offset_answer(request, QueueOffset(*stored)));
    co_return;
  }
  // A group that is new begins at 0 if everything is there and thought to be in memory.
  const QueueHeader& queue = header.queue;
  bool from_zero = header.set_zero_if_not_found &&
                   store_.range(queue.topic, queue.queue_id).min <= QueueOffset();
  if (from_zero) {
    Result<bool> on_disk =
        co_await store_.on_disk(worker_, queue.topic, queue.queue_id, QueueOffset());
    from_zero = on_disk && !*on_disk;
  }
  connection->respond(from_zero ? offset_answer(request, QueueOffset())
                                : encode_answer(request.head, ResponseCode::query_not_found,
                                                "no offset is stored for the group"));
}

}  // namespace drydock
