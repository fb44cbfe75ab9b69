#include "engine/broker/query_processor.hpp"

namespace drydock {

namespace {

SharedBytes refuse_header(const RemotingCommand& request) {
  return encode_answer(request.head, ResponseCode::system_error,
                       "a field of the header is missing or of no use");
}

SharedBytes unreadable(const RemotingCommand& request) {
  return encode_answer(request.head, ResponseCode::system_error, "the store can't be read");
}

CommandHead success(const RemotingCommand& request) {
  return response_head(request.head, ResponseCode::success);
}

}  // namespace

QueryProcessor::QueryProcessor(Context& context, MessageStore& store)
    : store_(store),
      query_worker_(context.workers.add("QueryMessageThread_1")),
      admin_worker_(context.workers.add("AdminBrokerThread_1")) {}

bool QueryProcessor::answers(const RemotingCommand& request) {
  return request.is(RequestCode::query_message) || request.is(RequestCode::view_message_by_id) ||
         request.is(RequestCode::search_offset_by_timestamp) ||
         request.is(RequestCode::get_earliest_msg_storetime);
}

Task<void> QueryProcessor::process(std::shared_ptr<ServerConnection> connection,
                                   RemotingCommand request,
                                   [[maybe_unused]] Semaphore::Permit slot) {
  SharedBytes answered = co_await answer(std::move(request));
  connection->respond(std::move(answered));
}

Task<SharedBytes> QueryProcessor::answer(RemotingCommand request) {
  switch (static_cast<RequestCode>(request.head.code)) {
    case RequestCode::query_message: return query_message(std::move(request));
    case RequestCode::view_message_by_id: return view_message(std::move(request));
    case RequestCode::search_offset_by_timestamp: return search_offset(std::move(request));
    default: return earliest_store_time(std::move(request));
  }
}

Task<SharedBytes> QueryProcessor::query_message(RemotingCommand request) {
  QueryMessageHeader header;
  const HeaderFault fault = decode_query_message_header(request.ext_fields.span(), header);
  if (!fault.ok()) co_return refuse_header(request);
  const MessageQuery query{.topic = header.topic,
                           .key = header.key,
                           .count_max = header.is_unique_key
                                            ? store_.configuration().default_query_max_num
                                            : header.count_max,
                           .begin_ms = header.begin_ms,
                           .end_ms = header.end_ms};
  Result<QueryResult> found = co_await store_.query_message(query_worker_, query);
  if (!found) co_return unreadable(request);
  const QueryMessageResponse fields{found->index_updated_ms, found->index_updated_to};
  if (found->records.empty()) {
    co_return encode_command(response_head(request.head, ResponseCode::query_not_found), fields,
                             "can not find message, maybe time range not correct", {});
  }
  co_return encode_command_in_pieces(success(request), fields, {}, found->records);
}

Task<SharedBytes> QueryProcessor::view_message(RemotingCommand request) {
  ViewMessageHeader header;
  const HeaderFault fault = decode_view_message_header(request.ext_fields.span(), header);
  if (!fault.ok()) co_return refuse_header(request);
  Result<ByteChain> record = co_await store_.message_at(query_worker_, header.offset);
  if (!record) co_return unreadable(request);
  if (record->empty()) {
    const std::string remark =
        "can not find message by the offset, " + std::to_string(header.offset.value());
    co_return encode_answer(request.head, ResponseCode::system_error, remark);
  }
  co_return encode_command_in_pieces(success(request), NoFields(), {}, std::span(&*record, 1));
}

Task<SharedBytes> QueryProcessor::search_offset(RemotingCommand request) {
  SearchOffsetHeader header;
  const HeaderFault fault = decode_search_offset_header(request.ext_fields.span(), header);
  if (!fault.ok()) co_return refuse_header(request);
  using Boundary = TimeQuery::Boundary;
  const bool lower = header.boundary == TimeBoundary::lower;
  const TimeQuery time{header.timestamp_ms, lower ? Boundary::lower : Boundary::upper};
  Result<QueueOffset> offset =
      co_await store_.offset_at(admin_worker_, header.queue.topic, header.queue.queue_id, time);
  if (!offset) co_return unreadable(request);
  const OffsetResponse fields{*offset};
  co_return encode_command(success(request), fields, {}, {});
}

Task<SharedBytes> QueryProcessor::earliest_store_time(RemotingCommand request) {
  QueueHeader header;
  const HeaderFault fault = decode_queue_header(request.ext_fields.span(), header);
  if (!fault.ok()) co_return refuse_header(request);
  Result<std::int64_t> stored_ms =
      co_await store_.earliest_store_ms(admin_worker_, header.topic, header.queue_id);
  if (!stored_ms) co_return unreadable(request);
  const StoreTimeResponse fields{*stored_ms};
  co_return encode_command(success(request), fields, {}, {});
}

}  // namespace drydock
