// The page cache under random operations, crashes and reclaim:
//
//   1. What it knows of each page (resident, dirty, under writeback, mapped, young, which list, in
//      which order they go) equals a reference model that knows single pages only.
//   2. What it counts equals a scan over all pages: of files, devices, host, memory.
//   3. A snapshot on its way to a device never changes.
#include <gtest/gtest.h>
#include <rapidcheck.h>
#include <rapidcheck/gtest.h>

#include "tests/property/page_trial.hpp"

namespace drydock::test {

// How RapidCheck prints a step.
void showValue(const PageStep& step, std::ostream& os) {
  os << kPageActs[static_cast<int>(step.act)] << " file " << step.file << " page " << step.first
     << " +" << step.count;
}

namespace {

rc::Gen<std::vector<PageStep>> plans() {
  using rc::gen::inRange;
  using rc::gen::set;
  const auto any = rc::gen::map(inRange(0, static_cast<int>(PageAct::count_)),
                                [](int number) { return static_cast<PageAct>(number); });
  const auto act = rc::gen::weightedOneOf<PageAct>(
      {{3, any},
       {2, rc::gen::element(PageAct::store, PageAct::insert, PageAct::dirty, PageAct::access,
                            PageAct::reclaim, PageAct::end_writeback)}});
  return rc::gen::container<std::vector<PageStep>>(rc::gen::build<PageStep>(
      set(&PageStep::act, act), set(&PageStep::file, inRange(0, PageTrial::kFiles)),
      set(&PageStep::first, inRange(0, PageTrial::kPages)),
      set(&PageStep::count, rc::gen::oneOf(inRange(1, 4), inRange(1, PageTrial::kPages)))));
}

void check(sim::MemoryOptions memory) {
  const auto plan = *plans();
  PageTrial trial(memory, 1);
  for (const PageStep& step : plan) {
    const std::string trouble = trial.take(step);
    if (!trouble.empty()) RC_FAIL(trouble);
  }
}

RC_GTEST_PROP(PageLaws, HoldWhereMemoryNeverRunsOut, ()) { check({}); }
RC_GTEST_PROP(PageLaws, HoldWhereMemoryHasASize, ()) { check({.bytes = std::int64_t{1} << 30}); }

// The comparison has teeth.
TEST(PageLaws, AreBrokenByAPageThatIsLostAndByOneThatBecomesDirty) {
  const PageStep insert{.act = PageAct::insert, .count = 3};
  const PageStep nothing{.act = PageAct::wait_6_s};
  PageTrial lost({}, 1);
  EXPECT_EQ(lost.take(insert), "");
  lost.drop_unseen(0, 1);
  EXPECT_EQ(lost.take(nothing), "page 1 of file 0 differs; ");
  PageTrial dirtied({}, 1);
  EXPECT_EQ(dirtied.take(insert), "");
  dirtied.dirty_unseen(0, 2);
  EXPECT_NE(dirtied.take(nothing).find("D: 1 instead of 0"), std::string::npos);
}

}  // namespace
}  // namespace drydock::test
