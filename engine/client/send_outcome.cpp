#include "engine/client/send_outcome.hpp"

#include <array>

namespace drydock {

std::string_view name_of(SendStatus status) {
  switch (status) {
    case SendStatus::acked: return "acked";
    case SendStatus::unknown: return "unknown";
    case SendStatus::failed: return "failed";
  }
  return "unnamed";
}

std::string_view name_of(SendDetail detail) {
  constexpr std::array<std::string_view, static_cast<std::size_t>(SendDetail::count_)> kNames = {
      "none",
      "flush-disk-timeout",
      "slave-not-available",
      "flush-slave-timeout",
      "timed-out",
      "connection-lost",
      "malformed-response",
      "cancelled",
      "not-connected",
      "not-sent-in-time",
      "system-error",
      "system-busy",
      "message-illegal",
      "service-not-available",
      "no-permission",
      "no-route",
      "no-broker",
      "topic-not-exist",
      "invalid-parameter",
      "other-refusal"};
  const auto index = static_cast<std::size_t>(detail);
  return index < kNames.size() ? kNames[index] : "unnamed";
}

namespace {

struct Meaning {
  SendStatus status;
  SendDetail detail;
};

Meaning meaning_of(std::int32_t code) {
  using enum SendDetail;
  switch (static_cast<ResponseCode>(code)) {
    case ResponseCode::success: return {SendStatus::acked, none};
    case ResponseCode::flush_disk_timeout: return {SendStatus::unknown, flush_disk_timeout};
    case ResponseCode::slave_not_available: return {SendStatus::unknown, slave_not_available};
    case ResponseCode::flush_slave_timeout: return {SendStatus::unknown, flush_slave_timeout};
    case ResponseCode::system_error: return {SendStatus::failed, system_error};
    case ResponseCode::system_busy: return {SendStatus::failed, system_busy};
    case ResponseCode::message_illegal: return {SendStatus::failed, message_illegal};
    case ResponseCode::service_not_available: return {SendStatus::failed, service_not_available};
    case ResponseCode::no_permission: return {SendStatus::failed, no_permission};
    case ResponseCode::topic_not_exist: return {SendStatus::failed, topic_not_exist};
    case ResponseCode::invalid_parameter: return {SendStatus::failed, invalid_parameter};
    default: return {SendStatus::failed, other_refusal};
  }
}

bool carries_message_id(std::int32_t code) {
  const auto response = static_cast<ResponseCode>(code);
  return response == ResponseCode::success || response == ResponseCode::flush_disk_timeout ||
         response == ResponseCode::slave_not_available ||
         response == ResponseCode::flush_slave_timeout;
}

}  // namespace

void read_response(const RemotingCommand& response, AttemptResult& result) {
  const std::int32_t code = response.head.code;
  const Meaning meaning = meaning_of(code);
  result.attempt.response_code = code;
  result.attempt.status = meaning.status;
  result.attempt.detail = meaning.detail;
  if (!carries_message_id(code)) return;
  result.receipt = decode_send_message_response(response.ext_fields.span());
  if (result.receipt || meaning.status != SendStatus::acked) return;
  // RocketMQ's client throws when a success can't be read: nothing is known then.
  result.attempt.status = SendStatus::unknown;
  result.attempt.detail = SendDetail::malformed_response;
}

bool retry_after(const SendAttempt& attempt) {
  switch (attempt.response_code) {
    case -1: return attempt.detail != SendDetail::cancelled;
    case static_cast<int>(ResponseCode::topic_not_exist):
    case static_cast<int>(ResponseCode::service_not_available):
    case static_cast<int>(ResponseCode::system_error):
    case static_cast<int>(ResponseCode::system_busy):
    case static_cast<int>(ResponseCode::no_permission):
    case static_cast<int>(ResponseCode::no_buyer_id):
    case static_cast<int>(ResponseCode::not_in_current_unit):
    case static_cast<int>(ResponseCode::go_away): return true;
    default: return attempt.detail == SendDetail::malformed_response;
  }
}

void note_attempt(SendOutcome& outcome, const AttemptResult& result) {
  const SendAttempt& attempt = result.attempt;
  // acked < unknown < failed in the order of the enumeration.
  if (attempt.status <= outcome.status) {
    outcome.status = attempt.status;
    outcome.detail = attempt.detail;
  }
  if (result.receipt) {
    outcome.physical_offset = result.receipt->message_id.offset;
    outcome.queue_offset = result.receipt->queue_offset;
  }
  outcome.returned = attempt.status == SendStatus::acked ||
                     (attempt.response_code >= 0 && carries_message_id(attempt.response_code) &&
                      attempt.detail != SendDetail::malformed_response);
  outcome.attempts.push_back(attempt);
}

}  // namespace drydock
