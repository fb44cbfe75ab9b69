// Name server, broker and producer on real sockets: the broker registers, the producer finds it.
#include <algorithm>
#include <cstdint>

#include "engine/broker/broker.hpp"
#include "engine/client/producer.hpp"
#include "engine/nameserver/name_server.hpp"
#include "tests/unit_linux/linux_test.hpp"

namespace drydock::on_linux::test {
namespace {

constexpr std::uint32_t kBrokerAddress = 0x7f000012;
constexpr std::uint32_t kClientAddress = 0x7f000013;
constexpr Endpoint kNameServer{0x7f000014, 9'876};

struct Sends {
  std::uint64_t done = 0;
  std::uint64_t acked = 0;
};

class RouteOnLinux : public LinuxTest {
 protected:
  LinuxProcess& start_and_serve(std::string name, std::uint32_t address, Program program) {
    LinuxProcess& process =
        world.spawn(std::move(name), {.address = address, .root = directory.path()});
    process.start(std::move(program));
    const bool serving = world.run_until(
        [&] { return process.observer().count(EventName::serving_started) > 0; }, kHangLimit);
    EXPECT_TRUE(serving);
    return process;
  }
  LinuxProcess& start_name_server() {
    return start_and_serve("nameserver", kNameServer.address, [](Context& context) {
      return run_name_server(context, NameServerConfiguration());
    });
  }
  LinuxProcess& start_broker() {
    BrokerConfiguration configuration;
    configuration.store.mapped_file_size_commit_log = 64 * 1024;
    configuration.name_servers = {kNameServer};
    LinuxProcess& broker = start_and_serve(
        "broker", kBrokerAddress,
        [configuration](Context& context) { return run_broker(context, configuration); });
    const bool registered = world.run_until(
        [&] { return broker.observer().count(EventName::broker_registered) > 0; }, kHangLimit);
    EXPECT_TRUE(registered);
    return broker;
  }

  static Task<void> client_program(Context& context, Sends& sends) {
    NameServers name_servers;
    name_servers.endpoints = {kNameServer};
    Producer producer(context, name_servers, ProducerOptions());
    for (std::uint64_t key = 0; key < 20; ++key) {
      OutgoingMessage message;
      message.topic = SharedBytes::copy_of("orders");
      message.key = key;
      message.body = SharedBytes::zeros(100);
      SendOutcome outcome = co_await producer.send(std::move(message));
      ++sends.done;
      if (outcome.status == SendStatus::acked) ++sends.acked;
    }
    co_await producer.close();
  }
};

TEST_F(RouteOnLinux, AProducerFindsABrokerThatHasRegistered) {
  LinuxProcess& name_server = start_name_server();
  LinuxProcess& broker = start_broker();
  Sends sends;
  LinuxProcess& client = world.spawn("client", {.address = kClientAddress});
  client.start([&sends](Context& context) { return client_program(context, sends); });
  run_until_dead(client);
  EXPECT_EQ(sends.acked, 20u);

  broker.terminate();
  run_until_dead(broker);
  EXPECT_EQ(name_server.observer().count(EventName::route_broker_removed), 1u);
  name_server.terminate();
  run_until_dead(name_server);
  EXPECT_EQ(name_server.end(), ProcessEnd::exited);
}

}  // namespace
}  // namespace drydock::on_linux::test
