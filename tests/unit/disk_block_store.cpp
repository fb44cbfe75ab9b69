// The bytes of a disk: what a power loss may leave of them. Outcomes that are drawn are looked at
// over many seeds: both sides of each choice must be seen, and nothing else.
#include <gtest/gtest.h>

#include <set>

#include "sim/disk/block_store.hpp"

namespace drydock::test {
namespace {

using sim::BlockStore;
using sim::kPageBytes;
using Landing = BlockStore::Landing;

ByteChain page(char value) {
  return ByteChain(SharedBytes::copy_of(std::string(kPageBytes, value)));
}
ByteChain sector(char value) { return ByteChain(SharedBytes::copy_of(std::string(512, value))); }

BlockStore store_with(bool volatile_cache, std::int64_t atomic_bytes = 512,
                      std::int64_t cache_bytes = 1 << 20) {
  return BlockStore({.capacity_bytes = 1 << 20,
                     .atomic_write_bytes = atomic_bytes,
                     .volatile_cache = volatile_cache,
                     .cache_bytes = cache_bytes});
}

std::string text(const BlockStore& store, std::int64_t block) {
  const SharedBytes bytes = store.read(block * kPageBytes, kPageBytes).flatten();
  return std::string(reinterpret_cast<const char*>(bytes.data()), bytes.size());
}
// The distinct sectors of a block, or a '?' for a sector of several values.
std::set<char> sectors(const BlockStore& store, std::int64_t block) {
  const std::string content = text(store, block);
  std::set<char> found;
  for (std::size_t at = 0; at < content.size(); at += 512) {
    const std::string part = content.substr(at, 512);
    found.insert(part == std::string(512, part[0]) ? part[0] : '?');
  }
  return found;
}

// What `make` leaves of block 0 over many seeds.
template <class Make>
std::set<std::set<char>> outcomes(Make make) {
  std::set<std::set<char>> seen;
  for (std::uint64_t seed = 0; seed < 400; ++seed) {
    RandomStream stream(seed, "crash");
    const BlockStore store = make(stream);
    seen.insert(sectors(store, 0));
  }
  return seen;
}

TEST(BlockStore, BlocksThatWereNeverWrittenAreZeros) {
  const BlockStore store = store_with(false);
  EXPECT_EQ(text(store, 7), std::string(kPageBytes, '\0'));
}

TEST(BlockStore, AWholeBlockIsSharedAndNotCopied) {
  BlockStore store = store_with(false);
  const SharedBytes bytes = SharedBytes::copy_of(std::string(kPageBytes, 'a'));
  store.write(0, ByteChain(bytes), {}, Landing::cached);
  EXPECT_EQ(store.read(0, kPageBytes).pieces()[0].data(), bytes.data());
}

TEST(BlockStore, AWriteOfASectorKeepsTheOthers) {
  BlockStore store = store_with(false);
  store.write(0, page('a'), {}, Landing::cached);
  store.write(512, sector('b'), {}, Landing::cached);
  EXPECT_EQ(text(store, 0), std::string(512, 'a') + std::string(512, 'b') + std::string(3072, 'a'));
}

TEST(BlockStore, CompletedWritesSurviveWithoutAVolatileCache) {
  const auto seen = outcomes([](RandomStream& stream) {
    BlockStore store = store_with(false);
    store.write(0, page('a'), {}, Landing::cached);
    store.lose_power(stream);
    return store;
  });
  EXPECT_EQ(seen, (std::set<std::set<char>>{{'a'}}));
}

TEST(BlockStore, AnUnflushedWriteSurvivesOrNotOrIsTornAtTheSector) {
  const auto seen = outcomes([](RandomStream& stream) {
    BlockStore store = store_with(true);
    store.write(0, page('a'), {}, Landing::cached);
    store.make_durable(store.mark());
    store.write(0, page('b'), {}, Landing::cached);
    store.lose_power(stream);
    return store;
  });
  EXPECT_EQ(seen, (std::set<std::set<char>>{{'a'}, {'b'}, {'a', 'b'}}));
}

TEST(BlockStore, ABlockIsNotTornIfTheDeviceSaysSo) {
  const auto seen = outcomes([](RandomStream& stream) {
    BlockStore store = store_with(true, kPageBytes);
    store.write(0, page('a'), {}, Landing::cached);
    store.lose_power(stream);
    return store;
  });
  EXPECT_EQ(seen, (std::set<std::set<char>>{{'\0'}, {'a'}}));
}

TEST(BlockStore, OfSeveralUnflushedWritesAnyOneMayBeTheLast) {
  const auto seen = outcomes([](RandomStream& stream) {
    BlockStore store = store_with(true, kPageBytes);
    for (const char value : {'a', 'b', 'c'}) store.write(0, page(value), {}, Landing::cached);
    store.lose_power(stream);
    return store;
  });
  EXPECT_EQ(seen, (std::set<std::set<char>>{{'\0'}, {'a'}, {'b'}, {'c'}}));
}

TEST(BlockStore, AFlushCoversWhatCompletedBeforeItsMark) {
  const auto seen = outcomes([](RandomStream& stream) {
    BlockStore store = store_with(true, kPageBytes);
    store.write(0, page('a'), {}, Landing::cached);
    const std::uint64_t mark = store.mark();
    store.write(0, page('b'), {}, Landing::cached);
    store.make_durable(mark);
    store.lose_power(stream);
    return store;
  });
  EXPECT_EQ(seen, (std::set<std::set<char>>{{'a'}, {'b'}}));
}

TEST(BlockStore, AWriteThroughTheCacheSurvivesAndTakesNoOtherBlockWithIt) {
  std::set<std::set<char>> other;
  const auto seen = outcomes([&other](RandomStream& stream) {
    BlockStore store = store_with(true, kPageBytes);
    store.write(kPageBytes, page('x'), {}, Landing::cached);
    store.write(0, page('a'), {}, Landing::cached);
    store.write(0, page('b'), {}, Landing::durable);
    store.lose_power(stream);
    other.insert(sectors(store, 1));
    return store;
  });
  EXPECT_EQ(seen, (std::set<std::set<char>>{{'b'}}));
  EXPECT_EQ(other, (std::set<std::set<char>>{{'\0'}, {'x'}}));
}

TEST(BlockStore, WhatTheCacheCannotHoldIsOnTheMedia) {
  const auto seen = outcomes([](RandomStream& stream) {
    BlockStore store = store_with(true, kPageBytes, 2 * kPageBytes);
    for (std::int64_t block = 0; block < 3; ++block) {
      store.write(block * kPageBytes, page('a'), {}, Landing::cached);
    }
    store.lose_power(stream);
    return store;
  });
  EXPECT_EQ(seen, (std::set<std::set<char>>{{'a'}}));
}

TEST(BlockStore, OfAWriteInFlightAnySectorsMayLand) {
  const auto seen = outcomes([](RandomStream& stream) {
    BlockStore store = store_with(false);
    store.write(0, page('a'), {}, Landing::durable);
    store.write_in_part(0, page('b'), {}, Landing::durable, stream);
    return store;
  });
  EXPECT_EQ(seen, (std::set<std::set<char>>{{'a'}, {'b'}, {'a', 'b'}}));
}

TEST(BlockStore, RemembersWhoWroteABlockInWhichGeneration) {
  BlockStore store = store_with(false);
  store.write(0, page('a'), {.author_host = 3, .generation = 7}, Landing::cached);
  EXPECT_EQ(store.origin(0), (sim::BlockOrigin{3, 7}));
  EXPECT_EQ(store.origin(1), sim::BlockOrigin());
}

TEST(BlockStore, ADiscardedBlockReadsAsZeros) {
  BlockStore store = store_with(false);
  store.write(0, page('a'), {}, Landing::cached);
  store.discard(0, 1);
  EXPECT_EQ(text(store, 0), std::string(kPageBytes, '\0'));
}

}  // namespace
}  // namespace drydock::test
