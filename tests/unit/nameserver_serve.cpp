// A name server as brokers and clients see it, over the simulated network: requests and their
// answers, and when a broker that stops, dies or falls silent is forgotten (HA
// reference, 5.2, 5.3).
#include <gtest/gtest.h>

#include "engine/wire/compression.hpp"
#include "engine/wire/consumer_offset.hpp"
#include "engine/wire/register_broker.hpp"
#include "tests/support/raw_client.hpp"
#include "tests/support/route_world.hpp"

namespace drydock::test {
namespace {

RegisterBrokerBody two_topics() {
  return {.data_version = {.counter = 1},
          .topics = {{.topic = "orders", .read_queues = 4, .write_queues = 4},
                     {.topic = "payments", .read_queues = 4, .write_queues = 4}}};
}

SharedBytes register_request(RegisterBrokerHeader header, BodyForm form = BodyForm::json) {
  header.broker = {"broker-x", "10.0.0.9:10911", "Trade", header.broker.broker_id};
  header.ha_server_addr = "10.0.0.9:10912";
  header.compressed = form == BodyForm::compressed;
  const SharedBytes body = encode_register_broker_body(two_topics(), form);
  return encode_command(request_head(RequestCode::register_broker, 3), header, {}, body.span());
}

std::int32_t code_of(const std::optional<RemotingCommand>& response) {
  return response ? response->head.code : -1;
}

TEST(NameServerServe, ABrokerRegistersAndItsTopicHasARoute) {
  RouteWorld world;
  world.start_name_server(0);
  RouteAsker asker(world, world.name_server(0));
  EXPECT_EQ(code_of(asker.ask_route("orders")), 17);
  const auto answer = asker.ask(register_request({}));
  EXPECT_EQ(code_of(answer), 0);
  EXPECT_EQ(answer->head.opaque, 3);
  const auto route = asker.route("orders");
  ASSERT_TRUE(route.has_value());
  EXPECT_EQ(route->brokers.at(0).addresses.at(0), "10.0.0.9:10911");
  EXPECT_EQ(world.count(EventName::route_broker_added), 1u);
}

TEST(NameServerServe, ACompressedBodyIsRead) {
  RouteWorld world;
  world.start_name_server(0);
  RouteAsker asker(world, world.name_server(0));
  EXPECT_EQ(code_of(asker.ask(register_request({}, BodyForm::compressed))), 0);
  EXPECT_TRUE(asker.route("payments").has_value());
}

TEST(NameServerServe, AWrongCheckSumIsRefused) {
  RouteWorld world;
  world.start_name_server(0);
  RouteAsker asker(world, world.name_server(0));
  RegisterBrokerHeader header;
  header.body_crc = 1;
  EXPECT_EQ(code_of(asker.ask(register_request(header))), 1);
  const SharedBytes body = encode_register_broker_body(two_topics(), BodyForm::json);
  header.body_crc = body_crc(body.span());
  EXPECT_EQ(code_of(asker.ask(register_request(header))), 0);
}

TEST(NameServerServe, RequestsThatCannotBeReadOrAreUnknownAreRefused) {
  RouteWorld world;
  world.start_name_server(0);
  RouteAsker asker(world, world.name_server(0));
  for (const RequestCode code :
       {RequestCode::register_broker, RequestCode::unregister_broker, RequestCode::broker_heartbeat,
        RequestCode::get_route_info_by_topic}) {
    EXPECT_EQ(code_of(asker.ask(encode_command(request_head(code, 1), NoFields(), {}, {}))), 1);
  }
  EXPECT_EQ(code_of(asker.ask(
                encode_command(request_head(RequestCode::send_message, 1), NoFields(), {}, {}))),
            3);
}

TEST(NameServerServe, NamesTooLongToBeRepeatedAreRefused) {
  RouteWorld world;
  world.start_name_server(0);
  RouteAsker asker(world, world.name_server(0));
  const auto route_of = [&](std::size_t bytes) {
    const std::string topic(bytes, 'x');
    const GetRouteInfoHeader header{.topic = topic};
    return asker.ask(
        encode_command(request_head(RequestCode::get_route_info_by_topic, 1), header, {}, {}));
  };
  EXPECT_EQ(code_of(route_of(255)), 17);
  EXPECT_LT(route_of(255)->remark.size(), 255u);
  EXPECT_EQ(code_of(route_of(256)), 1);

  // With the remark's own words beyond a frame.
  const std::string longest(16'777'180, 'x');
  RouteAsker(world, world.name_server(0)).ask_route(longest);
  world.run_for(Duration::s(1));
  EXPECT_EQ(code_of(asker.ask_route("orders")), 17);

  const SharedBytes body = encode_register_broker_body(two_topics(), BodyForm::json);
  const std::string name(256, 'n');
  const BrokerIdentity fine{"broker-x", "10.0.0.9:10911", "Trade", 0};
  std::vector<RegisterBrokerHeader> headers(4, {.broker = fine, .ha_server_addr = "10.0.0.9:1"});
  headers[0].broker.broker_name = name;
  headers[1].broker.broker_addr = name;
  headers[2].broker.cluster_name = name;
  headers[3].ha_server_addr = name;
  for (const RegisterBrokerHeader& header : headers) {
    EXPECT_EQ(code_of(asker.ask(encode_command(request_head(RequestCode::register_broker, 1),
                                               header, {}, body.span()))),
              1);
  }
}

// 12.7: bare integer keys unless the client's version or its request says otherwise.
TEST(NameServerServe, OldClientsGetBareKeysAndJsonHeadersAreAnsweredInKind) {
  RouteWorld world;
  world.start_name_server(0);
  RouteAsker asker(world, world.name_server(0));
  asker.ask(register_request({}));
  CommandHead head = request_head(RequestCode::get_route_info_by_topic, 1);
  head.serialize_type = SerializeType::json;
  const auto body_for = [&](std::int16_t version, bool standard) {
    head.version = version;
    const GetRouteInfoHeader header{.topic = "orders", .accept_standard_json_only = standard};
    const auto answer = asker.ask(encode_command(head, header, {}, {}));
    EXPECT_EQ(answer->head.serialize_type, SerializeType::json);
    return std::string(as_text(answer->body.span()));
  };
  EXPECT_NE(body_for(400, false).find("{0:"), std::string::npos);
  EXPECT_NE(body_for(401, false).find("{\"0\":"), std::string::npos);
  EXPECT_NE(body_for(400, true).find("{\"0\":"), std::string::npos);
}

TEST(NameServerServe, TheClusterIsListed) {
  RouteWorld world;
  world.start_name_server(0);
  RouteAsker asker(world, world.name_server(0));
  asker.ask(register_request({}));
  const auto answer = asker.ask(
      encode_command(request_head(RequestCode::get_broker_cluster_info, 1), NoFields(), {}, {}));
  ASSERT_EQ(code_of(answer), 0);
  const auto info = decode_cluster_info(answer->body.span());
  ASSERT_TRUE(info.has_value());
  EXPECT_EQ(info->clusters.at("Trade"), std::vector<std::string>{"broker-x"});
}

// A broker in acting-master mode names 10 s; a heartbeat (904) extends them.
TEST(NameServerServe, ASilentBrokerIsForgottenAtTheNextScan) {
  RouteWorld world;
  world.start_name_server(0);
  RouteAsker asker(world, world.name_server(0));
  world.run_to(Duration::s(1));
  RegisterBrokerHeader header;
  header.heartbeat_timeout_ms = 10'000;
  asker.ask(register_request(header));  // Arrives 1 ms later.
  world.run_to(Duration::s(6));
  const BrokerIdentity identity{"broker-x", "10.0.0.9:10911", "Trade", 0};
  asker.ask(encode_command(request_head(RequestCode::broker_heartbeat, 1), identity, {}, {}));
  // Silent since 6.001 s: expired after 16.001 s, scanned at 20 s.
  world.run_to(Duration::ms(19'980));
  EXPECT_TRUE(asker.route("orders").has_value());
  world.run_to(Duration::ms(20'001));
  EXPECT_FALSE(asker.route("orders").has_value());
  EXPECT_EQ(world.count(EventName::route_broker_removed), 1u);
}

TEST(NameServerServe, ATakenPortEndsTheSecondNameServer) {
  RouteWorld world;
  world.start_name_server(0);
  sim::SimProcess& second = world.start_name_server(0);
  world.run_for(Duration::s(1));
  EXPECT_EQ(second.end(), sim::ProcessEnd::exited);
}

TEST(BrokerRegistration, ABrokerRegistersAtStartWithEveryNameServer) {
  RouteWorld world;
  world.start_name_server(0);
  world.start_name_server(1);
  RouteAsker first(world, world.name_server(0));
  RouteAsker second(world, world.name_server(1));
  world.start_broker();
  world.run_for(Duration::ms(10));
  for (RouteAsker* asker : {&first, &second}) {
    const auto route = asker->route("TBW102");
    ASSERT_TRUE(route.has_value());
    const QueueData queues{
        .broker_name = "broker", .read_queues = 8, .write_queues = 8, .permissions = 7};
    EXPECT_EQ(route->queues.at(0), queues);
    EXPECT_EQ(route->brokers.at(0).addresses.at(0), "10.0.0.2:10911");
    EXPECT_TRUE(asker->route("SCHEDULE_TOPIC_XXXX").has_value());
  }
}

// 5.2: again after 10 s, then every 30 s.
TEST(BrokerRegistration, RegistrationsComeAtStartAfter10SecondsAndThenEvery30) {
  RouteWorld world;
  world.start_name_server(0);
  world.configuration.name_servers = {world.name_server(0)};
  world.start_broker();
  const auto seen_at = [&world](std::int64_t second) {
    world.run_to(Duration::s(second) + Duration::ms(20));
    return world.count(EventName::broker_registered);
  };
  EXPECT_EQ(seen_at(0), 1u);
  EXPECT_EQ(seen_at(9), 1u);
  EXPECT_EQ(seen_at(10), 2u);
  EXPECT_EQ(seen_at(39), 2u);
  EXPECT_EQ(seen_at(40), 3u);
  EXPECT_EQ(seen_at(70), 4u);
}

TEST(BrokerRegistration, ThePeriodIsHeldBetween10And60Seconds) {
  for (const auto& [configured, expected] : {std::pair(1, 7u), std::pair(100, 2u)}) {
    RouteWorld world;
    world.start_name_server(0);
    world.configuration.name_servers = {world.name_server(0)};
    world.configuration.register_name_server_period = Duration::s(configured);
    world.start_broker();
    world.run_to(Duration::s(61));
    EXPECT_EQ(world.count(EventName::broker_registered), expected) << configured;
  }
}

TEST(BrokerRegistration, ANewTopicIsToldAtOnce) {
  RouteWorld world;
  world.start_name_server(0);
  RouteAsker asker(world, world.name_server(0));
  world.start_broker();
  Client client(world);
  world.run_for(Duration::s(1));
  EXPECT_FALSE(asker.route("orders").has_value());
  const PendingSend send = client.send(outgoing(1));
  world.run_for(Duration::ms(20));
  ASSERT_EQ(send->status(), SendStatus::acked);
  const auto route = asker.route("orders");
  ASSERT_TRUE(route.has_value());
  EXPECT_EQ(route->queues.at(0).write_queues, 4);
}

TEST(BrokerRegistration, ASilentNameServerDoesNotDelayTheOthers) {
  RouteWorld world;
  world.start_name_server(0);
  world.start_name_server(1);
  RouteAsker asker(world, world.name_server(1));
  world.cut(1, 2);
  world.start_broker();
  Client client(world);
  world.run_for(Duration::ms(10));
  for (const std::string_view topic : {"orders", "payments", "returns"}) {
    const PendingSend send = client.send(outgoing(1, topic));
    world.run_for(Duration::ms(20));
    ASSERT_EQ(send->status(), SendStatus::acked);
    EXPECT_TRUE(asker.route(topic).has_value()) << topic;
  }
}

void commit_offset(BrokerWorld& world) {
  ConsumerOffsetHeader header;
  header.consumer_group = "G";
  header.queue.topic = "orders";
  header.commit_offset = 7;
  RawClient client(world);
  ENSURE(client.code_of(encode_command(request_head(RequestCode::update_consumer_offset, 1), header,
                                       {}, {})) == 0);
}
void let_jobs_wait(BrokerWorld& world, bool waits) {
  world.configuration.store.behaviour.set(
      BehaviourSwitch::registration_waits_for_files,
      waits ? BehaviourValue::faithful : BehaviourValue::hardened);
}

// registration.waits-for-files, one way: consumer offsets are saved at 10 s, which takes 200 s.
TEST(BrokerRegistration, AFileCallThatHangsStopsRegistrationsOrNot) {
  for (const bool waits : {true, false}) {
    RouteWorld world;
    world.start_name_server(0);
    world.configuration.name_servers = {world.name_server(0)};
    let_jobs_wait(world, waits);
    world.start_broker();
    Client client(world);
    ASSERT_EQ(client.send_now(outgoing(1)).status, SendStatus::acked);  // Takes 20 s.
    world.files.write_time = Duration::s(100);
    world.files.failing_path = "consumerOffset";
    commit_offset(world);
    world.run_to(Duration::s(26));
    const std::uint64_t before = world.count(EventName::broker_registered);
    world.run_to(Duration::s(101));
    EXPECT_EQ(world.count(EventName::broker_registered) - before, waits ? 0u : 3u) << "40, 70, 100";
    world.run_to(Duration::s(1001));
    EXPECT_EQ(world.count(EventName::broker_registered) - before, 33u) << "what was missed follows";
  }
}

// The other way: a round of registrations waits 24 s for a name server that is silent.
TEST(BrokerRegistration, ASilentNameServerDelaysTheSavingOfOffsetsOrNot) {
  for (const bool waits : {true, false}) {
    RouteWorld world;
    world.start_name_server(0);
    world.start_name_server(1);
    let_jobs_wait(world, waits);
    world.start_broker();
    Client client(world);
    ASSERT_EQ(client.send_now(outgoing(1)).status, SendStatus::acked);
    world.run_to(Duration::s(35));
    world.cut(1, 2);
    world.run_to(Duration::s(41));
    commit_offset(world);
    const auto saved = [&world] { return world.files.exists("/store/config/consumerOffset.json"); };
    world.run_to(Duration::ms(46'000));
    EXPECT_EQ(saved(), !waits);
    world.run_to(Duration::ms(63'900));
    EXPECT_EQ(saved(), !waits);
    world.run_to(Duration::ms(64'100));
    EXPECT_TRUE(saved()) << "registerBrokerTimeoutMills after 40 s";
  }
}

// 5.3: graceful stop, kill -9, and silence.
TEST(BrokerRegistration, AnOrderlyStopUnregistersAtOnce) {
  RouteWorld world;
  world.start_name_server(0);
  RouteAsker asker(world, world.name_server(0));
  sim::SimProcess& broker = world.start_broker();
  world.run_for(Duration::s(1));
  ASSERT_TRUE(asker.route("TBW102").has_value());
  broker.terminate();
  world.run_for(Duration::ms(5));
  EXPECT_FALSE(asker.route("TBW102").has_value());
}

// It has the address of the one that has the store and the port.
TEST(BrokerRegistration, ABrokerThatCannotStartUnregistersNobody) {
  RouteWorld world;
  world.start_name_server(0);
  RouteAsker asker(world, world.name_server(0));
  world.start_broker();
  world.run_for(Duration::s(1));
  sim::SimProcess& second = world.start_broker();
  world.run_for(Duration::s(5));
  EXPECT_EQ(second.end(), sim::ProcessEnd::exited);
  EXPECT_TRUE(asker.route("TBW102").has_value());
  EXPECT_EQ(world.count(EventName::route_broker_removed), 0u);
}

TEST(BrokerRegistration, AnOrderlyStopDoesNotWaitLongForDeadNameServers) {
  RouteWorld world;
  world.start_name_server(0);
  world.start_name_server(1);
  sim::SimProcess& broker = world.start_broker();
  world.run_for(Duration::s(1));
  world.cut(1, 2);
  world.cut(1, 3);
  const Duration start = world.now();
  broker.terminate();
  world.run_to(start + Duration::ms(5'900));
  EXPECT_NE(broker.end(), sim::ProcessEnd::exited);
  world.run_to(start + Duration::ms(6'500));
  EXPECT_EQ(broker.end(), sim::ProcessEnd::exited);
}

TEST(BrokerRegistration, AKilledBrokerIsForgottenWithItsConnection) {
  RouteWorld world;
  world.start_name_server(0);
  RouteAsker asker(world, world.name_server(0));
  sim::SimProcess& broker = world.start_broker();
  world.run_for(Duration::s(1));
  broker.kill();
  world.run_for(Duration::ms(5));
  EXPECT_FALSE(asker.route("TBW102").has_value());
  EXPECT_EQ(world.count(EventName::route_broker_removed), 1u);
}

TEST(BrokerRegistration, ABrokerThatIsCutOffIsForgottenAfter120Seconds) {
  RouteWorld world;
  world.start_name_server(0);
  RouteAsker asker(world, world.name_server(0));
  world.configuration.name_servers = {world.name_server(0)};
  world.start_broker();
  world.run_to(Duration::s(45));  // Registered at 40 s.
  world.cut(1, 2);
  world.run_to(Duration::s(100));
  EXPECT_TRUE(asker.route("TBW102").has_value());  // Keeps the asker's connection, too.
  world.run_to(Duration::ms(159'990));
  EXPECT_TRUE(asker.route("TBW102").has_value());
  world.run_to(Duration::ms(165'010));
  EXPECT_FALSE(asker.route("TBW102").has_value());
}

TEST(BrokerRegistration, ANameServerThatIsBackLearnsOfTheBrokerWithinAPeriod) {
  RouteWorld world;
  sim::SimProcess& first = world.start_name_server(0);
  world.configuration.name_servers = {world.name_server(0)};
  world.start_broker();
  world.run_to(Duration::s(45));
  first.kill();
  world.run_to(Duration::s(50));
  world.start_name_server(0);
  RouteAsker asker(world, world.name_server(0));
  world.run_to(Duration::s(69));
  EXPECT_FALSE(asker.route("TBW102").has_value());
  world.run_to(Duration::ms(70'020));
  EXPECT_TRUE(asker.route("TBW102").has_value());
}

TEST(BrokerRegistration, ASlaveLearnsOfItsMasterAndNeedsAnIdOfItsOwn) {
  RouteWorld world;
  world.start_name_server(0);
  world.start_broker();
  world.run_for(Duration::s(1));
  BrokerConfiguration slave = world.configuration;
  slave.ha.role = BrokerRole::slave;
  MemoryFiles slave_files;
  slave_files.clock = &world.host(4).clock();
  const auto start_slave = [&]() -> sim::SimProcess& {
    sim::SimProcess& process = world.host(4).spawn("slave" + std::to_string(slave.broker_id));
    process.attach(world.network.attach(world.host(4), process), slave_files.attach());
    process.start([slave](Context& context) { return run_broker(context, slave); });
    world.run_for(Duration::ms(10));
    return process;
  };
  EXPECT_EQ(start_slave().end(), sim::ProcessEnd::exited);
  slave.broker_id = 1;
  start_slave();
  RouteAsker asker(world, world.name_server(0));
  const auto route = asker.route("TBW102");
  ASSERT_TRUE(route.has_value());
  EXPECT_EQ(route->brokers.at(0).addresses.at(1), "10.0.0.5:10911");
  world.run_for(Duration::s(10));  // A slave without a master looks again after 5 s.
  EXPECT_EQ(world.count(EventName::ha_slave_connected), 1u);
}

// Both name servers answer, the second with a master that is long gone.
TEST(BrokerRegistration, TheFirstAnswerOfARoundSaysWhereTheMasterIs) {
  RouteWorld world;
  world.start_name_server(0);
  world.start_name_server(1);
  RouteAsker asker(world, world.name_server(1));
  const RegisterBrokerHeader gone{
      .broker = {"broker", "10.0.0.9:10911", world.configuration.broker_cluster_name, 0},
      .ha_server_addr = "10.0.0.9:10912"};
  const SharedBytes body = encode_register_broker_body(two_topics(), BodyForm::json);
  EXPECT_EQ(code_of(asker.ask(encode_command(request_head(RequestCode::register_broker, 3), gone,
                                             {}, body.span()))),
            0);
  BrokerConfiguration slave = world.configuration;
  world.configuration.name_servers = {world.name_server(0)};
  world.start_broker();
  world.run_for(Duration::s(1));
  slave.ha.role = BrokerRole::slave;
  slave.broker_id = 1;
  MemoryFiles slave_files;
  slave_files.clock = &world.host(4).clock();
  sim::SimProcess& process = world.host(4).spawn("slave");
  process.attach(world.network.attach(world.host(4), process), slave_files.attach());
  process.start([slave](Context& context) { return run_broker(context, slave); });
  world.run_for(Duration::s(11));
  EXPECT_EQ(world.count(EventName::ha_slave_connected), 1u);
}

}  // namespace
}  // namespace drydock::test
