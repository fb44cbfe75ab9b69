// What a broker keeps besides messages: its files below config/, the checkpoint, the units of its
// queues, property texts. The first byte says which. What was accepted is written as what is
// accepted again, and then it is the same text; fixed fields come back as the same bytes.
#include <algorithm>

#include "engine/broker/consumer_offsets.hpp"
#include "engine/broker/delay_offsets.hpp"
#include "engine/broker/deleted_topics.hpp"
#include "engine/broker/subscription_groups.hpp"
#include "engine/broker/topics.hpp"
#include "engine/store/checkpoint.hpp"
#include "engine/store/consume_queue_unit.hpp"
#include "engine/wire/message_properties.hpp"
#include "tests/fuzz/fuzzer.hpp"

namespace drydock::fuzz {

namespace {

template <class Content>
void read_and_write(Content first, Content second, std::string_view text) {
  if (!first.read(text)) return;
  const std::string written = first.write();
  ENSURE(second.read(written));
  ENSURE(second.write() == written);
}

Topics no_topics() { return Topics({.cluster_name = "C", .broker_name = "b"}, 1); }

void decode_checkpoint_fields(std::span<const std::byte> bytes) {
  if (bytes.size() < kCheckpointFieldBytes) return;
  const auto fields = bytes.first<kCheckpointFieldBytes>();
  ENSURE(std::ranges::equal(encode_checkpoint(decode_checkpoint(fields)), fields));
}

void decode_units(std::span<const std::byte> bytes) {
  const UnitRun run = units_in_front_of(bytes, kNoEnd);
  ENSURE(run.count * kUnitBytes <= static_cast<std::int64_t>(bytes.size()));
  ENSURE(run.last.has_value() == (run.count > 0));
  for (std::size_t at = 0; at + kUnitBytes <= bytes.size(); at += kUnitBytes) {
    const auto unit = bytes.subspan(at, kUnitBytes);
    ENSURE(std::ranges::equal(encode_unit(decode_unit(unit)), unit));
  }
}

void read_properties(std::string_view text) {
  PropertyReader reader(text);
  Property property;
  std::size_t bytes = 0;
  while (reader.next(property)) {
    ENSURE(!property.name.empty());
    ENSURE(!property.value.empty());
    bytes += property_bytes(property);
  }
  ENSURE(bytes <= text.size() + 1);  // The last end mark may be missing.
  const Property added[] = {{"A", "1"}};
  ENSURE(find_property(text_of(rewrite_properties(text, added).span()), "A") == "1");
}

}  // namespace

std::vector<std::string> seeds() {
  const CheckpointFields fields{.physical_ms = 1'700'000'000'000, .confirm_offset = 4096};
  const ConsumeQueueUnit unit{PhysicalOffset(4660), 133, 2'598'919};
  std::vector<std::string> made = {
      R"(0{"dataVersion":{"counter":1,"stateVersion":0,"timestamp":17},"topicConfigTable":{)"
      R"("T":{"attributes":{},"order":false,"perm":6,"readQueueNums":8,"topicFilterType":)"
      R"("SINGLE_TAG","topicName":"T","topicSysFlag":0,"writeQueueNums":8,"other":[1]}}})",
      R"(1{"dataVersion":{"counter":1},"groupTopicMap":{"G":["T"]},"offsetTable":{"T@G":{0:100,1:9}}})",
      R"(2{"dataVersion":{"counter":1},"offsetTable":{1:55,2:0}})",
      R"(3{"dataVersion":{"counter":2},"forbiddenTable":{},"subscriptionGroupTable":{"G":{)"
      R"("consumeEnable":true,"groupName":"G","retryMaxTimes":16,"retryQueueNums":1}}})",
      R"(7{"topics":{"T":{"logEnd":4096,"queues":{"0":55,"3":7}}}})",
      "6KEYS\x01k1 k2\x02TAGS\x01TagA\x02WAIT\x01true\x02"};
  made.push_back("4" + text_of(encode_checkpoint(fields)));
  made.push_back("5" + text_of(encode_unit(unit)) + text_of(encode_pre_blank_units(2).span()));
  return made;
}

}  // namespace drydock::fuzz

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace drydock;
  if (size == 0) return 0;
  const std::string_view text = fuzz::text_of(data + 1, size - 1);
  const std::span<const std::byte> bytes = fuzz::bytes_of(data + 1, size - 1);
  switch (data[0] % 8) {  // '0' is divided by 8 without a rest.
    case 0: fuzz::read_and_write(fuzz::no_topics(), fuzz::no_topics(), text); break;
    case 1: fuzz::read_and_write(ConsumerOffsets(), ConsumerOffsets(), text); break;
    case 2: fuzz::read_and_write(DelayOffsets(), DelayOffsets(), text); break;
    case 3: fuzz::read_and_write(SubscriptionGroups(true), SubscriptionGroups(true), text); break;
    case 4: fuzz::decode_checkpoint_fields(bytes); break;
    case 5: fuzz::decode_units(bytes); break;
    case 6: fuzz::read_properties(text); break;
    default: fuzz::read_and_write(DeletedTopics(), DeletedTopics(), text);
  }
  return 0;
}
