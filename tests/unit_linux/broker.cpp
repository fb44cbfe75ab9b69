// The broker and the producer, compiled once, on real files and sockets: what the simulation runs
// also runs here. Nothing is measured.
#include "engine/broker/broker.hpp"

#include <algorithm>
#include <cstdint>

#include "engine/client/producer.hpp"
#include "tests/unit_linux/linux_test.hpp"

namespace drydock::on_linux::test {
namespace {

constexpr std::uint32_t kBrokerAddress = 0x7f000002;
constexpr std::uint32_t kClientAddress = 0x7f000003;
constexpr std::uint64_t kSends = 300;
constexpr std::uint64_t kInFlight = 16;

struct Tally {
  std::uint64_t done = 0;
  std::uint64_t acked = 0;
  std::int64_t lowest = INT64_MAX;
  std::int64_t highest = -1;
};

class BrokerOnLinux : public LinuxTest {
 protected:
  BrokerOnLinux() {
    configuration.store.flush_disk_type = FlushDiskType::sync_flush;
    configuration.store.mapped_file_size_commit_log = 64 * 1024;
  }

  LinuxProcess& start_broker() {
    LinuxProcess& broker =
        world.spawn("broker", {.address = kBrokerAddress, .root = directory.path()});
    const BrokerConfiguration copy = configuration;
    broker.start([copy](Context& context) { return run_broker(context, copy); });
    const bool serving = world.run_until(
        [&] { return broker.observer().count(EventName::serving_started) > 0; }, kHangLimit);
    EXPECT_TRUE(serving);
    return broker;
  }

  static Task<void> send_some(Producer& producer, std::uint64_t first, Tally& tally) {
    for (std::uint64_t key = first; key < kSends; key += kInFlight) {
      OutgoingMessage message;
      message.topic = SharedBytes::copy_of("orders");
      message.key = key;
      message.queue_id = static_cast<std::int32_t>(key % 4);
      message.body = SharedBytes::zeros(1000);
      SendOutcome outcome = co_await producer.send(std::move(message));
      ++tally.done;
      if (outcome.status != SendStatus::acked) continue;
      ++tally.acked;
      tally.lowest = std::min(tally.lowest, outcome.physical_offset->value());
      tally.highest = std::max(tally.highest, outcome.physical_offset->value());
    }
  }
  static Task<void> client_program(Context& context, Tally& tally) {
    Producer producer(context, Endpoint{kBrokerAddress, 10'911}, ProducerOptions());
    for (std::uint64_t i = 0; i < kInFlight; ++i) {
      context.scope.spawn(send_some(producer, i, tally));
    }
    Result<void> told = co_await context.terminate.wait();
    EXPECT_TRUE(told.has_value());
  }
  // Sends everything and gives what came of it.
  Tally send_all() {
    Tally tally;
    LinuxProcess& client = world.spawn("client", {.address = kClientAddress});
    client.start([&tally](Context& context) { return client_program(context, tally); });
    EXPECT_TRUE(world.run_until([&] { return tally.done == kSends; }, kHangLimit));
    client.terminate();
    run_until_dead(client);
    return tally;
  }

  BrokerConfiguration configuration;
};

TEST_F(BrokerOnLinux, AKilledBrokerComesBackWithEverything) {
  LinuxProcess& first = start_broker();
  const Tally before = send_all();
  EXPECT_EQ(before.acked, kSends);
  EXPECT_EQ(before.lowest, 0);
  first.kill();
  run_until_dead(first);

  LinuxProcess& second = start_broker();
  const Tally after = send_all();
  EXPECT_EQ(after.acked, kSends);
  EXPECT_GT(after.lowest, before.highest);
  second.terminate();
  run_until_dead(second);
  EXPECT_EQ(second.end(), ProcessEnd::exited);
  EXPECT_FALSE(std::filesystem::exists(directory.path() + "/store/abort"));
}

}  // namespace
}  // namespace drydock::on_linux::test
