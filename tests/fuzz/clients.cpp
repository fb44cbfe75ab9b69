// What clients say of themselves and of messages, and the broker's own files of that: heartbeats,
// locks, messages sent back, transactions, groups, delays.
#include <cstdint>

#include "engine/broker/delay_offsets.hpp"
#include "engine/broker/subscription_groups.hpp"
#include "engine/broker/transactions.hpp"
#include "engine/wire/consumer_group.hpp"
#include "engine/wire/heartbeat.hpp"
#include "engine/wire/message_properties.hpp"
#include "engine/wire/send_back.hpp"
#include "tests/fuzz/fuzzer.hpp"

namespace drydock {

// Of each of the readers below.
std::vector<std::string> fuzz::seeds() {
  return {
      fuzz::text_of(
          encode_heartbeat("c", {.producer_group = "P", .consumer_group = "G", .topics = {"T"}})
              .span()),
      R"({"clientId":"c","consumerGroup":"G","mqSet":[{"brokerName":"b","queueId":0,"topic":"T"}]})",
      R"({"consumerIdList":["c1","c2"]})",
      R"({"lockOKMQSet":[{"brokerName":"b","queueId":0,"topic":"T"}]})",
      "1s 5s 10s 30s 1m 2m 2h 1d",
      R"({"dataVersion":{"counter":1},"offsetTable":{1:55,2:0}})",
      R"({"subscriptionGroupTable":{"G":{"groupName":"G","retryMaxTimes":3}}})",
      "TAGS\x01TagA\x02KEYS\x01k\x02",
      "17,18,19,"};
}

}  // namespace drydock

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace drydock;
  const std::span<const std::byte> bytes(reinterpret_cast<const std::byte*>(data), size);
  const std::string_view text = as_text(bytes);
  (void)decode_heartbeat(bytes);
  (void)decode_lock_batch(bytes);
  (void)decode_consumer_list(bytes);
  ConsumerGroupHeader group;
  (void)decode_consumer_group_header(bytes, group);
  if (const auto locked = decode_locked_queues(bytes)) {
    const SharedBytes again = encode_locked_queues(*locked);
    ENSURE(decode_locked_queues(again.span()) == *locked);
  }
  UnregisterClientHeader client;
  (void)decode_unregister_client_header(bytes, client);
  SendBackHeader back;
  (void)decode_send_back_header(bytes, back);
  EndTransactionHeader end;
  (void)decode_end_transaction_header(bytes, end);
  (void)DelayLevels::parse(text);
  SubscriptionGroups groups(true);
  if (groups.read(text)) ENSURE(SubscriptionGroups(false).read(groups.write()));
  DelayOffsets offsets;
  if (offsets.read(text)) ENSURE(DelayOffsets().read(offsets.write()));
  RecordView op;
  op.body = bytes;
  op.properties = as_byte_span(
      "TAGS\x01"
      "d\x02");
  (void)places_in_op(op);
  (void)edit_properties(text, {}, {});
  return 0;
}
