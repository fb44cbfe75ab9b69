// Laws of the codecs: what is encoded is decoded, however it is cut up; what is damaged is refused
// or decoded to something that lies within its bounds, and never crashes.
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <map>
#include <string>
#include <vector>

#include "engine/broker/configuration.hpp"
#include "engine/broker/promise.hpp"
#include "engine/broker/property_table.hpp"
#include "engine/wire/compression.hpp"
#include "engine/wire/consumer_group.hpp"
#include "engine/wire/consumer_offset.hpp"
#include "engine/wire/endpoint_text.hpp"
#include "engine/wire/heartbeat.hpp"
#include "engine/wire/message_properties.hpp"
#include "engine/wire/message_record.hpp"
#include "engine/wire/pull_message.hpp"
#include "engine/wire/register_broker.hpp"
#include "engine/wire/send_message.hpp"
#include "engine/wire/tag_expression.hpp"
#include "engine/wire/topic_route.hpp"

namespace drydock::test {
namespace {

using Bytes = std::vector<std::byte>;

Bytes to_bytes(const std::string& text) {
  const auto span = as_byte_span(text);
  return Bytes(span.begin(), span.end());
}
std::string any_text(std::size_t size_max) {
  const auto size = *rc::gen::inRange<std::size_t>(0, size_max + 1);
  return *rc::gen::container<std::string>(size, rc::gen::arbitrary<char>());
}

// A record with content that the store accepts.
struct AnyRecord {
  std::string body = any_text(300);
  std::string topic = any_text(kTopicBytesMax);
  std::string properties = any_text(200);
  RecordContent content;
  RecordPlace place;

  AnyRecord() {
    content.queue_id = *rc::gen::arbitrary<std::int32_t>();
    content.flag = *rc::gen::arbitrary<std::int32_t>();
    content.sys_flag = *rc::gen::arbitrary<std::int32_t>() & ~0x30;  // IPv4 hosts.
    content.born_ms = *rc::gen::arbitrary<std::int64_t>();
    content.body = as_byte_span(body);
    content.topic = as_byte_span(topic);
    content.properties = as_byte_span(properties);
    place.queue_offset = QueueOffset(*rc::gen::arbitrary<std::int64_t>());
    place.physical_offset = PhysicalOffset(*rc::gen::arbitrary<std::int64_t>());
    place.store_ms = *rc::gen::arbitrary<std::int64_t>();
    content.property_crc = *rc::gen::element(PropertyCrc::none, PropertyCrc::appended);
  }
  AnyRecord(const AnyRecord&) = delete;
  AnyRecord& operator=(const AnyRecord&) = delete;

