// The messages of a transaction (storage reference, 9.4). Pure.
//
// A half message lies in the half topic, where nobody reads it, and remembers where it belongs.
// When its transaction ends, an op message names its place in that queue; if it is committed, a
// copy goes where it belongs. What has no op message after a while is asked about, and put behind
// the others of the half topic, with the number of times that it was asked about.
#pragma once

#include <set>
#include <string>

#include "engine/store/message_store.hpp"
#include "engine/types/time.hpp"
#include "engine/wire/end_transaction.hpp"

namespace drydock {

inline constexpr std::string_view kHalfTopic = "RMQ_SYS_TRANS_HALF_TOPIC";
inline constexpr std::string_view kOpTopic = "RMQ_SYS_TRANS_OP_HALF_TOPIC";
// Where half messages end that were asked about too often.
inline constexpr std::string_view kCheckMaxTopic = "TRANS_CHECK_MAX_TIME_TOPIC";
// How far both topics are done with is kept as the consumer offset of this group.
inline constexpr std::string_view kTransactionGroup = "CID_RMQ_SYS_TRANS";

// A message of a client that is half of a transaction, as it is put.
IncomingMessage half_of(IncomingMessage message);

// What a committed half message becomes; `commit` is where it lies. None if it does not say where
// it belongs.
std::optional<IncomingMessage> committed_copy(const StoredMessage& half);
// The half message once more, with one check more (`checks`).
IncomingMessage half_again(const StoredMessage& half, std::int64_t checks);
// The half message once more because it is too young to be asked about; it remembers the place in
// its queue by which an op message knows it.
IncomingMessage half_put_off(const StoredMessage& half);

// Why a half message is not the one that an END_TRANSACTION means; empty if it is.
std::string_view mismatch(const StoredMessage& half, const EndTransactionHeader& header);

// For how long nobody is asked about a half message: by its property
// CHECK_IMMUNITY_TIME_IN_SECONDS, else `timeout`.
struct Immunity {
  bool own = false;  // It has the property.
  Duration length;
};
Immunity immunity_of(std::string_view properties, Duration timeout);

// How often a half message was asked about.
std::int64_t checks_of(std::string_view properties);

// An op message: the places of half messages in their queue, each with a comma behind it.
IncomingMessage op_message(std::string places, Endpoint born_host, std::int64_t now_ms);
std::set<QueueOffset> places_in_op(const RecordView& op);

}  // namespace drydock
