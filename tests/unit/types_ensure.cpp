// The assertion that stays on.
#include "engine/types/ensure.hpp"

#include <gtest/gtest.h>

namespace drydock {
namespace {

TEST(Ensure, AFalseConditionAbortsWithItsTextAndPlace) {
  const int acknowledged = 2;
  const int stored = 1;
  EXPECT_DEATH(ENSURE(stored >= acknowledged),
               "ENSURE failed: stored >= acknowledged at .*types_ensure.cpp:[0-9]+");
}

TEST(Ensure, ATrueConditionIsEvaluatedOnce) {
  int calls = 0;
  ENSURE(++calls == 1);
  EXPECT_EQ(calls, 1);
}

TEST(Ensure, IsOneStatement) {
  bool otherwise = false;
  if (otherwise)
    ENSURE(!otherwise);
  else
    otherwise = true;
  EXPECT_TRUE(otherwise);
}

}  // namespace
}  // namespace drydock