  Bytes encoded() const {
    SharedBytes record = encode_record(content);
    place_record(record.writable(), place, content.property_crc);
    return Bytes(record.span().begin(), record.span().end());
  }
};

Bytes any_log(std::vector<std::size_t>& ends) {
  Bytes log;
  const int count = *rc::gen::inRange(0, 5);
  for (int i = 0; i < count; ++i) {
    const Bytes record = AnyRecord().encoded();
    log.insert(log.end(), record.begin(), record.end());
    ends.push_back(log.size());
  }
  return log;
}

RecordCheck check_all(std::span<const std::byte> bytes, RecordView& view,
                      ContentCheck content_check = ContentCheck::body_crc) {
  return check_record(bytes, static_cast<std::int64_t>(bytes.size()), content_check, view);
}

void damage(Bytes& bytes) {
  const int hits = *rc::gen::inRange(1, 6);
  for (int i = 0; i < hits && !bytes.empty(); ++i) {
    bytes[*rc::gen::inRange<std::size_t>(0, bytes.size())] =
        std::byte{*rc::gen::arbitrary<std::uint8_t>()};
  }
}

constexpr ContentCheck kContentChecks[] = {ContentCheck::lengths_only, ContentCheck::body_crc,
                                           ContentCheck::property_crc};

bool inside(std::span<const std::byte> part, std::span<const std::byte> whole) {
  return part.empty() ||
         (part.data() >= whole.data() && part.data() + part.size() <= whole.data() + whole.size());
}

RC_GTEST_PROP(RecordLaws, WhatIsEncodedIsAcceptedAndReadBack, ()) {
  const AnyRecord record;
  Bytes bytes = record.encoded();
  const std::size_t size = bytes.size();
  const Bytes garbage = to_bytes(any_text(50));
  bytes.insert(bytes.end(), garbage.begin(), garbage.end());
  RecordView view;
  const RecordCheck check = check_all(bytes, view);
  RC_ASSERT(check.good());
  RC_ASSERT(static_cast<std::size_t>(check.size) == size);
  RC_ASSERT(size == record_bytes(record.content));
  RC_ASSERT(as_text(view.body) == record.body);
  RC_ASSERT(as_text(view.topic) == record.topic);
  RC_ASSERT(as_text(view.properties).starts_with(record.properties));
  RC_ASSERT(view.properties.size() ==
            stored_properties_bytes(record.content.properties, record.content.property_crc));
  RC_ASSERT(view.queue_id == record.content.queue_id);
  RC_ASSERT(view.queue_offset == record.place.queue_offset.value());
  RC_ASSERT(view.physical_offset == record.place.physical_offset.value());
  RC_ASSERT(view.store_ms == record.place.store_ms);
}

RC_GTEST_PROP(RecordLaws, ThePropertyCrcSeesDamageAnywhere, ()) {
  AnyRecord record;
  record.content.property_crc = PropertyCrc::appended;
  const Bytes bytes = record.encoded();
  Bytes damaged = bytes;
  damage(damaged);
  RecordView view;
  RC_ASSERT(check_all(bytes, view, ContentCheck::property_crc).good());
  const bool seen = !check_all(damaged, view, ContentCheck::property_crc).good();
  RC_ASSERT(seen == (damaged != bytes));
}

RC_GTEST_PROP(RecordLaws, ALogThatIsCutAnywhereKeepsItsWholeRecords, ()) {
  std::vector<std::size_t> ends;
  Bytes log = any_log(ends);
  const auto cut = *rc::gen::inRange<std::size_t>(0, log.size() + 1);
  log.resize(cut);
  const auto whole = static_cast<std::size_t>(
      std::ranges::count_if(ends, [cut](std::size_t end) { return end <= cut; }));
  log.resize(cut + 200);  // Zeros, as in a file.
  std::size_t at = 0;
  std::size_t accepted = 0;
  for (;;) {
    RecordView view;
    const RecordCheck check = check_all(std::span(log).subspan(at), view);
    if (!check.good()) break;
    at += static_cast<std::size_t>(check.size);
    ++accepted;
  }
  // A record whose cut-off end was zeros anyway is whole all the same.
  RC_ASSERT(accepted >= whole);
  RC_ASSERT(accepted <= whole + 1);
}

RC_GTEST_PROP(RecordLaws, DamageNeverLeadsOutOfBounds, ()) {
  std::vector<std::size_t> ends;
  Bytes log = any_log(ends);
  damage(log);
  for (const ContentCheck content_check : kContentChecks) {
    std::size_t at = 0;
    for (;;) {
      const auto rest = std::span<const std::byte>(log).subspan(at);
      RecordView view;
      const RecordCheck check = check_all(rest, view, content_check);
      RC_ASSERT(check.fault != RecordFault::need_more);
      RC_ASSERT(inside(view.body, rest));
      RC_ASSERT(inside(view.topic, rest));
      RC_ASSERT(inside(view.properties, rest));
      if (!check.good()) break;
      RC_ASSERT(static_cast<std::size_t>(check.size) <= rest.size());
      at += static_cast<std::size_t>(check.size);
    }
  }
}

RC_GTEST_PROP(RecordLaws, AGrowingWindowGivesTheResultOfTheWholeFile, ()) {
  std::vector<std::size_t> ends;
  Bytes log = any_log(ends);
  if (*rc::gen::arbitrary<bool>()) damage(log);
  RecordView view;
  const ContentCheck content_check =
      *rc::gen::elementOf(std::vector(std::begin(kContentChecks), std::end(kContentChecks)));
  const RecordCheck expected = check_all(log, view, content_check);
  auto window = std::min(*rc::gen::inRange<std::size_t>(0, 100), log.size());
  RecordCheck check;
  for (;;) {
    check = check_record(std::span(log).first(window), static_cast<std::int64_t>(log.size()),
                         content_check, view);
    if (check.fault != RecordFault::need_more) break;
    RC_ASSERT(check.needed_bytes > static_cast<std::int64_t>(window));
    RC_ASSERT(check.needed_bytes <= static_cast<std::int64_t>(log.size()));
    window = static_cast<std::size_t>(check.needed_bytes);
  }
  RC_ASSERT(check.size == expected.size);
  RC_ASSERT(check.success == expected.success);
  RC_ASSERT(check.fault == expected.fault);
}

struct AnyFields {
  std::vector<std::pair<std::string, std::string>> pairs;
  AnyFields() {
    const int count = *rc::gen::inRange(0, 6);
    for (int i = 0; i < count; ++i) pairs.emplace_back(any_text(20), any_text(200));
  }
  template <class Visit>
  void for_each(Visit visit) const {
    for (const auto& [key, value] : pairs) visit(key, value);
  }
};

struct AnyCommand {
  CommandHead head;
  AnyFields fields;
  std::string remark = any_text(40);
  std::string body = any_text(400);

