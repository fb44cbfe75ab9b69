// What a broker tells a name server. The shapes are those of the storage reference, sections 12.6,
// 12.7 and 1.2; the compressed body's plain bytes were put together by hand from its grammar.
#include "engine/wire/register_broker.hpp"

#include <gtest/gtest.h>

#include "engine/wire/compression.hpp"
#include "engine/wire/endpoint_text.hpp"
#include "engine/wire/heartbeat.hpp"
#include "engine/wire/remoting_frame.hpp"
#include "tests/support/bytes_text.hpp"

namespace drydock::test {
namespace {

template <class Fields>
SharedBytes ext_fields_of(const Fields& fields) {
  RemotingCommand command;
  const SharedBytes frame = encode_command(CommandHead(), fields, {}, {});
  EXPECT_EQ(decode_command(frame.slice(4, frame.size() - 4), command), FrameFault::none);
  return command.ext_fields;
}
std::string names_of(const SharedBytes& encoded) {
  std::string all;
  ExtFieldReader reader(encoded.span());
  std::string_view key;
  std::string_view value;
  while (reader.next(key, value)) all += std::string(key) + "=" + std::string(value) + " ";
  return all;
}

RegisterBrokerHeader example_header() {
  RegisterBrokerHeader header;
  header.broker = {"broker-a", "10.0.0.2:10911", "Trade", 1};
  header.ha_server_addr = "10.0.0.2:10912";
  header.enable_acting_master = false;
  return header;
}

RegisterBrokerBody example_body() {
  return {.data_version = {.state_version = 3, .counter = 2, .timestamp_ms = 1'700'000'000'000},
          .topics = {{.topic = "orders", .read_queues = 8, .write_queues = 4}}};
}

constexpr std::string_view kBody =
    R"({"filterServerList":[],"topicConfigSerializeWrapper":{)"
    R"("dataVersion":{"counter":2,"stateVersion":3,"timestamp":1700000000000},)"
    R"("mappingDataVersion":{"counter":0,"stateVersion":0,"timestamp":1700000000000},)"
    R"("topicConfigTable":{"orders":{"attributes":{},"order":false,"perm":6,"readQueueNums":8,)"
    R"("topicFilterType":"SINGLE_TAG","topicName":"orders","topicSysFlag":0,"writeQueueNums":4}},)"
    R"("topicQueueMappingDetailMap":{},"topicQueueMappingInfoMap":{}}})";

TEST(WireRegisterBroker, TheHeaderHasTheDocumentedFields) {
  EXPECT_EQ(names_of(ext_fields_of(example_header())),
            "brokerName=broker-a brokerAddr=10.0.0.2:10911 clusterName=Trade brokerId=1 "
            "haServerAddr=10.0.0.2:10912 enableActingMaster=false compressed=false bodyCrc32=0 ");
}

TEST(WireRegisterBroker, TheHeaderIsReadBack) {
  RegisterBrokerHeader sent = example_header();
  sent.heartbeat_timeout_ms = 10'000;
  sent.compressed = true;
  sent.body_crc = 0x7fff'ffff;
  const SharedBytes encoded = ext_fields_of(sent);
  RegisterBrokerHeader header;
  ASSERT_TRUE(decode_register_broker_header(encoded.span(), header).ok());
  EXPECT_EQ(header.broker.broker_name, "broker-a");
  EXPECT_EQ(header.broker.broker_addr, "10.0.0.2:10911");
  EXPECT_EQ(header.broker.cluster_name, "Trade");
  EXPECT_EQ(header.broker.broker_id, 1);
  EXPECT_EQ(header.ha_server_addr, "10.0.0.2:10912");
  EXPECT_EQ(header.heartbeat_timeout_ms, 10'000);
  EXPECT_EQ(header.enable_acting_master, false);
  EXPECT_TRUE(header.compressed);
  EXPECT_EQ(header.body_crc, 0x7fff'ffffu);
}

TEST(WireRegisterBroker, AMissingOrUnreadableFieldIsNamed) {
  const auto fault_without = [](auto change) {
    RegisterBrokerHeader header = example_header();
    change(header);
    const SharedBytes encoded = ext_fields_of(header);
    return std::string(decode_register_broker_header(encoded.span(), header).field);
  };
  EXPECT_EQ(fault_without([](auto& h) { h.broker.broker_name = ""; }), "brokerName");
  EXPECT_EQ(fault_without([](auto& h) { h.broker.broker_addr = ""; }), "brokerAddr");
  EXPECT_EQ(fault_without([](auto& h) { h.broker.cluster_name = ""; }), "clusterName");
  EXPECT_EQ(fault_without([](auto& h) { h.broker.broker_id = -1; }), "brokerId");
  EXPECT_EQ(fault_without([](auto& h) { h.ha_server_addr = ""; }), "haServerAddr");
  RegisterBrokerHeader header;
  EXPECT_EQ(decode_register_broker_header({}, header).field, "brokerName");
}

TEST(WireRegisterBroker, TheBodyHasTheDocumentedText) {
  EXPECT_EQ(as_text(encode_register_broker_body(example_body(), BodyForm::json).span()), kBody);
}

TEST(WireRegisterBroker, BothFormsOfTheBodyAreReadBack) {
  for (const BodyForm form : {BodyForm::json, BodyForm::compressed}) {
    const SharedBytes encoded = encode_register_broker_body(example_body(), form);
    EXPECT_EQ(decode_register_broker_body(encoded.span(), form), example_body());
  }
}

TEST(WireRegisterBroker, TheCompressedBodyHasTheDocumentedBytes) {
  const std::string_view version = R"({"counter":2,"stateVersion":3,"timestamp":1700000000000})";
  std::string expected = hex(unhex("00000038")) + hex(as_byte_span(version));
  expected += hex(unhex("00000001 0000001a")) + hex(as_byte_span("orders 8 4 6 SINGLE_TAG {}"));
  expected += hex(unhex("00000002 5b5d 00000000"));
  const SharedBytes encoded = encode_register_broker_body(example_body(), BodyForm::compressed);
  const auto plain = inflate_bytes(encoded.span(), 1000);
  ASSERT_TRUE(plain.has_value());
  EXPECT_EQ(hex(as_byte_span(*plain)), expected);
}

TEST(WireRegisterBroker, BodiesThatCannotBeReadAreRefused) {
  for (const std::string_view bad : {"", "{}", "[]", R"({"topicConfigSerializeWrapper":[]})"}) {
    EXPECT_FALSE(decode_register_broker_body(as_byte_span(bad), BodyForm::json).has_value()) << bad;
  }
  const SharedBytes whole = encode_register_broker_body(example_body(), BodyForm::compressed);
  const auto cut = whole.span().first(whole.size() - 1);
  EXPECT_FALSE(decode_register_broker_body(cut, BodyForm::compressed).has_value());
  for (const std::string_view bad : {"", "00000002 7b7d ffffffff", "00000002 7b7d 00000001",
                                     "00000002 7b7d 00000001 00000003 612062", "7fffffff"}) {
    const SharedBytes deflated = deflate_bytes(unhex(bad));
    EXPECT_FALSE(decode_register_broker_body(deflated.span(), BodyForm::compressed)) << bad;
  }
}

// A name server must not be filled by 16 KiB that stand for 16 MiB.
TEST(WireRegisterBroker, InflatingEndsAtItsLimit) {
  const SharedBytes small = deflate_bytes(std::vector<std::byte>(1'000'000));
  EXPECT_LT(small.size(), 2000u);
  EXPECT_FALSE(inflate_bytes(small.span(), 999'999).has_value());
  EXPECT_TRUE(inflate_bytes(small.span(), 1'000'000).has_value());
  EXPECT_FALSE(inflate_bytes(as_byte_span("no zlib"), 1000).has_value());
}

TEST(WireRegisterBroker, NumbersOfQueuesBeyondReasonAreNone) {
  const auto body = decode_register_broker_body(
      as_byte_span(R"({"topicConfigSerializeWrapper":{"topicConfigTable":)"
                   R"({"t":{"readQueueNums":2147483647,"writeQueueNums":-1}}}})"),
      BodyForm::json);
  ASSERT_TRUE(body.has_value());
  EXPECT_EQ(body->topics[0].read_queues, 0);
  EXPECT_EQ(body->topics[0].write_queues, 0);
  EXPECT_EQ(body->topics[0].permissions, 6);
}

// "123456789" is the check value of CRC-32: cbf43926, here without its top bit.
// What an operator has written is not ours to drop, although nothing here looks at it.
TEST(WireRegisterBroker, MembersOfATopicThatNobodyLooksAtAreKept) {
  constexpr std::string_view kTopic =
      R"("orders":{"attributes":{"+message.type":"FIFO"},"madeBy":["me",1],"order":true,"perm":4,)"
      R"("readQueueNums":8,"topicFilterType":"MULTI_TAG","topicName":"orders","topicSysFlag":0,)"
      R"("writeQueueNums":4})";
  const auto table = decode_topic_table(R"({"topicConfigTable":{)" + std::string(kTopic) + "}}");
  ASSERT_TRUE(table.has_value());
  EXPECT_NE(encode_topic_table(*table).find(kTopic), std::string::npos);
  const auto defaults = decode_topic_table(encode_topic_table(example_body()));
  EXPECT_EQ(defaults, example_body());
}

TEST(WireRegisterBroker, TheCheckSumLacksItsTopBit) {
  EXPECT_EQ(body_crc(as_byte_span("123456789")), 0x4bf4'3926u);
}

TEST(WireRegisterBroker, TheResponseTellsASlaveItsMaster) {
  const RegisterBrokerResponse none;
  EXPECT_EQ(names_of(ext_fields_of(none)), "");
  const RegisterBrokerResponse master{"10.0.0.2:10912", "10.0.0.2:10911"};
  const SharedBytes encoded = ext_fields_of(master);
  EXPECT_EQ(names_of(encoded), "haServerAddr=10.0.0.2:10912 masterAddr=10.0.0.2:10911 ");
  EXPECT_EQ(decode_register_broker_response(encoded.span()).master_addr, "10.0.0.2:10911");
}

TEST(WireDataVersion, TheStateCountsBeforeTheCounterAndTheCounterBeforeTheTime) {
  EXPECT_LT((DataVersion{.state_version = 1, .counter = 9, .timestamp_ms = 9}),
            (DataVersion{.state_version = 2}));
  EXPECT_LT((DataVersion{.counter = 1, .timestamp_ms = 9}), (DataVersion{.counter = 2}));
  EXPECT_LT((DataVersion{.timestamp_ms = 1}), (DataVersion{.timestamp_ms = 2}));
}

TEST(WireEndpointText, AddressesAreReadAndWritten) {
  EXPECT_EQ(parse_endpoint("10.20.16.31:9876"), (Endpoint{0x0a14101f, 9876}));
  EXPECT_EQ(to_text(Endpoint{0x0a14101f, 9876}), "10.20.16.31:9876");
  for (const std::string_view bad :
       {"", ":1", "10.0.0.1", "10.0.0.1:", "10.0.0.1:0", "10.0.0.1:65536", "10.0.0:1", "h:1",
        "10.0.0.256:1", "1.2.3.4.5:1"}) {
    EXPECT_EQ(parse_endpoint(bad), std::nullopt) << bad;
  }
}

TEST(WireEndpointText, ListsAreSeparatedBySemicolons) {
  const auto both = parse_endpoints("10.0.0.1:9876; 10.0.0.2:9876;");
  ASSERT_TRUE(both.has_value());
  EXPECT_EQ(*both, (std::vector<Endpoint>{{0x0a000001, 9876}, {0x0a000002, 9876}}));
  for (const std::string_view bad : {"", ";", "10.0.0.1:9876,10.0.0.2:9876", "a:1;10.0.0.1:1"}) {
    EXPECT_EQ(parse_endpoints(bad), std::nullopt) << bad;
  }
}

TEST(WireHeartbeat, AProducersHeartbeatHasTheDocumentedText) {
  const SharedBytes body = encode_heartbeat("10.0.0.1@4", {.producer_group = "P"});
  EXPECT_EQ(as_text(body.span()),
            R"({"clientID":"10.0.0.1@4","consumerDataSet":[],"heartbeatFingerprint":0,)"
            R"("producerDataSet":[{"groupName":"P"}],"withoutSub":false})");
  EXPECT_TRUE(decode_heartbeat(body.span()).has_value());
  EXPECT_FALSE(decode_heartbeat(as_byte_span("{}")).has_value());
  EXPECT_FALSE(decode_heartbeat(as_byte_span("x")).has_value());
}

}  // namespace
}  // namespace drydock::test
