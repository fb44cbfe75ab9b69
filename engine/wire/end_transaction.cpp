#include "engine/wire/end_transaction.hpp"

#include "engine/wire/message_record.hpp"

namespace drydock {

std::int32_t EndTransactionHeader::number_of(TransactionEnd end) {
  switch (end) {
    case TransactionEnd::commit: return sys_flag::kTransactionCommit;
    case TransactionEnd::rollback: return sys_flag::kTransactionRollback;
    case TransactionEnd::unknown: break;
  }
  return 0;
}

HeaderFault decode_end_transaction_header(std::span<const std::byte> ext_fields,
                                          EndTransactionHeader& header) {
  std::optional<std::int64_t> queue_offset;
  std::optional<std::int64_t> commit_log_offset;
  std::optional<std::int32_t> end;
  ExtFieldReader fields(ext_fields);
  std::string_view key;
  std::string_view value;
  while (fields.next(key, value)) {
    if (key == "producerGroup" && !read_name(value, header.producer_group)) return {key};
    if (key == "tranStateTableOffset") queue_offset = parse_decimal<std::int64_t>(value);
    if (key == "commitLogOffset") commit_log_offset = parse_decimal<std::int64_t>(value);
    if (key == "commitOrRollback") end = parse_decimal<std::int32_t>(value);
    if (key == "fromTransactionCheck") header.from_check = value == "true";
    if (key == "msgId" && !read_name(value, header.message_id)) return {key};
    if (key == "transactionId" && !read_name(value, header.transaction_id)) return {key};
  }
  if (header.producer_group.empty()) return {"producerGroup"};
  if (!queue_offset || *queue_offset < 0) return {"tranStateTableOffset"};
  if (!commit_log_offset || *commit_log_offset < 0) return {"commitLogOffset"};
  if (!end) return {"commitOrRollback"};
  header.queue_offset = QueueOffset(*queue_offset);
  header.commit_log_offset = PhysicalOffset(*commit_log_offset);
  header.end = TransactionEnd::unknown;
  for (const TransactionEnd known : {TransactionEnd::commit, TransactionEnd::rollback}) {
    if (*end == EndTransactionHeader::number_of(known)) header.end = known;
  }
  return {};
}

}  // namespace drydock