  AnyCommand() {
    head.code = *rc::gen::arbitrary<std::int16_t>();
    head.opaque = *rc::gen::arbitrary<std::int32_t>();
    head.flag = *rc::gen::arbitrary<std::int32_t>();
    head.version = *rc::gen::arbitrary<std::int16_t>();
  }
  SharedBytes encoded() const { return encode_command(head, fields, remark, as_byte_span(body)); }
  bool equals(const RemotingCommand& other) const {
    std::vector<std::pair<std::string, std::string>> pairs;
    ExtFieldReader reader(other.ext_fields.span());
    std::string_view key;
    std::string_view value;
    while (reader.next(key, value)) pairs.emplace_back(key, value);
    return other.head.code == head.code && other.head.opaque == head.opaque &&
           other.head.flag == head.flag && other.head.version == head.version &&
           as_text(other.remark.span()) == remark && as_text(other.body.span()) == body &&
           pairs == fields.pairs;
  }
};

// Feeds bytes in pieces of random sizes; counts the commands that come out. -1: a fault.
template <class Visit>
int decode_in_pieces(std::span<const std::byte> bytes, Visit visit) {
  FrameDecoder decoder;
  int commands = 0;
  while (!bytes.empty()) {
    const auto size = std::min(bytes.size(), *rc::gen::inRange<std::size_t>(1, 200));
    decoder.feed(ByteChain(SharedBytes::copy_of(bytes.first(size))));
    bytes = bytes.subspan(size);
    RemotingCommand command;
    FrameDecoder::Step step;
    while ((step = decoder.next(command)) == FrameDecoder::Step::command) {
      visit(command);
      ++commands;
    }
    if (step == FrameDecoder::Step::fault) return -1;
  }
  return commands;
}

RC_GTEST_PROP(FrameLaws, WhatIsEncodedIsDecodedHoweverItIsCutUp, ()) {
  Bytes stream;
  std::vector<AnyCommand> commands(*rc::gen::inRange<std::size_t>(1, 4));
  for (const AnyCommand& command : commands) {
    const SharedBytes frame = command.encoded();
    stream.insert(stream.end(), frame.span().begin(), frame.span().end());
  }
  std::size_t next = 0;
  const int decoded = decode_in_pieces(stream, [&](const RemotingCommand& command) {
    RC_ASSERT(commands.at(next++).equals(command));
  });
  RC_ASSERT(decoded == static_cast<int>(commands.size()));
}

// Everything that reads the header of a send, a pull or a request about offsets.
void read_as_any_header(std::span<const std::byte> ext_fields) {
  SendMessageHeader send;
  (void)decode_send_message_header(ext_fields, send);
  (void)decode_send_message_response(ext_fields);
  PullMessageHeader pull;
  (void)decode_pull_message_header(ext_fields, pull);
  (void)decode_pull_message_response(ext_fields);
  (void)parse_tag_expression(pull.subscription);
  ConsumerOffsetHeader offset;
  (void)decode_consumer_offset_header(ext_fields, offset);
  QueueHeader queue;
  (void)decode_queue_header(ext_fields, queue);
  (void)decode_offset_response(ext_fields);
}

RC_GTEST_PROP(FrameLaws, DamageIsAFaultOrSomethingReadable, ()) {
  const SharedBytes frame = AnyCommand().encoded();
  Bytes bytes(frame.span().begin(), frame.span().end());
  damage(bytes);
  decode_in_pieces(bytes, [](const RemotingCommand& command) {
    read_as_any_header(command.ext_fields.span());
    (void)find_property(as_text(command.body.span()), "KEYS");
  });
}

RC_GTEST_PROP(FrameLaws, AnyBytesAreSurvived, ()) {
  const Bytes bytes = to_bytes(any_text(300));
  decode_in_pieces(bytes, [](const RemotingCommand&) {});
  read_as_any_header(bytes);
  RC_ASSERT(!for_each_record(bytes, [](auto, const RecordView&) {}) || bytes.empty());
}

// ASCII with all control characters: what both kinds of headers can carry.
std::string any_ascii(std::size_t size_max) {
  const auto size = *rc::gen::inRange<std::size_t>(0, size_max + 1);
  return *rc::gen::container<std::string>(size, rc::gen::inRange<char>(0, 127));
}

struct AnyHeader {
  CommandHead head;
  std::map<std::string, std::string> fields;
  std::string remark = any_ascii(40);
  std::string body = any_text(100);

