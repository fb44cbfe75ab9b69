// Requests about the groups of a client: GET_CONSUMER_LIST_BY_GROUP (38), UNREGISTER_CLIENT (35),
// NOTIFY_CONSUMER_IDS_CHANGED (40), LOCK_BATCH_MQ (41) and UNLOCK_BATCH_MQ (42) (storage
// reference, 12.4). Pure.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "engine/types/bytes.hpp"
#include "engine/wire/remoting_command.hpp"

namespace drydock {

// Of GET_CONSUMER_LIST_BY_GROUP and NOTIFY_CONSUMER_IDS_CHANGED. Views point into whatever it was
// made from.
struct ConsumerGroupHeader {
  std::string_view consumer_group;

  template <class Visit>
  void for_each(Visit visit) const {
    visit("consumerGroup", consumer_group);
  }
};
HeaderFault decode_consumer_group_header(std::span<const std::byte> ext_fields,
                                         ConsumerGroupHeader& header);

// Of UNREGISTER_CLIENT: a client leaves a group of producers, one of consumers, or both.
struct UnregisterClientHeader {
  std::string_view client_id;
  std::string_view producer_group;  // Empty: none.
  std::string_view consumer_group;  // Empty: none.

  template <class Visit>
  void for_each(Visit visit) const {
    visit("clientID", client_id);
    if (!producer_group.empty()) visit("producerGroup", producer_group);
    if (!consumer_group.empty()) visit("consumerGroup", consumer_group);
  }
};
HeaderFault decode_unregister_client_header(std::span<const std::byte> ext_fields,
                                            UnregisterClientHeader& header);

// The members of a group: {"consumerIdList":["10.0.0.1@4"]}.
SharedBytes encode_consumer_list(const std::vector<std::string>& client_ids);
std::optional<std::vector<std::string>> decode_consumer_list(std::span<const std::byte> body);

// A queue as clients name it.
struct LockQueue {
  std::string broker_name;
  std::string topic;
  std::int32_t queue_id = 0;
  friend auto operator<=>(const LockQueue&, const LockQueue&) = default;
};

// The body of LOCK_BATCH_MQ and UNLOCK_BATCH_MQ: a member of a group wants queues for itself alone.
struct LockBatch {
  std::string consumer_group;
  std::string client_id;
  std::vector<LockQueue> queues;
};
inline constexpr std::size_t kLockBatchMax = 10'000;  // Queues; RocketMQ knows no bound.

SharedBytes encode_lock_batch(const LockBatch& batch);
// None if it is no JSON object with a group, a client and queues that have names of at most 255
// bytes, or if there are too many of them.
std::optional<LockBatch> decode_lock_batch(std::span<const std::byte> body);
// The queues that are locked now: {"lockOKMQSet":[…]}.
SharedBytes encode_locked_queues(const std::vector<LockQueue>& queues);
// None as of decode_lock_batch.
std::optional<std::vector<LockQueue>> decode_locked_queues(std::span<const std::byte> body);

}  // namespace drydock
