// Faults of a disk: whom each concerns, what it does, and several at once.
// Kinds of hangs and slowness: Linux I/O model, section 5.
#include <gtest/gtest.h>

#include "tests/support/disk_world.hpp"

namespace drydock::test {
namespace {

using sim::DiskFaultId;
using sim::Failure;
using sim::FlushLie;
using sim::Hang;
using sim::Slowness;
using Kind = sim::DiskCommand::Kind;
using Purpose = sim::DiskCommand::Purpose;

constexpr Error kNoSpace = Error::from_errno(ErrorCode::no_space, 28);

sim::CommandSet::Range blocks(std::int64_t first, std::int64_t count) {
  return {.from = first * sim::kPageBytes, .to = (first + count) * sim::kPageBytes};
}

TEST(DiskFault, AHangOfARangeHoldsWhatTouchesIt) {
  sim::DiskProfile profile = flat_profile();
  profile.read_servers = 1;
  profile.write_servers = 1;
  DiskWorld world({.name = "d0", .capacity_bytes = 1 << 20, .profile = profile});
  const DiskFaultId fault =
      world.disk.begin({.commands = {.ranges = {blocks(10, 2)}}, .effect = Hang()});
  const auto before = world.write(9, 'a');
  const auto first = world.write(10, 'a');
  const auto last = world.read(11);
  const auto behind = world.read(12);
  const auto after = world.write(12, 'a');
  const auto flush = world.flush();
  world.run_for(Duration::s(1));
  EXPECT_TRUE(before->ok());
  EXPECT_FALSE(first->outcome.has_value());
  EXPECT_FALSE(last->outcome.has_value());
  EXPECT_TRUE(behind->ok());  // A held command keeps no server.
  EXPECT_TRUE(after->ok());
  EXPECT_TRUE(flush->ok());
  world.disk.end(fault);
  world.run_for(Duration());
  EXPECT_TRUE(first->ok());
  EXPECT_TRUE(last->ok());
}

TEST(DiskFault, AHangOfFlushesOrOfReadsHoldsNothingElse) {
  for (const Kind kind : {Kind::flush, Kind::read}) {
    DiskWorld world;
    world.disk.begin({.commands = {.kind = kind}, .effect = Hang()});
    const auto write = world.write(0, 'a');
    const auto read = world.read(0);
    const auto flush = world.flush();
    world.run_for(Duration::s(1));
    EXPECT_TRUE(write->ok());
    EXPECT_EQ(read->ok(), kind != Kind::read);
    EXPECT_EQ(flush->ok(), kind != Kind::flush);
  }
}

TEST(DiskFault, OneOfFourQueuesHangsAndTheOthersGoOn) {
  DiskWorld world;
  world.disk.begin({.commands = {.queue = {{.index = 1, .count = 4}}}, .effect = Hang()});
  std::vector<std::shared_ptr<Ended>> writes;
  for (int i = 0; i < 16; ++i) writes.push_back(world.write(i, 'a'));
  world.run_for(Duration::s(1));
  for (int i = 0; i < 16; ++i) EXPECT_EQ(writes[i]->ok(), i % 4 != 1) << i;
}

TEST(DiskFault, WhatTwoHangsHoldPassesWhenTheSecondEndsInTheOrderOfService) {
  DiskWorld world;
  const DiskFaultId wide = world.disk.begin({.commands = {}, .effect = Hang()});
  const DiskFaultId narrow = world.disk.begin(
      {.commands = {.kind = Kind::write, .purpose = Purpose::data}, .effect = Hang()});
  const auto first = world.write(0, 'a');
  world.run_for(Duration::us(10));
  const auto second = world.write(0, 'b');
  const auto journal = world.write(1, 'j', true);
  world.run_for(Duration::s(1));
  world.disk.end(wide);
  world.run_for(Duration::s(1));
  EXPECT_TRUE(journal->ok());
  EXPECT_FALSE(first->outcome.has_value());
  world.disk.end(narrow);
  world.disk.end(narrow);
  world.run_for(Duration());
  EXPECT_TRUE(first->ok());
  EXPECT_TRUE(second->ok());
  EXPECT_EQ(world.on_device(0), 'b');
}

TEST(DiskFault, AFailureLastsForItsCountOrUntilItIsEnded) {
  DiskWorld world;
  world.disk.begin({.commands = {.kind = Kind::flush}, .effect = Failure{.times = 2}});
  const DiskFaultId always =
      world.disk.begin({.commands = {.kind = Kind::write}, .effect = Failure{.error = kNoSpace}});
  std::vector<std::shared_ptr<Ended>> flushes;
  for (int i = 0; i < 3; ++i) flushes.push_back(world.flush());
  for (int i = 0; i < 20; ++i) {
    const auto write = world.write(i, 'a');
    world.run_for(Duration::ms(1));
    EXPECT_EQ(write->error(), ErrorCode::no_space);
    EXPECT_EQ(world.on_device(i), '\0');
  }
  EXPECT_EQ(flushes[0]->error(), ErrorCode::io_error);
  EXPECT_EQ(flushes[1]->error(), ErrorCode::io_error);
  EXPECT_TRUE(flushes[2]->ok());
  world.disk.end(always);
  const auto write = world.write(0, 'a');
  world.run_for(Duration::ms(1));
  EXPECT_TRUE(write->ok());
}

TEST(DiskFault, AFailureOfTheJournalInARangeConcernsNobodyElse) {
  DiskWorld world;
  world.disk.begin({.commands = {.purpose = Purpose::journal, .ranges = {blocks(0, 4)}},
                    .effect = Failure{.times = 0}});
  const auto data = world.write(0, 'a');
  const auto journal = world.write(1, 'j', true);
  const auto elsewhere = world.write(4, 'j', true);
  world.run_for(Duration::ms(1));
  EXPECT_TRUE(data->ok());
  EXPECT_EQ(journal->error(), ErrorCode::io_error);
  EXPECT_TRUE(elsewhere->ok());
}

TEST(DiskFault, SlownessOfReadsLeavesWritesAloneAndFactorsMultiply) {
  DiskWorld world;
  world.disk.set_slowness(2'000);
  const DiskFaultId slow =
      world.disk.begin({.commands = {.kind = Kind::read}, .effect = Slowness{.per_mille = 10'000}});
  const auto read = world.read(0);
  const auto write = world.write(0, 'a');
  world.run_for(Duration::ms(10));
  EXPECT_EQ(read->at_us, 1000);
  EXPECT_EQ(write->at_us, 200);
  world.disk.end(slow);
  const auto later = world.read(0);
  world.run_for(Duration::ms(10));
  EXPECT_EQ(later->at_us, 10'100);
}

sim::DiskOptions with_cache() {
  sim::DiskProfile profile = flat_profile();
  profile.volatile_cache = true;
  profile.cache_bytes = 1 << 20;
  return {.name = "d0", .capacity_bytes = 1 << 20, .profile = profile};
}

TEST(DiskFault, ADeviceThatLiesAboutItsFlushMayLoseWhatItAcknowledged) {
  int lost = 0;
  for (std::uint64_t seed = 0; seed < 20; ++seed) {
    DiskWorld world(with_cache(), seed);
    world.disk.begin({.commands = {}, .effect = FlushLie()});
    world.write(0, 'a');
    world.run_for(Duration::ms(1));
    const auto flush = world.flush();
    world.run_for(Duration::ms(1));
    EXPECT_TRUE(flush->ok());
    world.disk.lose_power();
    lost += world.on_device(0) == '\0' ? 1 : 0;
  }
  EXPECT_GT(lost, 0);
  EXPECT_LT(lost, 20);
}

TEST(DiskFault, ALieAboutWriteThroughIsOneToo) {
  DiskWorld world(with_cache());
  const DiskFaultId lie = world.disk.begin({.commands = {}, .effect = FlushLie()});
  NotedCommand::Write write{.offset = 0,
                            .bytes = ByteChain(page_of('a')),
                            .durability = WriteDurability::force_unit_access};
  world.send(write);
  world.run_for(Duration::ms(1));
  EXPECT_EQ(world.disk.store().volatile_writes(), 1u);
  world.disk.end(lie);
  world.flush();
  world.run_for(Duration::ms(1));
  EXPECT_EQ(world.disk.store().volatile_writes(), 0u);
}

}  // namespace
}  // namespace drydock::test
