// The index as a store writes it: which files there are, what they hold after a stop or a crash,
// and what a query finds. Facts: storage reference, sections 4 and 5.5. A file of these tests takes
// 4 entries; the host's clock begins at 22:13:20 on 14 November 2023.
#include "engine/store/message_index.hpp"

#include <gtest/gtest.h>

#include "tests/support/store_world.hpp"

namespace drydock::test {
namespace {

constexpr IndexSizes kSizes{.slots = 8, .entries = 5};
const std::string kIndex = "/store/index/";

StoreConfiguration indexed_store() {
  StoreConfiguration configuration = small_store();
  configuration.message_index_enable = true;
  configuration.index = kSizes;
  return configuration;
}

IncomingMessage keyed(std::string_view keys, std::string_view unique_key = {}) {
  IncomingMessage made = message("body");
  const Property properties[] = {{property::kKeys, keys}, {property::kUniqueKey, unique_key}};
  made.properties = encode_properties(properties);
  return made;
}

std::vector<std::string> index_files(StoreWorld& world) {
  std::vector<std::string> files;
  for (const std::string& path : world.files.paths()) {
    if (path.starts_with(kIndex)) files.push_back(path);
  }
  return files;
}

class Indexed : public StoreProcess {
 public:
  explicit Indexed(StoreWorld& world) : StoreProcess(world), world_(world) {}

  // Where the messages lie that a query by this key finds.
  std::vector<std::int64_t> found(MessageQuery query) {
    auto offsets = std::make_shared<std::vector<std::int64_t>>();
    process().context().scope.spawn(query_task(query, offsets));
    world_.run_for(Duration());
    return *offsets;
  }
  std::vector<std::int64_t> found(std::string_view key) {
    return found(MessageQuery{.topic = "T", .key = key});
  }

