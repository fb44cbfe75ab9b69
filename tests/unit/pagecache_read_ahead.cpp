// The windows of read-ahead and read-around: Linux I/O model, sections 3.1 and 3.2.
#include <gtest/gtest.h>

#include <set>
#include <vector>

#include "sim/pagecache/page_faults.hpp"

namespace drydock::sim {

void PrintTo(PageRange range, std::ostream* out) {
  *out << "[" << range.first << ", " << range.end << ")";
}

namespace {

using Windows = std::vector<PageRange>;

// A file whose reads arrive at once, and what was read of it in which order.
class Reader {
 public:
  explicit Reader(ReadAhead ahead) : ahead_(ahead) {}

  void read(std::int64_t first, std::int64_t count = 1) {
    const PageRange request{first, first + count};
    for (std::int64_t page = request.first; page < request.end; ++page) {
      if (!cached_.contains(page)) {
        fetch(ahead_.on_miss({page, request.end}, [&](std::int64_t most) {
          std::int64_t length = 0;
          while (length < most && cached_.contains(page - length - 1)) ++length;
          return length;
        }));
      }
      if (marks_.erase(page) == 0) continue;
      fetch(ahead_.on_mark(page, request.end - page, [&](std::int64_t most) {
        for (std::int64_t each = page + 1; each <= page + most; ++each) {
          if (!cached_.contains(each)) return each;
        }
        return std::int64_t{-1};
      }));
    }
    ahead_.read_to(request.end - 1);
  }
  void evict(PageRange range) {
    for (std::int64_t page = range.first; page < range.end; ++page) cached_.erase(page);
  }
  Windows windows;

