// Index files: bytes, chains, what a query finds. Facts: storage reference, section 4 and 2.12.
#include "engine/store/index_file.hpp"

#include <gtest/gtest.h>

#include "engine/wire/big_endian.hpp"
#include "tests/support/bytes_text.hpp"

namespace drydock::test {
namespace {

constexpr IndexSizes kSmall{.slots = 4, .entries = 8};
constexpr std::int64_t kNow = 1'700'000'000'000;

std::vector<std::byte> empty_file(IndexSizes sizes = kSmall) {
  std::vector<std::byte> file(static_cast<std::size_t>(sizes.file_bytes()));
  std::ranges::copy(encode_index_header(IndexHeader()), file.begin());
  return file;
}

std::vector<std::int64_t> found(std::span<const std::byte> file, IndexQuery query) {
  std::vector<PhysicalOffset> offsets;
  query_index(file, kSmall, query, offsets);
  std::vector<std::int64_t> values;
  for (const PhysicalOffset offset : offsets) values.push_back(offset.value());
  return values;
}

TEST(StoreIndexFile, TheGoldenKeysHashAndPlace) {
  constexpr IndexSizes kDefault;
  EXPECT_EQ(index_key_hash("TopicTest", "k1"), 2'746'024);
  EXPECT_EQ(kDefault.slot_at(2'746'024), 40 + 10'984'096);
  EXPECT_EQ(kDefault.file_bytes(), 420'000'040);
}

TEST(StoreIndexFile, AnEntryChangesItsSlotAndTheHeader) {
  std::vector<std::byte> file = empty_file();
  ASSERT_TRUE(put_index_key(file, kSmall, 5, PhysicalOffset(100), kNow));
  const IndexHeader one{kNow, kNow, 100, 100, 1, 2};
  EXPECT_EQ(decode_index_header(file), one);
  EXPECT_EQ(read_big_endian<std::int32_t>(file.data() + 40 + 4), 1);  // Slot 5 mod 4.
  ASSERT_TRUE(put_index_key(file, kSmall, 9, PhysicalOffset(200), kNow + 2999));
  const IndexHeader two{kNow, kNow + 2999, 100, 200, 1, 3};  // The same slot.
  EXPECT_EQ(decode_index_header(file), two);
  const auto entry = std::span(file).subspan(static_cast<std::size_t>(kSmall.entry_at(2)), 20);
  EXPECT_EQ(hex(entry), "0000000900000000000000c80000000200000001");
}

TEST(StoreIndexFile, TakesOneEntryLessThanItHasRoomFor) {
  std::vector<std::byte> file = empty_file();
  for (int i = 0; i < 7; ++i) {
    EXPECT_TRUE(put_index_key(file, kSmall, i, PhysicalOffset(i), kNow));
  }
  const std::vector<std::byte> before = file;
  EXPECT_FALSE(put_index_key(file, kSmall, 1, PhysicalOffset(9), kNow));
  EXPECT_EQ(file, before);
}

TEST(StoreIndexFile, TheFirstEntryOfAFollowingFileCountsFromTheEndOfTheOneBefore) {
  std::vector<std::byte> file = empty_file();
  const IndexHeader last{kNow, kNow + 5000, 0, 900, 3, 8};
  std::ranges::copy(encode_index_header(next_index_header(last)), file.begin());
  ASSERT_TRUE(put_index_key(file, kSmall, 1, PhysicalOffset(1000), kNow + 9000));
  const std::byte* const seconds = file.data() + kSmall.entry_at(1) + 12;
  EXPECT_EQ(read_big_endian<std::int32_t>(seconds), 4);
  EXPECT_EQ(decode_index_header(file).begin_ms, kNow + 9000);
}

TEST(StoreIndexFile, AQueryFindsTheNewestFirstAndOnlyItsOwnHash) {
  std::vector<std::byte> file = empty_file();
  for (const auto& [hash, at] : {std::pair(1, 10), {5, 20}, {1, 30}, {2, 40}, {1, 50}}) {
    ASSERT_TRUE(put_index_key(file, kSmall, hash, PhysicalOffset(at), kNow + at * 100));
  }
  EXPECT_EQ(found(file, {.key_hash = 1}), (std::vector<std::int64_t>{50, 30, 10}));
  EXPECT_EQ(found(file, {.key_hash = 1, .count_max = 2}), (std::vector<std::int64_t>{50, 30}));
  EXPECT_EQ(found(file, {.key_hash = 5}), (std::vector<std::int64_t>{20}));
  EXPECT_TRUE(found(file, {.key_hash = 9}).empty());
  EXPECT_TRUE(found(file, {.key_hash = 1, .begin_ms = kNow + 5001}).empty());
}

TEST(StoreIndexFile, AQueryOfADamagedFileEnds) {
  std::vector<std::byte> file = empty_file();
  ASSERT_TRUE(put_index_key(file, kSmall, 1, PhysicalOffset(10), kNow));
  ASSERT_TRUE(put_index_key(file, kSmall, 1, PhysicalOffset(20), kNow));
  write_big_endian(file.data() + kSmall.entry_at(1) + 16, std::int32_t{2});  // A circle.
  EXPECT_LE(found(file, {.key_hash = 1, .count_max = 100}).size(), 8u);
  write_big_endian(file.data() + kSmall.slot_at(1), std::int32_t{0x7fffffff});
  EXPECT_TRUE(found(file, {.key_hash = 1}).empty());
  write_big_endian(file.data() + 36, std::int32_t{0x7fffffff});  // The count.
  EXPECT_TRUE(found(file, {.key_hash = 1}).empty());
}

TEST(StoreIndexFile, TimesOfADamagedHeaderOrRecordMayBeAnything) {
  std::vector<std::byte> file = empty_file();
  put_index_key(file, kSmall, 5, PhysicalOffset(100), kNow);
  put_index_key(file, kSmall, 5, PhysicalOffset(200), INT64_MIN);
  put_index_key(file, kSmall, 5, PhysicalOffset(300), kNow + 5000);
  write_big_endian(file.data(), INT64_MAX);
  EXPECT_LE(found(file, {.key_hash = 5}).size(), 3u);
}

TEST(StoreIndexFile, KeysAreTheUniqueOneAndTheWordsOfKeys) {
  EXPECT_EQ(index_keys_of("KEYS\x01"
                          "a  bc \x02UNIQ_KEY\x01U1\x02"),
            (std::vector<std::string_view>{"U1", "a", "bc"}));
  EXPECT_TRUE(index_keys_of("TAGS\x01t\x02").empty());
}

}  // namespace
}  // namespace drydock::test
