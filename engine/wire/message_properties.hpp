// The property text of a message: `name 0x01 value 0x02`, repeated (storage reference, 2.5).
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

#include "engine/types/bytes.hpp"

namespace drydock {

inline constexpr char kNameEnd = '\x01';
inline constexpr char kPropertyEnd = '\x02';
inline constexpr std::size_t kPropertiesBytesMax = 32'767;

namespace property {
inline constexpr std::string_view kKeys = "KEYS";
inline constexpr std::string_view kTags = "TAGS";
inline constexpr std::string_view kWait = "WAIT";
inline constexpr std::string_view kDelay = "DELAY";
inline constexpr std::string_view kUniqueKey = "UNIQ_KEY";
inline constexpr std::string_view kRegion = "MSG_REGION";
inline constexpr std::string_view kTraceOn = "TRACE_ON";
inline constexpr std::string_view kCluster = "CLUSTER";
inline constexpr std::string_view kPopCheckpoint = "POP_CK";
inline constexpr std::string_view kTimerDelaySeconds = "TIMER_DELAY_SEC";
inline constexpr std::string_view kTimerDelayMs = "TIMER_DELAY_MS";
inline constexpr std::string_view kTimerDeliverMs = "TIMER_DELIVER_MS";
inline constexpr std::string_view kRealTopic = "REAL_TOPIC";
inline constexpr std::string_view kRealQueueId = "REAL_QID";
inline constexpr std::string_view kRetryTopic = "RETRY_TOPIC";
inline constexpr std::string_view kOriginMessageId = "ORIGIN_MESSAGE_ID";
inline constexpr std::string_view kDeadLetterOriginTopic = "DLQ_ORIGIN_TOPIC";
inline constexpr std::string_view kDeadLetterOriginMessageId = "DLQ_ORIGIN_MESSAGE_ID";
inline constexpr std::string_view kTransactionPrepared = "TRAN_MSG";
inline constexpr std::string_view kProducerGroup = "PGROUP";
inline constexpr std::string_view kTransactionId = "__transactionId__";
inline constexpr std::string_view kCheckTimes = "TRANSACTION_CHECK_TIMES";
inline constexpr std::string_view kCheckImmunitySeconds = "CHECK_IMMUNITY_TIME_IN_SECONDS";
inline constexpr std::string_view kPreparedQueueOffset = "TRAN_PREPARED_QUEUE_OFFSET";
// Of the whole record: see property_crc.hpp.
inline constexpr std::string_view kCrc = "__CRC32#";
// Ours, as an application's own property: which attempt of a send this record came from.
inline constexpr std::string_view kAttempt = "ATTEMPT";
}  // namespace property

struct Property {
  std::string_view name;
  std::string_view value;
};

// Walks a property text as RocketMQ's reader splits it: a piece counts only if it has at least
// three characters, a name and a value; the end mark of the last piece may be missing.
class PropertyReader {
 public:
  explicit PropertyReader(std::string_view text) : rest_(text) {}
  // False at the end.
  bool next(Property& property);

 private:
  std::string_view rest_;
};

// The value of a property, the last one if it occurs twice; empty if it does not occur.
std::string_view find_property(std::string_view text, std::string_view name);

inline std::size_t property_bytes(const Property& property) {
  return property.name.size() + property.value.size() + 2;
}

// `parts` as a property text in one block; parts with an empty value are left out.
SharedBytes encode_properties(std::span<const Property> parts);

// What the broker stores of the text that it received: without the properties of which it is the
// author (POP_CK is dropped), with `added` behind the rest. RocketMQ writes them in the order of a
// hash table, on which no reader may rely; ours is the order of arrival.
SharedBytes rewrite_properties(std::string_view received, std::span<const Property> added);

// `text` without the properties that are `removed` or `added`, and with `added` behind the rest;
// those with an empty value are only removed.
SharedBytes edit_properties(std::string_view text, std::span<const std::string_view> removed,
                            std::span<const Property> added);

// `text` without the property, every time it occurs; the rest stays as it is, also what is no
// property.
SharedBytes without_property(SharedBytes text, std::string_view name);

}  // namespace drydock