 private:
  void fetch(PageRange window) {
    if (window.first == window.end) return;
    windows.push_back(window);
    const std::int64_t mark = ahead_.mark();
    if (window.first <= mark && mark < window.end && !cached_.contains(mark)) marks_.insert(mark);
    for (std::int64_t page = window.first; page < window.end; ++page) cached_.insert(page);
  }
  ReadAhead ahead_;
  std::set<std::int64_t> marks_;
  std::set<std::int64_t> cached_;
};

TEST(ReadAhead, DoublesTheWindowOfASequentialReaderUpToTheLargest) {
  Reader reader(ReadAhead(32));
  for (std::int64_t page = 0; page < 92; ++page) reader.read(page);
  const Windows expected{{0, 4}, {4, 12}, {12, 28}, {28, 60}, {60, 92}, {92, 124}};
  EXPECT_EQ(reader.windows, expected);
}

TEST(ReadAhead, ReadsTheNextWindowWhenItsReaderEntersTheLast) {
  Reader reader(ReadAhead(32));
  reader.read(0);
  EXPECT_EQ(reader.windows, (Windows{{0, 4}}));
  reader.read(1);  // The mark of an initial window is the first page that was not asked for.
  EXPECT_EQ(reader.windows, (Windows{{0, 4}, {4, 12}}));
  reader.read(2);
  reader.read(3);
  EXPECT_EQ(reader.windows.size(), 2u);
  reader.read(4);
  EXPECT_EQ(reader.windows.back(), (PageRange{12, 28}));
}

TEST(ReadAhead, BeginsWithAWindowByTheSizeOfTheRequest) {
  const auto first_window = [](std::int64_t asked) {
    Reader reader(ReadAhead(128));
    reader.read(0, asked);
    return reader.windows.front().end;
  };
  EXPECT_EQ(first_window(1), 4);
  EXPECT_EQ(first_window(3), 16);  // 4 pages as a power of two: not above a 32nd of the largest.
  EXPECT_EQ(first_window(5), 16);  // 8 pages: not above a quarter.
  EXPECT_EQ(first_window(32), 64);
  EXPECT_EQ(first_window(33), 128);
}

TEST(ReadAhead, ReadsExactlyWhatARandomReadAsksFor) {
  Reader reader(ReadAhead(32));
  reader.read(1000);
  reader.read(77, 4);
  reader.read(5000, 16);
  EXPECT_EQ(reader.windows, (Windows{{1000, 1001}, {77, 81}, {5000, 5016}}));
}

TEST(ReadAhead, TakesAMissRightBehindThePreviousReadForAStream) {
  Reader reader(ReadAhead(32));
  reader.read(1000);
  reader.read(1001);
  EXPECT_EQ(reader.windows.back(), (PageRange{1001, 1005}));
}

TEST(ReadAhead, GoesOnWhereTheWindowEnds) {
  Reader reader(ReadAhead(32));
  reader.read(0);
  reader.read(500);  // The window stays.
  reader.read(4);
  EXPECT_EQ(reader.windows.back(), (PageRange{12, 20 + 8})) << "missed, then found marked";
  EXPECT_EQ(reader.windows[2], (PageRange{4, 12}));
}

TEST(ReadAhead, ResumesAStreamThatIsCachedBehindTheMiss) {
  Reader reader(ReadAhead(32));
  reader.read(100, 8);
  reader.read(7000);
  reader.read(108, 2);  // 8 cached pages before it are more than the 2 that are asked for.
  EXPECT_EQ(reader.windows.back(), (PageRange{108, 118}));
  reader.read(200, 30);
  reader.read(9000);
  reader.read(230, 12);  // 30 cached pages and the request are more than the largest window.
  EXPECT_EQ(reader.windows.back(), (PageRange{230, 262}));
}

// Two streams through one open file: the second one's windows are not the first one's, whose marks
// still lead it on. From page 1000 on as a stream by itself would: behind what is cached.
TEST(ReadAhead, FollowsEachOfInterleavedStreamsByItsMarks) {
  Reader reader(ReadAhead(32));
  reader.read(0);
  reader.read(1000);
  reader.read(1001);
  EXPECT_EQ(reader.windows.back(), (PageRange{1001, 1005}));
  reader.read(1);  // Marked, and the last window is not the one that it is in: 3 + 1 pages, twice.
  EXPECT_EQ(reader.windows.back(), (PageRange{4, 12}));
  reader.read(1002);  // 3 + 1 pages here, too.
  EXPECT_EQ(reader.windows.back(), (PageRange{1005, 1013}));
  reader.read(4);
  EXPECT_EQ(reader.windows.back(), (PageRange{12, 30})) << "8 + 1 pages, twice";
}

TEST(ReadAhead, ObeysTheAdvice) {
  ReadAhead random(32);
  random.set_pattern(ReadAhead::Pattern::random);
  Reader exact(random);
  for (std::int64_t page = 0; page < 3; ++page) exact.read(page);
  EXPECT_EQ(exact.windows, (Windows{{0, 1}, {1, 2}, {2, 3}}));

  ReadAhead sequential(32);
  sequential.set_pattern(ReadAhead::Pattern::sequential);
  Reader wide(sequential);
  for (std::int64_t page = 0; page < 200; ++page) wide.read(page);
  EXPECT_EQ(wide.windows.back().end - wide.windows.back().first, 64);
}

TEST(ReadAhead, UsesTheDevicesLargestCommandForALargerRequest) {
  Reader reader(ReadAhead(32, 256));
  reader.read(4000, 200);
  EXPECT_EQ(reader.windows.front().first, 4000);
  EXPECT_GE(reader.windows.front().end, 4200);
}

TEST(ReadAhead, CanBeSwitchedOff) {
  Reader reader(ReadAhead(0));
  for (std::int64_t page = 0; page < 3; ++page) reader.read(page);
  EXPECT_EQ(reader.windows, (Windows{{0, 1}, {1, 2}, {2, 3}}));
}

std::int64_t no_history(std::int64_t) { return 0; }

TEST(ReadAround, CentresItsWindowOnTheFaultAndReadsItsLastQuarterAhead) {
  PageFaults faults(32);
  EXPECT_EQ(faults.on_miss(1000, no_history), (PageRange{984, 1016}));
  EXPECT_EQ(faults.ahead().mark(), 1008);
  const auto nothing_absent = [](std::int64_t) { return std::int64_t{-1}; };
  EXPECT_EQ(faults.on_mark(1008, nothing_absent), (PageRange{1016, 1048}));
  EXPECT_EQ(faults.on_miss(5, no_history), (PageRange{0, 32}));
}

TEST(ReadAround, StopsWhenAFileMissesTooOftenAndComesBackWithHits) {
  PageFaults faults(32);
  for (int miss = 0; miss < PageFaults::kMissesMax; ++miss) {
    ASSERT_EQ(faults.on_miss(miss * 100, no_history).end - std::max(0, miss * 100 - 16), 32);
  }
  EXPECT_EQ(faults.on_miss(50'000, no_history), (PageRange{50'000, 50'001}));
  faults.mapped(16);
  EXPECT_EQ(faults.on_miss(50'000, no_history), (PageRange{49'984, 50'016}));
}

TEST(ReadAround, IsNotForRandomMappings) {
  PageFaults faults(32);
  faults.set_pattern(ReadAhead::Pattern::random);
  EXPECT_EQ(faults.on_miss(1000, no_history), (PageRange{1000, 1001}));
  EXPECT_EQ(faults.misses(), 0);
}

}  // namespace
}  // namespace drydock::sim
