// Plans come true in the simulation: at a time, at the n-th event, at a crash point; they end by
// their span or by `heal`; and a fault that finds nothing to break says so.
#include <gtest/gtest.h>

#include <algorithm>

#include "faults/on_sim/sim_injector.hpp"
#include "tests/support/disk_world.hpp"
#include "tests/support/no_services.hpp"

namespace drydock::faults {
namespace {

// One host, one service "b" with role master that emits store_appended every 10 ms.
class Cluster : public Targets {
 public:
  Cluster() : host_(kernel, HostId(1), options()) { restart("b"); }
  ~Cluster() override {
    injector.disarm();
    host_.lose_power();
    kernel.step(kernel.now());
  }

  std::string process_meant(const Selector& selector) override {
    return selector.value == "b" || selector.value == "master" ? "b" : "";
  }
  std::string host_meant(const Selector& selector) override {
    return selector.value == "h" || selector.value == "h2" ? selector.value : "";
  }
  std::uint32_t cut(const std::string& host, const std::string& from,
                    CutDirection direction) override {
    cuts.push_back(host + "|" + from + "|" + std::string(name_of(direction)));
    return 7;
  }
  void mend(std::uint32_t cut) override { mended.push_back(cut); }
  std::vector<std::string> cuts;
  std::vector<std::uint32_t> mended;
  sim::SimProcess* process(const std::string&) override {
    return process_->alive() ? process_ : nullptr;
  }
  sim::Host& host(const std::string&) override { return host_; }
  sim::SimDisk* disk(const std::string& host) override { return host == "h" ? &disk_ : nullptr; }
  // "/f" is in block 1, "/empty" nowhere.
  std::vector<sim::CommandSet::Range> bytes_of(const std::string&,
                                               const DiskRange& range) override {
    if (range.file == "/empty") return {};
    if (range.file == "/f") return {{sim::kPageBytes, 2 * sim::kPageBytes}};
    return {{range.from_bytes, range.from_bytes + *range.size_bytes}};
  }
  // Sends a command to the disk of "h"; what is returned says how and when it ended.
  template <class What>
  std::shared_ptr<test::Ended> send(What what) {
    auto ended = std::make_shared<test::Ended>();
    path_.submit(std::make_unique<test::NotedCommand>(kernel, ended, std::move(what)));
    return ended;
  }
  std::shared_ptr<test::Ended> write(sim::DiskCommand::Purpose purpose, std::int64_t block = 0) {
    return send(test::NotedCommand::Write{.offset = block * sim::kPageBytes,
                                          .bytes = ByteChain(test::page_of('x')),
                                          .purpose = purpose});
  }
  std::shared_ptr<test::Ended> flush() { return send(test::NotedCommand::Flush{}); }
  std::shared_ptr<test::Ended> read() {
    return send(test::NotedCommand::Read{.offset = 0, .length = sim::kPageBytes});
  }
  void fill(const std::string& host, std::size_t fault, std::int32_t used_percent) override {
    filled.push_back(host + "|" + std::to_string(fault) + "|" + std::to_string(used_percent));
  }
  void empty(const std::string& host, std::size_t fault) override {
    emptied.push_back(host + "|" + std::to_string(fault));
  }
  std::vector<std::string> filled;
  std::vector<std::string> emptied;
  void destroy(const std::string& host) override { gone.push_back(host); }
  bool destroyed(const std::string& host) const override {
    return std::ranges::find(gone, host) != gone.end();
  }
  bool promote(const std::string& name) override {
    promoted.push_back(name);
    return true;
  }
  std::vector<std::string> gone;
  std::vector<std::string> promoted;
  bool demote(const std::string& name) override {
    demoted.push_back(name);
    return true;
  }
  std::vector<std::string> demoted;
  // A program that stays until it is killed.
  sim::SimProcess* stray_client(const std::string& host, const std::string& broker) override {
    strays.push_back(host + "|" + broker);
    stray = &host_.spawn("stray");
    stray->attach(std::make_unique<test::NoNetwork>(), std::make_unique<test::NoFiles>());
    stray->start([](Context& context) -> Task<void> {
      Result<void> told = co_await context.terminate.wait();
      (void)told;
    });
    return stray;
  }
  std::vector<std::string> strays;
  sim::SimProcess* stray = nullptr;
  // "/f" is the one that is there.
  bool remove_file(const std::string& host, const std::string& path) override {
    removed.push_back(host + path);
    return path == "/f";
  }
  std::vector<std::string> removed;
  bool sync_file(const std::string& host, const std::string& path) override {
    synced.push_back(host + path);
    return path == "/f";
  }
  std::vector<std::string> synced;
  // "/d" is the one that is there.
  bool lock_directory(const std::string& host, std::size_t fault,
                      const std::string& path) override {
    locked.push_back(host + path + "|" + std::to_string(fault));
    return path == "/d";
  }
  void unlock_directory(const std::string& host, std::size_t fault) override {
    unlocked.push_back(host + "|" + std::to_string(fault));
  }
  std::vector<std::string> locked;
  std::vector<std::string> unlocked;
  void restart(const std::string& name) override {
    if (!host_.powered()) return;
    process_ = &host_.spawn("b#" + std::to_string(++lives));
    process_->attach(std::make_unique<test::NoNetwork>(), std::make_unique<test::NoFiles>());
    injector.process_starting(name, *process_);
    process_->start([](Context& context) { return run(context); });
  }

