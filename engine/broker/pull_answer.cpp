#include "engine/broker/pull_answer.hpp"

namespace drydock {

namespace {

constexpr std::int64_t kMasterId = 0;

ResponseCode code_of(GetStatus status, QueueOffset asked) {
  switch (status) {
    case GetStatus::found: return ResponseCode::success;
    case GetStatus::message_was_removing:
    case GetStatus::no_matched_message: return ResponseCode::pull_retry_immediately;
    case GetStatus::no_matched_logic_queue:
    case GetStatus::no_message_in_queue:
      return asked == QueueOffset() ? ResponseCode::pull_not_found
                                    : ResponseCode::pull_offset_moved;
    case GetStatus::offset_found_null:
    case GetStatus::offset_overflow_one: return ResponseCode::pull_not_found;
    case GetStatus::offset_overflow_badly:
    case GetStatus::offset_too_small:
    case GetStatus::offset_reset: return ResponseCode::pull_offset_moved;
    case GetStatus::unavailable: break;
  }
  return ResponseCode::system_error;
}

}  // namespace

PullAnswer answer_of(const GetResult& result, QueueOffset asked, const PullBroker& broker,
                     const PullGroup& group) {
  PullAnswer answer{.code = code_of(result.status, asked)};
  if (result.status == GetStatus::unavailable) return answer;
  if (broker.slave_read_enable) {
    answer.suggested_broker_id = result.suggest_slave ? group.when_slow_id : group.broker_id;
  }
  if (!broker.is_slave) return answer;
  if (!result.suggest_slave) {
    answer.suggested_broker_id = kMasterId;
    if (result.status != GetStatus::found) answer.code = ResponseCode::pull_retry_immediately;
  }
  if (answer.code == ResponseCode::pull_offset_moved && !broker.offset_check_in_slave) {
    answer = {ResponseCode::pull_retry_immediately, group.broker_id};
  }
  return answer;
}

}  // namespace drydock
