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

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace drydock;
  const std::span<const std::byte> bytes(reinterpret_cast<const std::byte*>(data), size);
  const std::string_view text = as_text(bytes);
  (void)decode_heartbeat(bytes);
  (void)decode_lock_batch(bytes);
  (void)decode_consumer_list(bytes);
  ConsumerGroupHeader group;
  (void)decode_consumer_group_header(bytes, group);
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