  sim::Kernel kernel{sim::KernelOptions{}};
  SimInjector injector{kernel, *this};
  int lives = 0;

 private:
  static sim::HostOptions options() {
    sim::HostOptions options;
    options.name = "h";
    return options;
  }
  static Task<void> run(Context& context) {
    for (;;) {
      Result<void> slept = co_await sleep_for(context.clock, Duration::ms(10));
      if (!slept) co_return;
      co_await context.chaos.reach(CrashPoint::store_before_append);
      context.observer.event(EventName::store_appended, 0, 1);
    }
  }

  sim::Host host_;
  sim::SimDisk disk_{
      kernel, DiskId(1), {.name = "d", .capacity_bytes = 1 << 20, .profile = test::flat_profile()}};
  sim::DiskPath path_{disk_, host_};
  sim::SimProcess* process_ = nullptr;
};

Fault kill(Trigger when, std::optional<Duration> lasts = std::nullopt) {
  return {FaultKind::process_kill, {Selector::By::role, "master"}, when, lasts};
}
constexpr std::int64_t ms(std::int64_t n) { return n * 1'000'000; }

TEST(SimInjector, KillsAtATimeAndRestartsAfterTheSpan) {
  Cluster cluster;
  ASSERT_FALSE(cluster.injector.arm({{kill(AtTime{Duration::ms(25)}, Duration::ms(40))}}));
  cluster.kernel.run_until(ms(60));
  EXPECT_EQ(cluster.process("b"), nullptr);
  EXPECT_EQ(cluster.lives, 1);
  cluster.kernel.run_until(ms(100));
  EXPECT_NE(cluster.process("b"), nullptr);
  EXPECT_EQ(cluster.lives, 2);
  const FaultStatus& status = cluster.injector.statuses()[0];
  EXPECT_EQ(status.state, FaultStatus::State::ended);
  EXPECT_EQ(status.target, "b");
  EXPECT_EQ(status.began_ns, ms(25));
  EXPECT_EQ(status.ended_ns, ms(65));
}

TEST(SimInjector, CountsEventsFromTheMomentOfArming) {
  Cluster cluster;
  cluster.kernel.run_until(ms(35));  // Three events are over.
  ASSERT_FALSE(cluster.injector.arm({{kill(AtEvent{EventName::store_appended, 2})}}));
  cluster.kernel.run_until(ms(200));
  EXPECT_EQ(cluster.injector.statuses()[0].began_ns, ms(50));
  EXPECT_EQ(cluster.kernel.triggers().occurrences(EventName::store_appended), 5u);
}

TEST(SimInjector, ACrashPointStopsTheProcessBeforeItsNextStep) {
  Cluster cluster;
  ASSERT_FALSE(cluster.injector.arm({{kill(AtCrashPoint{CrashPoint::store_before_append, 3})}}));
  cluster.kernel.run_until(ms(200));
  EXPECT_EQ(cluster.injector.statuses()[0].began_ns, ms(30));
  EXPECT_EQ(cluster.kernel.triggers().occurrences(EventName::store_appended), 2u);
}

TEST(SimInjector, ADestroyedHostNeverComesBackAndAPromotionIsNotTakenBack) {
  Cluster cluster;
  Plan plan;
  plan.faults.push_back(
      {FaultKind::host_destroy, {Selector::By::name, "h"}, AtTime{Duration::ms(10)}, std::nullopt});
  plan.faults.push_back({FaultKind::operator_promote,
                         {Selector::By::name, "b"},
                         AtTime{Duration::ms(20)},
                         std::nullopt});
  ASSERT_FALSE(cluster.injector.arm(plan));
  cluster.kernel.run_until(ms(30));
  EXPECT_EQ(cluster.gone, (std::vector<std::string>{"h"}));
  EXPECT_EQ(cluster.promoted, (std::vector<std::string>{"b"}));
  cluster.injector.heal();
  cluster.kernel.run_until(ms(90));
  EXPECT_FALSE(cluster.host("h").powered());
  EXPECT_EQ(cluster.injector.statuses()[0].state, FaultStatus::State::active);
  EXPECT_EQ(cluster.injector.statuses()[0].ended_ns, -1);
}

TEST(SimInjector, ADarkHostCanBeDestroyedOnceAndItsPowerDoesNotComeBack) {
  for (const FaultKind dark : {FaultKind::host_power_loss, FaultKind::host_panic}) {
    Cluster cluster;
    const Selector host{Selector::By::name, "h"};
    Plan plan;
    plan.faults.push_back({dark, host, AtTime{Duration::ms(10)}, Duration::ms(30)});
    plan.faults.push_back({FaultKind::host_destroy, host, AtTime{Duration::ms(20)}, std::nullopt});
    plan.faults.push_back({FaultKind::host_destroy, host, AtTime{Duration::ms(25)}, std::nullopt});
    ASSERT_FALSE(cluster.injector.arm(plan));
    cluster.kernel.run_until(ms(100));
    cluster.injector.heal();
    cluster.kernel.run_until(ms(200));
    EXPECT_EQ(cluster.gone, (std::vector<std::string>{"h"}));
    EXPECT_FALSE(cluster.host("h").powered());
    const std::vector<FaultStatus>& statuses = cluster.injector.statuses();
    EXPECT_EQ(statuses[0].state, FaultStatus::State::active) << "its power never came back";
    EXPECT_EQ(statuses[0].ended_ns, -1);
    EXPECT_EQ(statuses[1].state, FaultStatus::State::active);
    EXPECT_EQ(statuses[1].began_ns, ms(20));
    EXPECT_EQ(statuses[2].state, FaultStatus::State::missed) << "there is nothing left of it";
  }
}

TEST(SimInjector, PowerComesBackWithTheSpanAndWithHeal) {
  Cluster cluster;
  Plan plan;
  plan.faults.push_back({FaultKind::host_power_loss,
                         {Selector::By::name, "h"},
                         AtTime{Duration::ms(10)},
                         Duration::ms(5)});
  plan.faults.push_back({FaultKind::host_power_loss,
                         {Selector::By::name, "h"},
                         AtTime{Duration::ms(50)},
                         std::nullopt});
  ASSERT_FALSE(cluster.injector.arm(plan));
  cluster.kernel.run_until(ms(12));
  EXPECT_FALSE(cluster.host("h").powered());
  cluster.kernel.run_until(ms(40));
  EXPECT_TRUE(cluster.host("h").powered());
  cluster.kernel.run_until(ms(90));
  EXPECT_FALSE(cluster.host("h").powered());
  cluster.injector.heal();
  cluster.kernel.run_until(ms(91));
  EXPECT_TRUE(cluster.host("h").powered());
  EXPECT_EQ(cluster.injector.statuses()[1].state, FaultStatus::State::ended);
}

Fault of_disk(FaultKind kind, DiskTrouble trouble) {
  return {kind, {Selector::By::name, "h"}, AtTime{Duration::ms(10)}, Duration::ms(20), {}, trouble};
}
using Purpose = sim::DiskCommand::Purpose;

TEST(SimInjector, AHangHoldsItsPartOfTheWorkBackAndEndsWithCompletion) {
  Cluster cluster;
  ASSERT_FALSE(
      cluster.injector.arm({{of_disk(FaultKind::disk_hang, {.part = DiskPart::data_writes})}}));
  cluster.kernel.run_until(ms(15));
  const auto data = cluster.write(Purpose::data);
  const auto journal = cluster.write(Purpose::journal);
  const auto read = cluster.read();
  cluster.kernel.run_until(ms(29));
  EXPECT_FALSE(data->outcome);
  EXPECT_TRUE(journal->ok());
  EXPECT_TRUE(read->ok());
  cluster.kernel.run_until(ms(40));
  EXPECT_TRUE(data->ok());
  EXPECT_EQ(data->at_us, 30'000);
}

TEST(SimInjector, ASlowDiskTakesSoManyTimesAsLongUntilItsEnd) {
  Cluster cluster;
  ASSERT_FALSE(cluster.injector.arm({{of_disk(FaultKind::disk_slow, {.factor = 40})}}));
  cluster.kernel.run_until(ms(15));
  const auto slow = cluster.write(Purpose::data);
  cluster.kernel.run_until(ms(35));
  const auto again = cluster.write(Purpose::data);
  cluster.kernel.run_until(ms(40));
  EXPECT_EQ(slow->at_us, 15'000 + 40 * 100);
  EXPECT_EQ(again->at_us, 35'000 + 100);
}

TEST(SimInjector, SoManyCommandsOfAPartFailAsADeviceFailsThem) {
  Cluster cluster;
  ASSERT_FALSE(cluster.injector.arm(
      {{of_disk(FaultKind::disk_error, {.part = DiskPart::data_writes, .times = 1})}}));
  cluster.kernel.run_until(ms(15));
  const auto journal = cluster.write(Purpose::journal);
  const auto first = cluster.write(Purpose::data);
  const auto second = cluster.write(Purpose::data);
  cluster.kernel.run_until(ms(20));
  EXPECT_TRUE(journal->ok());
  EXPECT_EQ(first->error(), ErrorCode::io_error);
  EXPECT_TRUE(second->ok());
}

TEST(SimInjector, WithoutANumberEveryCommandFailsUntilTheEnd) {
  Cluster cluster;
  ASSERT_FALSE(cluster.injector.arm({{of_disk(FaultKind::disk_error, {})}}));
  cluster.kernel.run_until(ms(15));
  const auto read = cluster.read();
  const auto write = cluster.write(Purpose::journal);
  cluster.kernel.run_until(ms(35));
  const auto later = cluster.read();
  cluster.kernel.run_until(ms(40));
  EXPECT_EQ(read->error(), ErrorCode::io_error);
  EXPECT_EQ(write->error(), ErrorCode::io_error);
  EXPECT_TRUE(later->ok());
}

TEST(SimInjector, TwoHangsOfOnePartEndEachByItself) {
  Cluster cluster;
  Fault longer = of_disk(FaultKind::disk_hang, {.part = DiskPart::reads});
  longer.lasts = Duration::ms(50);
  ASSERT_FALSE(
      cluster.injector.arm({{of_disk(FaultKind::disk_hang, {.part = DiskPart::reads}), longer}}));
  cluster.kernel.run_until(ms(15));
  const auto read = cluster.read();
  cluster.kernel.run_until(ms(59));
  EXPECT_FALSE(read->outcome);
  cluster.kernel.run_until(ms(61));
  EXPECT_TRUE(read->ok());
}

TEST(SimInjector, ARangeHoldsBackWhatTouchesItAndNoFlush) {
  Cluster cluster;
  const DiskRange block{.file = "", .from_bytes = sim::kPageBytes, .size_bytes = 1};
  ASSERT_FALSE(cluster.injector.arm({{of_disk(FaultKind::disk_hang, {.range = block})}}));
  cluster.kernel.run_until(ms(15));
  const auto before = cluster.write(Purpose::data, 0);
  const auto inside = cluster.write(Purpose::data, 1);
  const auto behind = cluster.write(Purpose::data, 2);
  const auto flush = cluster.flush();
  cluster.kernel.run_until(ms(29));
  EXPECT_TRUE(before->ok());
  EXPECT_FALSE(inside->outcome);
  EXPECT_TRUE(behind->ok());
  EXPECT_TRUE(flush->ok());
  cluster.kernel.run_until(ms(40));
  EXPECT_TRUE(inside->ok());
}

TEST(SimInjector, TheBlocksOfAFileAreThoseThatItHasAtThatMoment) {
  Cluster cluster;
  const Fault fault = of_disk(FaultKind::disk_error, {.range = DiskRange{.file = "/f"}});
  const Fault in_vain = of_disk(FaultKind::disk_error, {.range = DiskRange{.file = "/empty"}});
  ASSERT_FALSE(cluster.injector.arm({{fault, in_vain}}));
  cluster.kernel.run_until(ms(15));
  EXPECT_EQ(cluster.injector.statuses()[1].state, FaultStatus::State::missed);
  const auto other = cluster.write(Purpose::data, 0);
  const auto of_file = cluster.write(Purpose::data, 1);
  cluster.kernel.run_until(ms(20));
  EXPECT_TRUE(other->ok());
  EXPECT_EQ(of_file->error(), ErrorCode::io_error);
}

TEST(SimInjector, TheJournalAloneMayHang) {
  Cluster cluster;
  ASSERT_FALSE(
      cluster.injector.arm({{of_disk(FaultKind::disk_hang, {.part = DiskPart::journal})}}));
  cluster.kernel.run_until(ms(15));
  const auto data = cluster.write(Purpose::data);
  const auto journal = cluster.write(Purpose::journal);
  cluster.kernel.run_until(ms(29));
  EXPECT_TRUE(data->ok());
  EXPECT_FALSE(journal->outcome);
}

// NVMe reservations, section 11; ENOSPC of a thin volume.
TEST(SimInjector, AnErrorIsOneOfThoseThatDevicesGive) {
  Cluster cluster;
  ASSERT_FALSE(cluster.injector.arm(
      {{of_disk(FaultKind::disk_error,
                {.part = DiskPart::journal, .status = DiskStatus::reservation_conflict}),
        of_disk(FaultKind::disk_error,
                {.part = DiskPart::data_writes, .status = DiskStatus::no_space})}}));
  cluster.kernel.run_until(ms(15));
  const auto journal = cluster.write(Purpose::journal);
  const auto data = cluster.write(Purpose::data);
  cluster.kernel.run_until(ms(20));
  EXPECT_EQ(journal->error(), ErrorCode::reservation_conflict);
  EXPECT_EQ(journal->outcome->error().status(), 0x083);
  EXPECT_EQ(data->error(), ErrorCode::no_space);
}

// Without another link the command waits until this one is back; what was on its way has landed.
TEST(SimInjector, ACutLinkSwallowsWhatIsOnItUntilItIsBack) {
  Cluster cluster;
  Fault cut = of_disk(FaultKind::disk_cut, {});
  cut.lasts = Duration::s(8);
  ASSERT_FALSE(cluster.injector.arm({{cut}}));
  cluster.kernel.run_until(ms(15));
  const auto write = cluster.write(Purpose::data);
  cluster.kernel.run_until(ms(8'009));
  EXPECT_FALSE(write->outcome);
  cluster.kernel.run_until(ms(8'020));
  EXPECT_TRUE(write->ok());
}

TEST(SimInjector, ATenantFillsTheDiskAndGivesTheRoomBackAtTheEnd) {
  Cluster cluster;
  const Fault fill = of_disk(FaultKind::disk_fill, {.used_percent = 95});
  EXPECT_EQ(detail_of(fill), "95 % used");
  ASSERT_FALSE(cluster.injector.arm({{fill}}));
  cluster.kernel.run_until(ms(9));
  EXPECT_TRUE(cluster.filled.empty());
  cluster.kernel.run_until(ms(29));
  EXPECT_EQ(cluster.filled, std::vector<std::string>({"h|0|95"}));
  EXPECT_TRUE(cluster.emptied.empty());
  cluster.kernel.run_until(ms(30));
  EXPECT_EQ(cluster.emptied, std::vector<std::string>({"h|0"}));
}

TEST(SimInjector, ADarkHostsDiskIsNotFilled) {
  Cluster cluster;
  ASSERT_FALSE(cluster.injector.arm({{of_disk(FaultKind::disk_fill, {})}}));
  cluster.host("h").lose_power();
  cluster.kernel.run_until(ms(50));
  EXPECT_TRUE(cluster.filled.empty());
  EXPECT_EQ(cluster.injector.statuses()[0].state, FaultStatus::State::missed);
}

TEST(SimInjector, AFaultOfADiskNeedsOne) {
  Cluster cluster;
  Fault fault = of_disk(FaultKind::disk_hang, {});
  fault.on.value = "h2";
  EXPECT_EQ(cluster.injector.arm({{fault}}), "disk.hang on h2: there is no such disk");
}

Fault partition(std::int64_t at_ms, std::optional<Duration> lasts, Separation separation) {
  return {FaultKind::net_partition,
          {Selector::By::name, "h"},
          AtTime{Duration::ms(at_ms)},
          lasts,
          std::move(separation)};
}
Selector host_2() { return {Selector::By::name, "h2"}; }

TEST(SimInjector, APartitionEndsWithItsSpanOrWithHeal) {
  Cluster cluster;
  ASSERT_FALSE(
      cluster.injector.arm({{partition(10, Duration::ms(5), {host_2(), CutDirection::outgoing}),
                             partition(30, std::nullopt, {})}}));
  cluster.kernel.run_until(ms(12));
  EXPECT_EQ(cluster.cuts, (std::vector<std::string>{"h|h2|outgoing"}));
  EXPECT_TRUE(cluster.mended.empty());
  cluster.kernel.run_until(ms(60));
  EXPECT_EQ(cluster.cuts.back(), "h||both");
  EXPECT_EQ(cluster.mended, (std::vector<std::uint32_t>{7}));
  EXPECT_EQ(cluster.injector.statuses()[0].target, "h from h2");
  EXPECT_EQ(cluster.injector.statuses()[0].ended_ns, ms(15));
  EXPECT_EQ(cluster.injector.statuses()[1].target, "h from all others");
  cluster.injector.heal();
  EXPECT_EQ(cluster.mended.size(), 2u);
  EXPECT_EQ(cluster.injector.statuses()[1].state, FaultStatus::State::ended);
}

TEST(SimInjector, AStrayClientGoesWithItsSpan) {
  Cluster cluster;
  Fault fault = kill(AtTime{Duration::ms(10)}, Duration::ms(20));
  fault.kind = FaultKind::net_stray_client;
  fault.separation.from = host_2();
  ASSERT_FALSE(cluster.injector.arm({{fault}}));
  cluster.kernel.run_until(ms(20));
  EXPECT_EQ(cluster.strays, (std::vector<std::string>{"h2|b"}));
  EXPECT_TRUE(cluster.stray->alive());
  cluster.kernel.run_until(ms(40));
  EXPECT_FALSE(cluster.stray->alive());
  EXPECT_EQ(cluster.injector.statuses()[0].ended_ns, ms(30));
}

TEST(SimInjector, ALockOfADirectoryGoesWithItsSpan) {
  Cluster cluster;
  Fault of_nothing{
      FaultKind::fs_lock, {Selector::By::name, "h"}, AtTime{Duration::ms(10)}, Duration::ms(20)};
  of_nothing.file = "/none";
  Fault lock = of_nothing;
  lock.file = "/d";
  ASSERT_FALSE(cluster.injector.arm({{of_nothing, lock}}));
  cluster.kernel.run_until(ms(20));
  EXPECT_EQ(cluster.locked, (std::vector<std::string>{"h/none|0", "h/d|1"}));
  EXPECT_TRUE(cluster.unlocked.empty());
  cluster.kernel.run_until(ms(40));
  EXPECT_EQ(cluster.unlocked, (std::vector<std::string>{"h|1"}));
  EXPECT_EQ(cluster.injector.statuses()[0].state, FaultStatus::State::missed);
  EXPECT_EQ(cluster.injector.statuses()[1].ended_ns, ms(30));
}

TEST(SimInjector, ARemovalAndADemotionAreNotTakenBack) {
  Cluster cluster;
  Fault removal{FaultKind::fs_remove, {Selector::By::name, "h"}, AtTime{Duration::ms(10)}, {}};
  removal.file = "/f";
  Fault of_nothing = removal;
  of_nothing.file = "/none";
  Fault demotion = kill(AtTime{Duration::ms(10)});
  demotion.kind = FaultKind::operator_demote;
  Fault sync = removal;
  sync.kind = FaultKind::fs_sync;
  ASSERT_FALSE(cluster.injector.arm({{removal, of_nothing, demotion, sync}}));
  cluster.kernel.run_until(ms(20));
  cluster.injector.heal();
  EXPECT_EQ(cluster.removed, (std::vector<std::string>{"h/f", "h/none"}));
  EXPECT_EQ(cluster.demoted, (std::vector<std::string>{"b"}));
  EXPECT_EQ(cluster.synced, (std::vector<std::string>{"h/f"}));
  EXPECT_EQ(cluster.injector.statuses()[0].state, FaultStatus::State::active);
  EXPECT_EQ(cluster.injector.statuses()[1].state, FaultStatus::State::missed);
  EXPECT_EQ(cluster.injector.statuses()[2].state, FaultStatus::State::active);
}

TEST(SimInjector, AHostIsNotCutOffFromItself) {
  Cluster cluster;
  const Selector itself{Selector::By::name, "h"};
  ASSERT_FALSE(cluster.injector.arm({{partition(10, std::nullopt, {itself, {}})}}));
  cluster.kernel.run_until(ms(20));
  EXPECT_EQ(cluster.injector.statuses()[0].state, FaultStatus::State::missed);
  EXPECT_TRUE(cluster.cuts.empty());
}

TEST(SimInjector, WhatFindsNothingToBreakIsMissed) {
  Cluster cluster;
  ASSERT_FALSE(
      cluster.injector.arm({{kill(AtTime{Duration::ms(10)}), kill(AtTime{Duration::ms(20)})}}));
  cluster.kernel.run_until(ms(50));
  EXPECT_EQ(cluster.injector.statuses()[0].state, FaultStatus::State::active);
  EXPECT_EQ(cluster.injector.statuses()[1].state, FaultStatus::State::missed);
  EXPECT_EQ(cluster.injector.statuses()[1].began_ns, -1);
}

TEST(SimInjector, HealDisarmsWhatHasNotFired) {
  Cluster cluster;
  ASSERT_FALSE(cluster.injector.arm({{kill(AtTime{Duration::ms(50)})}}));
  cluster.kernel.run_until(ms(10));
  cluster.injector.heal();
  cluster.kernel.run_until(ms(100));
  EXPECT_NE(cluster.process("b"), nullptr);
  EXPECT_EQ(cluster.injector.statuses()[0].state, FaultStatus::State::armed);
}

TEST(SimInjector, RefusesAPlanThatNamesNothing) {
  Cluster cluster;
  const auto why = cluster.injector.arm(
      {{{FaultKind::host_power_loss, {Selector::By::name, "x"}, AtTime{}, std::nullopt}}});
  EXPECT_EQ(why, "host.power-loss on x: there is no such host");
  const Selector nobody{Selector::By::name, "x"};
  EXPECT_EQ(cluster.injector.arm({{partition(10, std::nullopt, {nobody, {}})}}),
            "net.partition on h from x: there is no such host");
}

TEST(FaultNames, ReadBack) {
  EXPECT_EQ(fault_kind_named("process.kill"), FaultKind::process_kill);
  EXPECT_EQ(fault_kind_named("unnamed"), std::nullopt);
  EXPECT_EQ(event_named("store.flushed"), EventName::store_flushed);
  EXPECT_EQ(crash_point_named("store.before-flush"), CrashPoint::store_before_flush);
  EXPECT_EQ(text_of(Selector{Selector::By::role, "master"}), "role:master");
}

}  // namespace
}  // namespace drydock::faults
