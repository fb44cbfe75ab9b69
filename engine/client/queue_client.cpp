#include "engine/client/queue_client.hpp"

#include <algorithm>

#include "engine/wire/consumer_offset.hpp"
#include "engine/wire/pull_message.hpp"
#include "engine/wire/register_broker.hpp"

namespace drydock {

namespace {

Error refusal_of(const RemotingCommand& answer) {
  switch (static_cast<ResponseCode>(answer.head.code)) {
    case ResponseCode::topic_not_exist: return ErrorCode::not_found;
    case ResponseCode::system_busy: return ErrorCode::busy;
    case ResponseCode::no_permission: return ErrorCode::permission_denied;
    case ResponseCode::invalid_parameter: return ErrorCode::invalid_argument;
    default: return ErrorCode::io_error;
  }
}

std::optional<PullStatus> pull_status_of(const RemotingCommand& answer) {
  switch (static_cast<ResponseCode>(answer.head.code)) {
    case ResponseCode::success: return PullStatus::found;
    case ResponseCode::pull_not_found: return PullStatus::nothing_new;
    case ResponseCode::pull_retry_immediately: return PullStatus::try_again;
    case ResponseCode::pull_offset_moved: return PullStatus::offset_moved;
    default: return std::nullopt;
  }
}

ConsumerOffsetHeader offset_header(const std::string& group, const QueueAt& queue) {
  ConsumerOffsetHeader header;
  header.consumer_group = group;
  header.queue = {queue.topic, queue.queue_id};
  return header;
}

SharedBytes pull_frame(const std::string& group, const PullOrder& order) {
  PullMessageHeader header;
  header.consumer_group = group;
  header.topic = order.queue.topic;
  header.queue_id = order.queue.queue_id;
  header.queue_offset = order.from.value();
  header.message_count_max = order.count_max;
  header.sys_flag = pull_flag::kSubscription;
  if (order.suspend > Duration()) header.sys_flag |= pull_flag::kSuspend;
  header.suspend_timeout_ms = order.suspend.count_ms();
  header.subscription = order.subscription;
  header.expression_type = "TAG";
  return encode_command(request_head(RequestCode::pull_message, 0), header, {}, {});
}

}  // namespace

Task<Result<RemotingCommand>> QueueClient::ask(Endpoint broker, SharedBytes frame,
                                               Deadline deadline) {
  RequestConnection& connection = brokers_.to(broker);
  Result<RemotingCommand> answer = co_await connection.ask(std::move(frame), deadline);
  if (!answer && answer.error().code() == ErrorCode::timed_out) connection.disconnect();
  co_return answer;
}

Task<Result<PulledBatch>> QueueClient::pull(PullOrder order, Deadline deadline) {
  Result<RemotingCommand> answer =
      co_await ask(order.queue.broker, pull_frame(group_, order), deadline);
  if (!answer) co_return answer.error();
  const std::optional<PullStatus> status = pull_status_of(*answer);
  if (!status) co_return refusal_of(*answer);
  const auto fields = decode_pull_message_response(answer->ext_fields.span());
  if (!fields) co_return ErrorCode::io_error;
  PulledBatch batch;
  batch.status = *status;
  batch.suggested_broker_id = fields->suggested_broker_id;
  batch.next = fields->next;
  batch.min = fields->min;
  batch.max = fields->max;
  if (*status == PullStatus::found) batch.records = std::move(answer->body);
  co_return batch;
}

Task<Result<QueueOffset>> QueueClient::end_of(RequestCode code, QueueAt queue, Deadline deadline) {
  const QueueHeader header{queue.topic, queue.queue_id};
  SharedBytes frame = encode_command(request_head(code, 0), header, {}, {});
  Result<RemotingCommand> answer = co_await ask(queue.broker, std::move(frame), deadline);
  if (!answer) co_return answer.error();
  if (!answer->is(ResponseCode::success)) co_return refusal_of(*answer);
  const std::optional<QueueOffset> offset = decode_offset_response(answer->ext_fields.span());
  if (!offset) co_return ErrorCode::io_error;
  co_return *offset;
}

Task<Result<QueueOffset>> QueueClient::min_offset(QueueAt queue, Deadline deadline) {
  return end_of(RequestCode::get_min_offset, std::move(queue), deadline);
}
Task<Result<QueueOffset>> QueueClient::max_offset(QueueAt queue, Deadline deadline) {
  return end_of(RequestCode::get_max_offset, std::move(queue), deadline);
}

Task<Result<std::optional<QueueOffset>>> QueueClient::stored_offset(QueueAt queue,
                                                                    Deadline deadline) {
  ConsumerOffsetHeader header = offset_header(group_, queue);
  header.set_zero_if_not_found = false;
  SharedBytes frame =
      encode_command(request_head(RequestCode::query_consumer_offset, 0), header, {}, {});
  Result<RemotingCommand> answer = co_await ask(queue.broker, std::move(frame), deadline);
  if (!answer) co_return answer.error();
  if (answer->is(ResponseCode::query_not_found)) co_return std::optional<QueueOffset>();
  if (!answer->is(ResponseCode::success)) co_return refusal_of(*answer);
  const std::optional<QueueOffset> offset = decode_offset_response(answer->ext_fields.span());
  if (!offset) co_return ErrorCode::io_error;
  co_return offset;
}

Task<Result<void>> QueueClient::store_offset(QueueAt queue, QueueOffset offset, Deadline deadline) {
  ConsumerOffsetHeader header = offset_header(group_, queue);
  header.commit_offset = offset.value();
  SharedBytes frame =
      encode_command(request_head(RequestCode::update_consumer_offset, 0), header, {}, {});
  Result<RemotingCommand> answer = co_await ask(queue.broker, std::move(frame), deadline);
  if (!answer) co_return answer.error();
  if (!answer->is(ResponseCode::success)) co_return refusal_of(*answer);
  co_return Result<void>();
}

Task<Result<QueueOffset>> QueueClient::first_offset(QueueAt queue, ConsumeFrom from,
                                                    Deadline deadline) {
  if (from == ConsumeFrom::stored) {
    Result<std::optional<QueueOffset>> stored = co_await stored_offset(queue, deadline);
    if (!stored) co_return stored.error();
    if (*stored) co_return **stored;
  }
  const bool at_end = from == ConsumeFrom::max;
  const RequestCode code = at_end ? RequestCode::get_max_offset : RequestCode::get_min_offset;
  Result<QueueOffset> offset = co_await end_of(code, queue, deadline);
  co_return offset;
}

Task<Result<std::vector<LockQueue>>> QueueClient::lock(Endpoint broker, LockBatch batch,
                                                       Deadline deadline) {
  const SharedBytes body = encode_lock_batch(batch);
  SharedBytes frame =
      encode_command(request_head(RequestCode::lock_batch_mq, 0), NoFields(), {}, body.span());
  Result<RemotingCommand> answer = co_await ask(broker, std::move(frame), deadline);
  if (!answer) co_return answer.error();
  if (!answer->is(ResponseCode::success)) co_return refusal_of(*answer);
  std::optional<std::vector<LockQueue>> locked = decode_locked_queues(answer->body.span());
  if (!locked) co_return ErrorCode::io_error;
  co_return std::move(*locked);
}

Task<Result<void>> QueueClient::unlock(Endpoint broker, LockBatch batch, Deadline deadline) {
  const SharedBytes body = encode_lock_batch(batch);
  SharedBytes frame =
      encode_command(request_head(RequestCode::unlock_batch_mq, 0), NoFields(), {}, body.span());
  Result<RemotingCommand> answer = co_await ask(broker, std::move(frame), deadline);
  if (!answer) co_return answer.error();
  if (!answer->is(ResponseCode::success)) co_return refusal_of(*answer);
  co_return Result<void>();
}

Task<Result<std::int32_t>> QueueClient::read_queues(Endpoint broker, std::string topic,
                                                    Deadline deadline) {
  SharedBytes frame =
      encode_command(request_head(RequestCode::get_all_topic_config, 0), NoFields(), {}, {});
  Result<RemotingCommand> answer = co_await ask(broker, std::move(frame), deadline);
  if (!answer) co_return answer.error();
  if (!answer->is(ResponseCode::success)) co_return refusal_of(*answer);
  const auto table = decode_topic_table(as_text(answer->body.span()));
  if (!table) co_return ErrorCode::io_error;
  const auto found = std::ranges::find(table->topics, topic, &TopicConfig::topic);
  if (found == table->topics.end()) co_return ErrorCode::not_found;
  const bool readable = (found->permissions & permission::kRead) != 0;
  if (!readable) co_return ErrorCode::permission_denied;
  co_return found->read_queues;
}

}  // namespace drydock