  explicit AnyHeader(SerializeType type) {
    head.code = *rc::gen::arbitrary<std::int16_t>();
    head.language = static_cast<Language>(*rc::gen::inRange(0, static_cast<int>(Language::count_)));
    head.version = *rc::gen::arbitrary<std::int16_t>();
    head.opaque = *rc::gen::arbitrary<std::int32_t>();
    head.flag = *rc::gen::arbitrary<std::int32_t>();
    head.serialize_type = type;
    const int count = *rc::gen::inRange(0, 6);
    for (int i = 0; i < count; ++i) fields.emplace(any_ascii(20), any_ascii(100));
  }
  template <class Visit>
  void for_each(Visit visit) const {
    for (const auto& [key, value] : fields) visit(key, value);
  }
  SharedBytes encoded() const { return encode_command(head, *this, remark, as_byte_span(body)); }
  bool equals(const RemotingCommand& other) const {
    std::map<std::string, std::string> read;
    ExtFieldReader reader(other.ext_fields.span());
    std::string_view key;
    std::string_view value;
    while (reader.next(key, value)) read.emplace(key, value);
    return other.head.code == head.code && other.head.language == head.language &&
           other.head.version == head.version && other.head.opaque == head.opaque &&
           other.head.flag == head.flag && other.head.serialize_type == head.serialize_type &&
           as_text(other.remark.span()) == remark && as_text(other.body.span()) == body &&
           read == fields;
  }
};

RC_GTEST_PROP(HeaderLaws, BothKindsGiveBackWhatWasEncodedAlsoInOneStream, ()) {
  Bytes stream;
  std::vector<AnyHeader> headers;
  const int count = *rc::gen::inRange(1, 4);
  for (int i = 0; i < count; ++i) {
    headers.emplace_back(*rc::gen::element(SerializeType::json, SerializeType::rocketmq));
    const SharedBytes frame = headers.back().encoded();
    stream.insert(stream.end(), frame.span().begin(), frame.span().end());
  }
  std::size_t next = 0;
  const int decoded = decode_in_pieces(stream, [&](const RemotingCommand& command) {
    RC_ASSERT(headers.at(next++).equals(command));
  });
  RC_ASSERT(decoded == count);
}

RC_GTEST_PROP(HeaderLaws, DamagedJsonIsAFaultOrSomethingReadable, ()) {
  const SharedBytes frame = AnyHeader(SerializeType::json).encoded();
  Bytes bytes(frame.span().begin(), frame.span().end());
  damage(bytes);
  decode_in_pieces(
      bytes, [](const RemotingCommand& command) { read_as_any_header(command.ext_fields.span()); });
}

// Everything that reads a body or a header of the route protocol.
void read_as_anything(std::span<const std::byte> bytes) {
  for (const BodyForm form : {BodyForm::json, BodyForm::compressed}) {
    const auto body = decode_register_broker_body(bytes, form);
    if (body) RC_ASSERT(body->topics.size() <= bytes.size());
  }
  const auto route = decode_topic_route(bytes);
  if (route) RC_ASSERT(route->queues.size() + route->brokers.size() <= bytes.size());
  (void)decode_cluster_info(bytes);
  (void)decode_heartbeat(bytes);
  (void)decode_lock_batch(bytes);
  (void)decode_consumer_list(bytes);
  RegisterBrokerHeader header;
  (void)decode_register_broker_header(bytes, header);
  (void)decode_register_broker_response(bytes);
  (void)decode_heartbeat_timeout(bytes);
  GetRouteInfoHeader route_header;
  (void)decode_get_route_info_header(bytes, route_header);
  (void)inflate_bytes(bytes, 1000);
  (void)parse_endpoints(as_text(bytes));
}

TopicRoute any_route() {
  TopicRoute route;
  const int count = *rc::gen::inRange(0, 4);
  for (int i = 0; i < count; ++i) {
    BrokerData broker{.broker_name = any_ascii(10), .cluster = any_ascii(10)};
    broker.enable_acting_master = *rc::gen::arbitrary<bool>();
    broker.addresses[*rc::gen::arbitrary<std::int64_t>()] = any_ascii(10);
    route.brokers.push_back(std::move(broker));
    QueueData queues{.broker_name = any_ascii(10)};
    queues.read_queues = *rc::gen::inRange(0, kQueuesMax + 1);
    queues.write_queues = *rc::gen::inRange(0, kQueuesMax + 1);
    queues.permissions = *rc::gen::inRange(0, 8);
    route.queues.push_back(std::move(queues));
  }
  return route;
}

RC_GTEST_PROP(RouteLaws, ARouteIsReadBackWithKeysOfBothKinds, ()) {
  const TopicRoute route = any_route();
  for (const JsonKeys keys : {JsonKeys::integers_bare, JsonKeys::all_quoted}) {
    RC_ASSERT(decode_topic_route(encode_topic_route(route, keys).span()) == route);
  }
}

RC_GTEST_PROP(RouteLaws, DamagedBodiesAndAnyBytesAreSurvived, ()) {
  RegisterBrokerBody body;
  body.data_version.counter = *rc::gen::arbitrary<std::int64_t>();
  body.topics.push_back({.topic = any_ascii(20), .read_queues = 4});
  for (const BodyForm form : {BodyForm::json, BodyForm::compressed}) {
    const SharedBytes encoded = encode_register_broker_body(body, form);
    Bytes damaged(encoded.span().begin(), encoded.span().end());
    damage(damaged);
    read_as_anything(damaged);
  }
  const SharedBytes route = encode_topic_route(any_route(), JsonKeys::integers_bare);
  Bytes damaged(route.span().begin(), route.span().end());
  damage(damaged);
  read_as_anything(damaged);
  read_as_anything(to_bytes(any_text(300)));
  const std::string brackets = *rc::gen::container<std::string>(
      *rc::gen::inRange<std::size_t>(0, 100), rc::gen::elementOf(std::string("{}[]:,\"\\01-ae ")));
  read_as_anything(to_bytes(brackets));
}

RC_GTEST_PROP(PropertyLaws, RewritingKeepsWhatOthersWroteAndAddsOurs, ()) {
  std::string name = *rc::gen::nonEmpty(rc::gen::string<std::string>());
  std::string value = *rc::gen::nonEmpty(rc::gen::string<std::string>());
  std::erase_if(name, [](char c) { return c == kNameEnd || c == kPropertyEnd; });
  std::erase_if(value, [](char c) { return c == kPropertyEnd; });
  RC_PRE(!name.empty() && !value.empty() && name != "CLUSTER" && name != "POP_CK");
  const Property original[] = {{name, value}};
  const Property added[] = {{"CLUSTER", "c"}};
  const SharedBytes text = encode_properties(original);
  const SharedBytes rewritten = rewrite_properties(as_text(text.span()), added);
  RC_ASSERT(find_property(as_text(rewritten.span()), name) == value);
  RC_ASSERT(find_property(as_text(rewritten.span()), "CLUSTER") == "c");
}

RC_GTEST_PROP(ConfigurationLaws, AnyTextIsRead, ()) {
  const std::string text = any_text(300);
  const ConfigurationResult result = parse_broker_configuration(text);
  for (const ConfigurationNote& note : result.notes) RC_ASSERT(note.line >= 1);
}

RC_GTEST_PROP(ConfigurationLaws, AnyValueOfAKnownKeyIsRefusedOrPromisesSomething, ()) {
  const auto properties = property_table();
  std::string text;
  for (int i = 0; i < 8; ++i) {
    const auto& property = properties[*rc::gen::inRange<std::size_t>(0, properties.size())];
    const std::string value = *rc::gen::element<std::string>(
        "true", "FALSE", "0", "-1", "+7", "2147483647", "9223372036854775807", "0.5", "SLAVE",
        "SYNC_MASTER", "SYNC_FLUSH", any_text(20));
    text += std::string(property.name) + "=" + value + "\n";
  }
  const ConfigurationResult result = parse_broker_configuration(text);
  for (const Setting& setting : result.settings) RC_ASSERT(setting.line >= 1);
  if (!result.has_errors()) RC_ASSERT(!promises_of(Settings(result.settings)).empty());
  for (const Promise& promise : promises_of(Settings(result.settings))) {
    RC_ASSERT(!promise.from.empty() && !promise.text.empty());
  }
}

}  // namespace
}  // namespace drydock::test
