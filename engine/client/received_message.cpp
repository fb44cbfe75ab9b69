#include "engine/client/received_message.hpp"

#include "engine/wire/pull_message.hpp"

namespace drydock {

std::vector<ReceivedMessage> read_messages(const SharedBytes& records, const MessageQueue& queue) {
  std::vector<ReceivedMessage> messages;
  const auto share = [&records](std::span<const std::byte> part) {
    if (part.empty()) return SharedBytes();
    return records.slice(static_cast<std::size_t>(part.data() - records.data()), part.size());
  };
  for_each_record(records.span(), [&](std::span<const std::byte> bytes, const RecordView& view) {
    ReceivedMessage message;
    message.queue = queue;
    message.queue_offset = QueueOffset(view.queue_offset);
    message.physical_offset = PhysicalOffset(view.physical_offset);
    message.store_ms = view.store_ms;
    message.record = share(bytes);
    message.body = share(view.body);
    message.properties = share(view.properties);
    messages.push_back(std::move(message));
  });
  return messages;
}

}  // namespace drydock