 private:
  Task<void> query_task(MessageQuery query, std::shared_ptr<std::vector<std::int64_t>> offsets) {
    Worker& worker = process().context().workers.add("QueryMessageThread_1");
    Result<QueryResult> result = co_await store().query_message(worker, query);
    ENSURE(result.has_value());
    for (const ByteChain& record : result->records) {
      RecordView view;
      const SharedBytes bytes = record.flatten();
      const auto length = static_cast<std::int64_t>(bytes.size());
      ENSURE(check_record(bytes.span(), length, ContentCheck::body_crc, view).good());
      offsets->push_back(view.physical_offset);
    }
  }
  StoreWorld& world_;
};

using Offsets = std::vector<std::int64_t>;

TEST(StoreMessageIndex, AMessageIsFoundByItsKeysAndByNoOther) {
  StoreWorld world(indexed_store());
  Indexed broker(world);
  const std::int64_t at = broker.put_now(keyed("red  blue", "U1")).offset.value();
  for (const std::string_view key : {"red", "blue", "U1"}) {
    EXPECT_EQ(broker.found(key), Offsets{at}) << key;
  }
  EXPECT_TRUE(broker.found("red  blue").empty());
  EXPECT_TRUE(broker.found(MessageQuery{.topic = "other", .key = "red"}).empty());
}

TEST(StoreMessageIndex, TheAnswerIsInTheOrderOfTheLogAndHasTheNewest) {
  StoreWorld world(indexed_store());
  Indexed broker(world);
  Offsets all;
  for (int i = 0; i < 10; ++i) all.push_back(broker.put_now(keyed("k")).offset.value());
  EXPECT_EQ(broker.found("k"), all);  // Over three files.
  EXPECT_EQ(broker.found({.topic = "T", .key = "k", .count_max = 3}),
            (Offsets{all[7], all[8], all[9]}));
  EXPECT_TRUE(broker.found({.topic = "T", .key = "k", .count_max = 0}).empty());
}

TEST(StoreMessageIndex, NoAnswerIsLargerThanTheConfigurationSays) {
  StoreWorld world(indexed_store());
  world.configuration.max_msgs_num_batch = 2;
  Indexed broker(world);
  for (int i = 0; i < 5; ++i) broker.put_now(keyed("k"));
  EXPECT_EQ(broker.found({.topic = "T", .key = "k", .count_max = 100}).size(), 2u);
}

TEST(StoreMessageIndex, AQueryMayNameATime) {
  StoreWorld world(indexed_store());
  Indexed broker(world);
  const PutResult early = broker.put_now(keyed("k"));
  world.run_for(Duration::s(10));
  const PutResult late = broker.put_now(keyed("k"));
  const auto between = [&](std::int64_t begin_ms, std::int64_t end_ms) {
    return broker.found({.topic = "T", .key = "k", .begin_ms = begin_ms, .end_ms = end_ms});
  };
  EXPECT_EQ(between(0, early.store_ms), Offsets{early.offset.value()});
  EXPECT_EQ(between(early.store_ms + 1000, INT64_MAX), Offsets{late.offset.value()});
}

// The pure part, which is RocketMQ's byte for byte, says what the files must hold.
TEST(StoreMessageIndex, FilesHoldWhatThePurePartMakes) {
  StoreWorld world(indexed_store());
  Indexed broker(world);
  std::vector<Bytes> expected;
  for (int i = 0; i < 5; ++i) {
    const PutResult put = broker.put_now(keyed("a b"));
    for (const std::string_view key : {"a", "b"}) {
      const std::int32_t hash = index_key_hash("T", key);
      if (!expected.empty() &&
          put_index_key(expected.back(), kSizes, hash, put.offset, put.store_ms)) {
        continue;
      }
      const IndexHeader last =
          expected.empty() ? IndexHeader() : decode_index_header(expected.back());
      expected.emplace_back(static_cast<std::size_t>(kSizes.file_bytes()));
      std::ranges::copy(encode_index_header(next_index_header(last)), expected.back().begin());
      put_index_key(expected.back(), kSizes, hash, put.offset, put.store_ms);
    }
  }
  const std::vector<std::string> files = index_files(world);
  ASSERT_EQ(files.size(), expected.size());
  for (std::size_t i = 0; i < files.size(); ++i) {
    EXPECT_EQ(world.files.at(files[i]).cached, expected[i]) << files[i];
  }
}

TEST(StoreMessageIndex, AFileIsNamedByItsTimeAndNoTwoAlike) {
  StoreWorld world(indexed_store());
  Indexed broker(world);
  EXPECT_TRUE(index_files(world).empty());
  broker.put_now(keyed("a b c d e"));  // Two files in one millisecond.
  const std::vector<std::string> files = index_files(world);
  ASSERT_EQ(files.size(), 2u);
  const std::string first = files[0].substr(kIndex.size());
  EXPECT_EQ(first.substr(0, 14), "20231114221320");
  EXPECT_EQ(files[1].substr(kIndex.size()), std::to_string(std::stoll(first) + 1));
}

TEST(StoreMessageIndex, AMessageWithoutKeysMakesTheFileAndNoEntry) {
  StoreWorld world(indexed_store());
  Indexed broker(world);
  broker.put_now(message("body"));
  ASSERT_EQ(index_files(world).size(), 1u);
  EXPECT_EQ(decode_index_header(world.files.at(index_files(world)[0]).cached), IndexHeader());
}

TEST(StoreMessageIndex, AFullFileIsFlushedWhenTheNextIsMadeAndTheCheckpointTellsHowFar) {
  StoreWorld world(indexed_store());
  Indexed broker(world);
  const PutResult last = broker.put_now(keyed("a b c d"));
  EXPECT_EQ(broker.store().checkpoint().fields().index_ms, 0);
  broker.put_now(keyed("e"));
  EXPECT_EQ(broker.store().checkpoint().fields().index_ms, last.store_ms);
  const std::vector<std::string> files = index_files(world);
  ASSERT_EQ(files.size(), 2u);
  EXPECT_EQ(world.files.at(files[0]).durable, world.files.at(files[0]).cached);
  EXPECT_NE(world.files.at(files[1]).durable, world.files.at(files[1]).cached);
}

TEST(StoreMessageIndex, AfterAStopEveryFileIsDurableAndTheNextStartGoesOn) {
  StoreWorld world(indexed_store());
  Indexed broker(world);
  const std::int64_t first = broker.put_now(keyed("k")).offset.value();
  broker.stop();
  world.power_cycle();
  Indexed next(world);
  EXPECT_EQ(next.found("k"), Offsets{first});
  const std::int64_t second = next.put_now(keyed("k")).offset.value();
  EXPECT_EQ(next.found("k"), (Offsets{first, second}));
  EXPECT_EQ(index_files(world).size(), 1u);
}

// The unfinished file goes; its messages are filed again if recovery comes past them, and so is the
// last one of the file before, as in RocketMQ.
TEST(StoreMessageIndex, AfterACrashTheNewestFileIsMadeAnewFromTheLog) {
  StoreWorld world(indexed_store());
  Indexed broker(world);
  Offsets all;
  for (int i = 0; i < 6; ++i) all.push_back(broker.put_now(keyed("k")).offset.value());
  const std::vector<std::string> before = index_files(world);
  ASSERT_EQ(before.size(), 2u);
  broker.kill();
  Indexed next(world);
  const std::vector<std::string> after = index_files(world);
  ASSERT_EQ(after.size(), 2u);
  EXPECT_EQ(after[0], before[0]);
  EXPECT_GT(after[1], before[1]);
  all.insert(all.begin() + 3, all[3]);
  EXPECT_EQ(next.found("k"), all);
}

// Recovery begins at a log file whose first message is older than the checkpoint: what lies in
// front of it is not filed again, unless messageIndexSafe takes recovery further back.
TEST(StoreMessageIndex, ACrashLosesKeysInFrontOfRecoveryUnlessTheIndexIsSafe) {
  for (const bool safe : {false, true}) {
    StoreWorld world(indexed_store());
    world.configuration.index = {.slots = 8, .entries = 1000};
    world.configuration.message_index_safe = safe;
    Indexed broker(world);
    broker.put_now(keyed("early"));
    for (int i = 0; i < 3; ++i) broker.put_now(message_of(3000));  // A log file each.
    world.run_for(Duration::s(10));
    broker.put_now(keyed("late"));
    world.run_for(Duration::s(10));
    broker.kill();
    Indexed next(world);
    EXPECT_EQ(next.found("early").size(), safe ? 1u : 0u);
    EXPECT_EQ(next.found("late").size(), 1u);
  }
}

TEST(StoreMessageIndex, SwitchedOffItWritesNothing) {
  StoreWorld world(small_store());
  Indexed broker(world);
  broker.put_now(keyed("k"));
  EXPECT_TRUE(index_files(world).empty());
  EXPECT_TRUE(broker.found("k").empty());
}

TEST(StoreMessageIndex, StoresThatMustWaitEndInTheSameFiles) {
  std::vector<Bytes> files;
  for (const bool waits : {false, true}) {
    StoreWorld world(indexed_store());
    world.files.block_stores = waits;
    Indexed broker(world);
    for (int i = 0; i < 6; ++i) broker.put_now(keyed("a b"));
    for (std::size_t i = 0; i < 3; ++i) {
      const Bytes& bytes = world.files.at(index_files(world).at(i)).cached;
      if (waits) {
        EXPECT_EQ(bytes, files[i]);
      }
      files.push_back(bytes);
    }
  }
}

TEST(StoreMessageIndex, AFileThatCanNotBeMadeIsTriedThreeTimesASecondApart) {
  for (const int failures : {2, 3}) {
    StoreWorld world(indexed_store());
    world.files.failing_path = kIndex;
    world.files.map_failures = failures;
    Indexed broker(world);
    EXPECT_EQ(broker.put_now(keyed("k")).status, PutStatus::put_ok);
    world.run_for(Duration::s(2));
    EXPECT_EQ(broker.store().writable(), failures == 2);
    EXPECT_EQ(broker.found("k").size(), failures == 2 ? 1u : 0u);
    EXPECT_EQ(broker.units().size(), 1u);  // The queue does not need the index.
  }
}

TEST(StoreMessageIndex, AFileOfAnotherSizeRefusesTheStartAndOtherNamesAreLeftAlone) {
  StoreWorld world(indexed_store());
  world.files.put(kIndex + "notes.txt", Bytes(9));
  {
    Indexed broker(world);
    EXPECT_TRUE(broker.started());
    broker.stop();
  }
  EXPECT_TRUE(world.files.exists(kIndex + "notes.txt"));
  world.files.put(kIndex + "20231114221320000",
                  Bytes(static_cast<std::size_t>(kSizes.file_bytes()) + 1));
  Indexed broker(world);
  EXPECT_EQ(broker.error(), ErrorCode::invalid_argument);
}

TEST(StoreMessageIndex, ADamagedEntryFindsNoRecord) {
  StoreWorld world(indexed_store());
  Indexed broker(world);
  broker.put_now(keyed("k"));
  Bytes& file = world.files.at(index_files(world)[0]).cached;
  for (const std::int64_t wrong : {std::int64_t{-1}, std::int64_t{7}, std::int64_t{1} << 40}) {
    write_big_endian(file.data() + kSizes.entry_at(1) + 4, wrong);
    EXPECT_TRUE(broker.found("k").empty()) << wrong;
  }
}

}  // namespace
}  // namespace drydock::test
