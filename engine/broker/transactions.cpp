#include "engine/broker/transactions.hpp"

#include <algorithm>
#include <array>

#include "engine/broker/internal_message.hpp"
#include "engine/wire/message_properties.hpp"
#include "engine/wire/remoting_command.hpp"

namespace drydock {

namespace {

constexpr std::string_view kOpTag = "d";
constexpr char kBetween = ',';
constexpr std::int64_t kSecondsMax = 1'000'000'000;

std::int64_t number_of(std::string_view properties, std::string_view name, std::int64_t fallback) {
  return parse_decimal<std::int64_t>(find_property(properties, name)).value_or(fallback);
}

}  // namespace

IncomingMessage half_of(IncomingMessage message) {
  const std::string_view properties = as_text(message.properties.span());
  const DecimalText queue_text(message.queue_id);
  const std::array added = {
      Property{property::kTransactionId, find_property(properties, property::kUniqueKey)},
      Property{property::kRealTopic, as_text(message.topic.span())},
      Property{property::kRealQueueId, queue_text.view()}};
  message.properties = edit_properties(properties, {}, added);
  message.topic = SharedBytes::copy_of(kHalfTopic);
  message.queue_id = 0;
  message.sys_flag &= ~sys_flag::kTransactionMask;
  return message;
}

std::optional<IncomingMessage> committed_copy(const StoredMessage& half) {
  const std::optional<RealPlace> place = real_place_of(half.properties());
  if (!place) return std::nullopt;
  IncomingMessage message =
      copy_of(half, place->topic, place->queue_id, half.share(half.view.properties));
  message.sys_flag |= sys_flag::kTransactionCommit;
  message.prepared_offset = half.view.physical_offset;
  message.wait_store_ok = find_property(half.properties(), property::kWait) != "false";
  return message;
}

IncomingMessage half_again(const StoredMessage& half, std::int64_t checks) {
  const DecimalText times(checks);
  const std::array changed = {Property{property::kCheckTimes, times.view()}};
  return copy_of(half, kHalfTopic, half.view.queue_id,
                 edit_properties(half.properties(), {}, changed));
}

IncomingMessage half_put_off(const StoredMessage& half) {
  const std::string_view known = find_property(half.properties(), property::kPreparedQueueOffset);
  const DecimalText place(half.view.queue_offset);
  const std::array changed = {
      Property{property::kPreparedQueueOffset, known.empty() ? place.view() : known}};
  return copy_of(half, kHalfTopic, half.view.queue_id,
                 edit_properties(half.properties(), {}, changed));
}

std::string_view mismatch(const StoredMessage& half, const EndTransactionHeader& header) {
  if (find_property(half.properties(), property::kProducerGroup) != header.producer_group) {
    return "the producer group is another one";
  }
  if (half.view.queue_offset != header.queue_offset.value()) {
    return "the transaction state table offset is another one";
  }
  if (half.view.physical_offset != header.commit_log_offset.value()) {
    return "the commit log offset is another one";
  }
  return {};
}

Immunity immunity_of(std::string_view properties, Duration timeout) {
  const std::string_view text = find_property(properties, property::kCheckImmunitySeconds);
  if (text.empty()) return {.own = false, .length = timeout};
  const std::int64_t seconds = parse_decimal<std::int64_t>(text).value_or(-1);
  if (seconds < 0) return {.own = true, .length = timeout};
  return {.own = true, .length = Duration::s(std::min(seconds, kSecondsMax))};
}

std::int64_t checks_of(std::string_view properties) {
  return number_of(properties, property::kCheckTimes, 0);
}

IncomingMessage op_message(std::string places, Endpoint born_host, std::int64_t now_ms) {
  const std::array properties = {Property{property::kTags, kOpTag}};
  IncomingMessage message;
  message.topic = SharedBytes::copy_of(kOpTopic);
  message.properties = encode_properties(properties);
  message.body = SharedBytes::copy_of(places);
  message.born_ms = now_ms;
  message.born_host = born_host;
  message.wait_store_ok = false;
  return message;
}

std::set<QueueOffset> places_in_op(const RecordView& op) {
  std::set<QueueOffset> places;
  if (find_property(as_text(op.properties), property::kTags) != kOpTag) return places;
  std::string_view text = as_text(op.body);
  while (!text.empty()) {
    const std::size_t end = std::min(text.find(kBetween), text.size());
    const auto place = parse_decimal<std::int64_t>(text.substr(0, end));
    if (place) places.insert(QueueOffset(*place));
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return places;
}

}  // namespace drydock
