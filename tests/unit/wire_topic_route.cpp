// What a name server tells clients: the golden texts are those of the storage reference, 12.7.
#include "engine/wire/topic_route.hpp"

#include <gtest/gtest.h>

#include "engine/wire/remoting_frame.hpp"

namespace drydock::test {
namespace {

TopicRoute example() {
  return {.queues = {{.broker_name = "b", .read_queues = 8, .write_queues = 8, .permissions = 6}},
          .brokers = {{.broker_name = "b",
                       .cluster = "c",
                       .addresses = {{0, "10.0.0.2:10911"}, {1, "10.0.0.3:10921"}}}}};
}

constexpr std::string_view kBare =
    R"({"brokerDatas":[{"brokerAddrs":{0:"10.0.0.2:10911",1:"10.0.0.3:10921"},"brokerName":"b",)"
    R"("cluster":"c","enableActingMaster":false}],"filterServerTable":{},"queueDatas":)"
    R"([{"brokerName":"b","perm":6,"readQueueNums":8,"topicSysFlag":0,"writeQueueNums":8}]})";
constexpr std::string_view kQuoted =
    R"({"brokerDatas":[{"brokerAddrs":{"0":"10.0.0.2:10911","1":"10.0.0.3:10921"},)"
    R"("brokerName":"b","cluster":"c","enableActingMaster":false}],"filterServerTable":{},)"
    R"("queueDatas":[{"brokerName":"b","perm":6,"readQueueNums":8,"topicSysFlag":0,)"
    R"("writeQueueNums":8}]})";

TEST(WireTopicRoute, BrokerIdsAreBareForOldClientsAndQuotedForOthers) {
  EXPECT_EQ(as_text(encode_topic_route(example(), JsonKeys::integers_bare).span()), kBare);
  EXPECT_EQ(as_text(encode_topic_route(example(), JsonKeys::all_quoted).span()), kQuoted);
}

TEST(WireTopicRoute, BothAreReadBack) {
  EXPECT_EQ(decode_topic_route(as_byte_span(kBare)), example());
  EXPECT_EQ(decode_topic_route(as_byte_span(kQuoted)), example());
}

TEST(WireTopicRoute, WhatIsMissingIsEmptyAndWhatIsStrangeIsLeftOut) {
  EXPECT_EQ(decode_topic_route(as_byte_span("{}")), TopicRoute());
  EXPECT_EQ(decode_topic_route(as_byte_span("[]")), std::nullopt);
  EXPECT_EQ(decode_topic_route(as_byte_span("")), std::nullopt);
  const auto route = decode_topic_route(as_byte_span(
      R"({"brokerDatas":[7,{"brokerAddrs":{"x":"10.0.0.2:1","2":9,"3":"10.0.0.4:1"}}],)"
      R"("queueDatas":[{"writeQueueNums":70000}]})"));
  ASSERT_TRUE(route.has_value());
  ASSERT_EQ(route->brokers.size(), 2u);
  EXPECT_EQ(route->brokers[1].addresses, (std::map<std::int64_t, std::string>{{3, "10.0.0.4:1"}}));
  EXPECT_EQ(route->queues[0].write_queues, 0);
}

TEST(WireTopicRoute, ARequestNamesATopic) {
  const auto decoded = [](const GetRouteInfoHeader& sent, GetRouteInfoHeader& header) {
    RemotingCommand command;
    const SharedBytes frame = encode_command(CommandHead(), sent, {}, {});
    EXPECT_EQ(decode_command(frame.slice(4, frame.size() - 4), command), FrameFault::none);
    const bool ok = decode_get_route_info_header(command.ext_fields.span(), header).ok();
    EXPECT_TRUE(header.topic == sent.topic);
    header.topic = {};  // Its memory goes with the command.
    return ok;
  };
  GetRouteInfoHeader header;
  EXPECT_TRUE(decoded({.topic = "orders", .accept_standard_json_only = true}, header));
  EXPECT_TRUE(header.accept_standard_json_only);
  EXPECT_EQ(decode_get_route_info_header({}, header).field, "topic");
}

TEST(WireClusterInfo, ItHasTheDocumentedTextAndIsReadBack) {
  const ClusterInfo info{.brokers = {{"b", example().brokers[0]}}, .clusters = {{"c", {"b"}}}};
  const SharedBytes text = encode_cluster_info(info);
  EXPECT_EQ(as_text(text.span()),
            R"({"brokerAddrTable":{"b":{"brokerAddrs":{0:"10.0.0.2:10911",1:"10.0.0.3:10921"},)"
            R"("brokerName":"b","cluster":"c","enableActingMaster":false}},)"
            R"("clusterAddrTable":{"c":["b"]}})");
  EXPECT_EQ(decode_cluster_info(text.span()), info);
  EXPECT_EQ(decode_cluster_info(as_byte_span("7")), std::nullopt);
}

}  // namespace
}  // namespace drydock::test
