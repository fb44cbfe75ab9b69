// A file below config/ on a simulated disk: what a power loss leaves of it, as RocketMQ writes it
// and in the hardened way. Facts: storage reference, 1.2 and pitfall 29.
#include "engine/broker/config_file.hpp"

#include <gtest/gtest.h>

#include "sim/fs/host_files.hpp"
#include "tests/support/store_world.hpp"

namespace drydock::test {
namespace {

class DiskWorld : public StoreWorld {
 public:
  DiskWorld()
      : disk(kernel, DiskId(0),
             {.name = "d0", .capacity_bytes = std::int64_t{1} << 30, .profile = sim::local_nvme()}),
        disk_files(kernel, host(), disk, {}) {}
  std::unique_ptr<FileSystem> attach(sim::SimProcess& process) override {
    return disk_files.attach(process);
  }
  void power_cycle() override {
    host().lose_power();
    run_for(Duration::s(1));
    host().restore_power();
    run_for(Duration::s(1));
  }
  sim::SimProcess& start(std::function<Task<void>(Context&)> program) {
    sim::SimProcess& process = host().spawn("p" + std::to_string(processes_++));
    process.attach(std::make_unique<NoNetwork>(), attach(process));
    process.start(std::move(program));
    return process;
  }

  sim::SimDisk disk;
  sim::HostFiles disk_files;

 private:
  int processes_ = 0;
};

// A number; only a whole one is accepted.
class Number : public ConfigContent {
 public:
  bool read(std::string_view text) override {
    if (!text.starts_with('<') || !text.ends_with('>')) return false;
    const auto number = parse_decimal<std::uint64_t>(text.substr(1, text.size() - 2));
    if (number) value = *number;
    return number.has_value();
  }
  std::string write() const override { return "<" + std::to_string(value) + ">"; }
  std::uint64_t changes() const override { return value; }
  std::uint64_t value = 0;
};

constexpr Duration kApart = Duration::s(3);

// Writes 1, 2, 3, … for ever.
Task<void> write_on(Context& context, const StoreConfiguration& store, std::uint64_t& saved) {
  Number number;
  ConfigFile file(context, store, "number.json", number);
  Worker& worker = context.workers.add("writer");
  for (;;) {
    Result<void> slept = co_await sleep_for(context.clock, kApart);
    if (!slept) co_return;
    ++number.value;
    co_await file.save(worker);
    saved = number.value;
  }
}

struct Loaded {
  std::optional<Result<void>> result;
  std::uint64_t value = 0;
};
Task<void> load(Context& context, const StoreConfiguration& store, Loaded& loaded) {
  Number number;
  ConfigFile file(context, store, "number.json", number);
  Result<void> result = co_await file.load(context.workers.add("reader"));
  loaded.result = result;
  loaded.value = number.value;
}

// What is loaded after a power loss at `cut`, and what had been saved by then.
struct Story {
  std::uint64_t saved = 0;
  Loaded loaded;
};
Story story(Duration cut, BehaviourValue value) {
  DiskWorld world;
  world.configuration.behaviour.set(BehaviourSwitch::config_rewritten_in_place, value);
  Story told;
  world.start([&](Context& context) { return write_on(context, world.configuration, told.saved); });
  world.run_to(cut);
  world.power_cycle();
  world.start([&](Context& context) { return load(context, world.configuration, told.loaded); });
  world.run_for(Duration::s(1));
  return told;
}

std::vector<Duration> cuts() {
  std::vector<Duration> all;
  for (int i = 1; i <= 30; ++i) all.push_back(Duration::ms(1'700 * i));
  for (int us = 0; us <= 1'000; us += 50) {  // While the tenth number is being written.
    all.push_back(kApart * 10 + Duration::us(us));
  }
  return all;
}

TEST(BrokerConfigFile, HardenedNothingThatWasSavedIsLost) {
  for (const Duration cut : cuts()) {
    const Story told = story(cut, BehaviourValue::hardened);
    ASSERT_TRUE(told.loaded.result && told.loaded.result->has_value()) << cut.count_ns();
    EXPECT_GE(told.loaded.value, told.saved) << cut.count_ns();
    EXPECT_LE(told.loaded.value, told.saved + 1) << cut.count_ns();
  }
}

TEST(BrokerConfigFile, FaithfulAPowerLossMayTakeWhatWasSaved) {
  int lost = 0;
  for (const Duration cut : cuts()) {
    const Story told = story(cut, BehaviourValue::faithful);
    if (told.loaded.value < told.saved) ++lost;
  }
  EXPECT_GT(lost, 0);
}

TEST(BrokerConfigFile, AKilledProcessLosesNothingThatWasSaved) {
  for (const BehaviourValue value : {BehaviourValue::faithful, BehaviourValue::hardened}) {
    DiskWorld world;
    world.configuration.behaviour.set(BehaviourSwitch::config_rewritten_in_place, value);
    std::uint64_t saved = 0;
    sim::SimProcess& writer = world.start(
        [&](Context& context) { return write_on(context, world.configuration, saved); });
    world.run_to(kApart * 10 + Duration::ms(500));
    writer.kill();
    world.run_for(Duration::s(1));
    Loaded loaded;
    world.start([&](Context& context) { return load(context, world.configuration, loaded); });
    world.run_for(Duration::s(1));
    EXPECT_EQ(saved, 10u);
    EXPECT_EQ(loaded.value, 10u);
  }
}

}  // namespace
}  // namespace drydock::test
