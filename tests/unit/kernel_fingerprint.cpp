// The fingerprint: golden digests that every build must give, and what enters them.
#include "sim/kernel/fingerprint.hpp"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace drydock::sim {
namespace {

void record_numbered(Fingerprint& fingerprint, std::int64_t i) {
  fingerprint.record(i * 1'000, static_cast<EventKind>(i % 13), static_cast<std::uint32_t>(i * 7),
                     static_cast<std::uint16_t>(i));
}

std::string digest_of(std::int64_t records) {
  Fingerprint fingerprint;
  for (std::int64_t i = 0; i < records; ++i) record_numbered(fingerprint, i);
  return fingerprint.digest().hex();
}

TEST(Fingerprint, GivesTheSameDigestsOnEveryBuild) {
  // The first is the published XXH3 (128 bits) of nothing.
  EXPECT_EQ(digest_of(0), "99aa06d3014798d86001c324468d497f");
  EXPECT_EQ(digest_of(1), "e5189a9599e3f86205ea23ef06e28b2d");
  EXPECT_EQ(digest_of(1'023), "f1fc9e1cb8e481ad313e5b72f6b4a88f");
  EXPECT_EQ(digest_of(1'024), "e467260eb47deff5300b3222c9076a55");
  EXPECT_EQ(digest_of(1'025), "4b4a5485ec602bcaab81d8ff8f7b2bc8");
  EXPECT_EQ(digest_of(10'000), "b04005ebb07f14d17e4e99ed809de05f");
}

TEST(Fingerprint, EveryFieldCounts) {
  const auto digest = [](std::int64_t time, EventKind kind, std::uint32_t subject,
                         std::uint16_t detail) {
    Fingerprint fingerprint;
    fingerprint.record(time, kind, subject, detail);
    return fingerprint.digest();
  };
  const Digest base = digest(1, EventKind::timer, 2, 3);
  EXPECT_EQ(base, digest(1, EventKind::timer, 2, 3));
  EXPECT_NE(base, digest(2, EventKind::timer, 2, 3));
  EXPECT_NE(base, digest(1, EventKind::resume, 2, 3));
  EXPECT_NE(base, digest(1, EventKind::timer, 3, 3));
  EXPECT_NE(base, digest(1, EventKind::timer, 2, 4));
}

TEST(Fingerprint, OrderAndNumberOfRecordsCount) {
  Fingerprint forwards;
  Fingerprint backwards;
  for (std::int64_t i = 0; i < 3'000; ++i) record_numbered(forwards, i);
  for (std::int64_t i = 3'000; i-- > 0;) record_numbered(backwards, i);
  EXPECT_NE(forwards.digest(), backwards.digest());
  EXPECT_EQ(forwards.count(), 3'000u);

  Fingerprint longer;
  Fingerprint shorter;
  longer.record_value(0);
  EXPECT_NE(longer.digest(), shorter.digest());
  shorter.record_value(0);
  EXPECT_EQ(longer.digest(), shorter.digest());
}

TEST(Fingerprint, AskingForTheDigestChangesNothing) {
  Fingerprint asked;
  Fingerprint silent;
  for (std::int64_t i = 0; i < 2'000; ++i) {
    record_numbered(asked, i);
    record_numbered(silent, i);
    static_cast<void>(asked.digest());
  }
  EXPECT_EQ(asked.digest(), silent.digest());
}

TEST(Fingerprint, TheSinkSeesEveryFullRingBeforeItIsHashed) {
  Fingerprint fingerprint;
  std::vector<EventRecord> seen;
  std::vector<std::uint64_t> firsts;
  fingerprint.set_sink([&](std::span<const EventRecord> records, std::uint64_t first) {
    firsts.push_back(first);
    seen.insert(seen.end(), records.begin(), records.end());
  });
  for (std::int64_t i = 0; i < 2'500; ++i) record_numbered(fingerprint, i);
  EXPECT_EQ(firsts, (std::vector<std::uint64_t>{0, Fingerprint::kRing}));
  EXPECT_EQ(seen.size() + fingerprint.pending().size(), 2'500u);
  EXPECT_EQ(seen[2'000].time_ns, 2'000'000);
  EXPECT_EQ(fingerprint.pending().front().time_ns, 2'048'000);
}

TEST(Digest, PrintsTheHighHalfFirst) {
  EXPECT_EQ((Digest{0x1, 0xabc0000000000000}).hex(), "abc00000000000000000000000000001");
}

}  // namespace
}  // namespace drydock::sim
