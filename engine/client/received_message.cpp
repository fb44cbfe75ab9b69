#include "engine/client/received_message.hpp"

#include "engine/wire/pull_message.hpp"

namespace drydock {

std::string describe(const DamagedRecord& record) {
  std::string line = "queue ";
  if (!record.queue.broker_name.empty()) line += record.queue.broker_name + "/";
  line += std::to_string(record.queue.queue_id);
  line += ": a record of " + std::to_string(record.bytes) + " bytes is damaged and passed over (";
  line += name_of(record.fault);
  line += "); it says of itself: queue offset " + std::to_string(record.queue_offset.value());
  line += ", store offset " + std::to_string(record.physical_offset.value());
  return line;
}

ReadRecords read_records(const SharedBytes& records, const MessageQueue& queue,
                         const TagSet& tags) {
  ReadRecords read;
  const auto share = [&records](std::span<const std::byte> part) {
    if (part.empty()) return SharedBytes();
    return records.slice(static_cast<std::size_t>(part.data() - records.data()), part.size());
  };
  const auto take = [&](std::span<const std::byte> bytes, const RecordView& view) {
    ReceivedMessage message;
    message.queue = queue;
    message.queue_offset = QueueOffset(view.queue_offset);
    message.physical_offset = PhysicalOffset(view.physical_offset);
    message.store_ms = view.store_ms;
    message.record = share(bytes);
    message.body = share(view.body);
    message.properties = share(view.properties);
    if (!tags.contains(message.property(property::kTags))) return;
    read.messages.push_back(std::move(message));
  };
  const auto note = [&](std::span<const std::byte> bytes, const RecordView& view,
                        RecordFault fault) {
    read.damaged.push_back(DamagedRecord{queue, QueueOffset(view.queue_offset),
                                         PhysicalOffset(view.physical_offset), bytes.size(),
                                         fault});
  };
  for_each_record(records.span(), take, note);
  return read;
}

}  // namespace drydock
