// What the judge makes of an index file: hand-made ones, with and without what is wrong with them.
// Storage reference, section 4.
#include <gtest/gtest.h>

#include <vector>

#include "scenarios/audit/index_check.hpp"

namespace drydock::scenarios {
namespace {

constexpr std::int64_t kSlots = 5;
constexpr std::int64_t kPlace = 4660;

class IndexFile {
 public:
  explicit IndexFile(std::int32_t entries) : bytes_(size_of(entries)) { put(36, entries, 4); }

  // Entry `number` of a key's chain, and the one before it there.
  void entry(std::int32_t number, std::uint32_t hash, std::int64_t place, std::int32_t previous) {
    const std::int64_t at = 40 + kSlots * 4 + number * 20;
    put(at, hash, 4);
    put(at + 4, place, 8);
    put(at + 16, previous, 4);
  }
  void newest(std::uint32_t hash, std::int32_t number) { put(40 + hash % kSlots * 4, number, 4); }
  IndexWalk look_up(std::uint32_t hash, std::int64_t place = kPlace) const {
    return scenarios::look_up(bytes_, kSlots, hash, place);
  }
  std::span<const std::byte> bytes() const { return bytes_; }

 private:
  static std::size_t size_of(std::int32_t entries) {
    return static_cast<std::size_t>(40 + kSlots * 4 + entries * 20);
  }
  void put(std::int64_t at, std::int64_t value, std::int64_t count) {
    for (std::int64_t i = 0; i < count; ++i) {
      bytes_[static_cast<std::size_t>(at + i)] =
          static_cast<std::byte>(value >> (8 * (count - 1 - i)) & 0xff);
    }
  }

  std::vector<std::byte> bytes_;
};

TEST(IndexAudit, HashesAreThoseOfTheReference) {
  EXPECT_EQ(index_hash("TopicTest", "k1"), 2'746'024u);
  EXPECT_EQ(index_hash("", ""), 35u) << "of the mark between them";
}

TEST(IndexAudit, AKeyIsFoundAnywhereInItsChain) {
  IndexFile file(4);
  file.entry(1, 7, kPlace, 0);
  file.entry(2, 12, 99, 1);  // Another key of the same slot.
  file.entry(3, 7, 50, 2);
  file.newest(7, 3);
  EXPECT_EQ(file.look_up(7), IndexWalk::found);
  EXPECT_EQ(file.look_up(7, 50), IndexWalk::found);
  EXPECT_EQ(file.look_up(12, 99), IndexWalk::found);
  EXPECT_EQ(file.look_up(7, 99), IndexWalk::absent) << "that is the other key's";
  EXPECT_EQ(file.look_up(8), IndexWalk::absent) << "its slot is empty";
}

TEST(IndexAudit, AChainEndsAtALinkThatLeadsNowhereOrToItself) {
  IndexFile file(3);
  file.entry(1, 7, 1, 1);
  file.entry(2, 7, 2, 1);
  file.newest(7, 2);
  EXPECT_EQ(file.look_up(7), IndexWalk::absent);
  file.entry(1, 7, 1, 3);
  EXPECT_EQ(file.look_up(7), IndexWalk::absent) << "3 entries with 0: there is no third one";
  file.newest(7, -1);
  EXPECT_EQ(file.look_up(7), IndexWalk::absent);
  EXPECT_EQ(scenarios::look_up(file.bytes().first(50), kSlots, 7, kPlace), IndexWalk::absent)
      << "half a file";
}

TEST(IndexAudit, ACircleNeverEnds) {
  IndexFile file(3);
  file.entry(1, 7, 1, 2);
  file.entry(2, 7, 2, 1);
  file.newest(7, 2);
  EXPECT_EQ(file.look_up(7), IndexWalk::endless);
  EXPECT_EQ(file.look_up(7, 1), IndexWalk::found) << "what is in the circle is found";
}

TEST(IndexAudit, AHeaderThatCannotBeTrueCountsNothing) {
  EXPECT_EQ(index_entries_used(IndexFile(4).bytes(), 4), 4);
  EXPECT_EQ(index_entries_used(IndexFile(4).bytes(), 3), 0) << "no file has more than maxIndexNum";
  EXPECT_EQ(index_entries_used(IndexFile(4).bytes().first(39), 4), 0);
}

}  // namespace
}  // namespace drydock::scenarios
