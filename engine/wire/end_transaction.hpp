// END_TRANSACTION (37) and CHECK_TRANSACTION_STATE (39) (storage reference, 9.4 and 12.6). Pure.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "engine/types/ids.hpp"
#include "engine/wire/remoting_command.hpp"

namespace drydock {

// What a producer says of a transaction.
enum class TransactionEnd : std::uint8_t { unknown, commit, rollback };

// Views point into whatever it was made from.
struct EndTransactionHeader {
  std::string_view producer_group;
  QueueOffset queue_offset;          // tranStateTableOffset: of the half message in its queue.
  PhysicalOffset commit_log_offset;  // Of the half message.
  TransactionEnd end = TransactionEnd::unknown;
  bool from_check = false;  // The broker had asked.
  std::string_view message_id;
  std::string_view transaction_id;

  template <class Visit>
  void for_each(Visit visit) const {
    visit("producerGroup", producer_group);
    visit("tranStateTableOffset", DecimalText(queue_offset.value()).view());
    visit("commitLogOffset", DecimalText(commit_log_offset.value()).view());
    visit("commitOrRollback", DecimalText(number_of(end)).view());
    visit("fromTransactionCheck", from_check ? "true" : "false");
    visit("msgId", message_id);
    if (!transaction_id.empty()) visit("transactionId", transaction_id);
  }
  static std::int32_t number_of(TransactionEnd end);
};
// All fields but the last three are required. A number that says neither commit nor rollback says
// that nothing is known.
HeaderFault decode_end_transaction_header(std::span<const std::byte> ext_fields,
                                          EndTransactionHeader& header);

// A broker asks a producer; the body is the half message as a record, with the topic and the queue
// where it belongs.
struct CheckTransactionHeader {
  QueueOffset queue_offset;
  PhysicalOffset commit_log_offset;
  std::string_view message_id;  // The client's own: UNIQ_KEY.
  std::string_view offset_message_id;

  template <class Visit>
  void for_each(Visit visit) const {
    visit("tranStateTableOffset", DecimalText(queue_offset.value()).view());
    visit("commitLogOffset", DecimalText(commit_log_offset.value()).view());
    if (!message_id.empty()) visit("msgId", message_id);
    if (!message_id.empty()) visit("transactionId", message_id);
    visit("offsetMsgId", offset_message_id);
  }
};

}  // namespace drydock
