// Bytes on the HA port: HA reference, 1.2.
#include "engine/replication/ha_frames.hpp"

#include <gtest/gtest.h>

#include <vector>

#include "tests/support/bytes_text.hpp"

namespace drydock {
namespace {

SharedBytes bytes(std::initializer_list<int> values) {
  SharedBytes made = SharedBytes::allocate(values.size());
  std::size_t i = 0;
  for (const int value : values) made.writable()[i++] = static_cast<std::byte>(value);
  return made;
}
bool same(const SharedBytes& a, const SharedBytes& b) {
  return std::ranges::equal(a.span(), b.span());
}

TEST(HaFrames, AReportIsTheOffset) {
  EXPECT_TRUE(
      same(encode_ha_report(PhysicalOffset(0x0102030405060708)), bytes({1, 2, 3, 4, 5, 6, 7, 8})));
}

TEST(HaFrames, AHeaderIsOffsetAndSize) {
  EXPECT_TRUE(same(encode_ha_header(PhysicalOffset(0x0102030405060708), 0x0a0b),
                   bytes({1, 2, 3, 4, 5, 6, 7, 8, 0, 0, 0x0a, 0x0b})));
}

// However the bytes arrive, the last complete report is the one that counts.
TEST(HaFrames, OnlyTheLastCompleteReportCounts) {
  const SharedBytes stream = bytes({0, 0, 0, 0, 0, 0, 0, 1,  // 1
                                    0, 0, 0, 0, 0, 0, 0, 2,  // 2
                                    0, 0, 0, 0, 0, 0, 0, 3});
  for (std::size_t first = 0; first <= stream.size(); ++first) {
    for (std::size_t second = first; second <= stream.size(); ++second) {
      HaReportReader reader;
      std::size_t from = 0;
      for (const std::size_t to : {first, second, stream.size()}) {
        const auto report = reader.feed(ByteChain(stream.slice(from, to - from)));
        const bool complete = to / 8 > from / 8;
        ASSERT_EQ(report.has_value(), complete) << first << " " << second;
        ASSERT_EQ(report.value_or(PhysicalOffset(0)).value(),
                  complete ? static_cast<std::int64_t>(to / 8) : 0);
        from = to;
      }
    }
  }
}

TEST(HaFrames, AreFoundWhereverTheStreamIsCut) {
  const SharedBytes stream = bytes({0, 0, 0, 0, 0, 0, 0, 7, 0, 0, 0, 2, 'a', 'b',  //
                                    0, 0, 0, 0, 0, 0, 0, 9, 0, 0, 0, 0,            //
                                    0, 0, 0, 0, 0, 0, 0, 9, 0, 0, 0, 1, 'c'});
  for (std::size_t cut = 0; cut <= stream.size(); ++cut) {
    HaFrameReader reader;
    std::vector<std::string> seen;
    for (const SharedBytes& part : {stream.slice(0, cut), stream.slice(cut, stream.size() - cut)}) {
      reader.feed(ByteChain(part));
      HaFrame frame;
      while (reader.next(frame) == HaFrameReader::Step::frame) {
        seen.push_back(std::to_string(frame.offset.value()) +
                       std::string(as_text(frame.body.span())));
      }
    }
    EXPECT_EQ(seen, (std::vector<std::string>{"7ab", "9", "9c"})) << cut;
  }
}

TEST(HaFrames, SizesThatNoMasterSendsAreFaults) {
  for (const SharedBytes& header : {bytes({0, 0, 0, 0, 0, 0, 0, 7, 0xff, 0xff, 0xff, 0xff}),
                                    bytes({0, 0, 0, 0, 0, 0, 0, 7, 0, 0x40, 0, 0}),
                                    bytes({0xff, 0, 0, 0, 0, 0, 0, 7, 0, 0, 0, 0})}) {
    HaFrameReader reader;
    reader.feed(ByteChain(header));
    HaFrame frame;
    EXPECT_EQ(reader.next(frame), HaFrameReader::Step::fault);
  }
}

}  // namespace
}  // namespace drydock
