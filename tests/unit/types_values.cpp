// Identifiers, positions, results and the names of errors, events, crash points and sites.
#include <gtest/gtest.h>

#include <set>
#include <string>
#include <type_traits>

#include "engine/types/events.hpp"
#include "engine/types/ids.hpp"
#include "engine/types/result.hpp"

namespace drydock {
namespace {

TEST(Id, NextCountsUpAndKindsDoNotMix) {
  EXPECT_EQ(Epoch(4).next(), Epoch(5));
  EXPECT_LT(HostId(1), HostId(2));
  EXPECT_EQ(HostId().value(), 0u);
  static_assert(!std::is_convertible_v<HostId, DiskId>);
  static_assert(!std::is_convertible_v<std::uint32_t, HostId>);
}

TEST(Position, PositionsMoveByLengths) {
  const PhysicalOffset start(100);
  EXPECT_EQ(start + 28, PhysicalOffset(128));
  EXPECT_EQ(start - 28, PhysicalOffset(72));
  EXPECT_EQ(PhysicalOffset(128) - start, 28);
  static_assert(!std::is_convertible_v<PhysicalOffset, QueueOffset>);
}

Result<int> half(int n) {
  if (n % 2 != 0) return ErrorCode::invalid_argument;
  return n / 2;
}

Result<void> refuse(bool yes) {
  if (yes) return Error::from_nvme(ErrorCode::reservation_conflict, 0x083);
  return {};
}

TEST(Result, CarriesAValueOrAnError) {
  EXPECT_EQ(half(4).value(), 2);
  ASSERT_FALSE(half(3));
  EXPECT_EQ(half(3).error().code(), ErrorCode::invalid_argument);
  EXPECT_TRUE(refuse(false));
}

TEST(Result, ErrorsKeepTheOriginalStatus) {
  const Result<void> refused = refuse(true);
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().origin(), StatusOrigin::nvme);
  EXPECT_EQ(refused.error().status(), 0x083);

  const Error full = Error::from_errno(ErrorCode::no_space, 28);
  EXPECT_EQ(full.origin(), StatusOrigin::errno_value);
  EXPECT_EQ(full.status(), 28);
}

TEST(Result, ErrorsAreEqualIfCallersMustTreatThemAlike) {
  EXPECT_EQ(Error::from_errno(ErrorCode::io_error, 5), Error(ErrorCode::io_error));
  EXPECT_NE(Error(ErrorCode::busy), Error(ErrorCode::exists));
}

// Every enumerator has a name of its own; the one behind the last has none.
template <class Enum>
void expect_names(Enum last) {
  std::set<std::string> names;
  for (int i = 0; i <= static_cast<int>(last); ++i) {
    const std::string name(name_of(static_cast<Enum>(i)));
    EXPECT_NE(name, "unnamed") << i;
    EXPECT_TRUE(names.insert(name).second) << name;
  }
  EXPECT_EQ(name_of(static_cast<Enum>(static_cast<int>(last) + 1)), "unnamed");
}

template <class Enum>
Enum last_of() {
  return static_cast<Enum>(static_cast<int>(Enum::count_) - 1);
}

TEST(Names, EveryErrorCodeHasOne) { expect_names(ErrorCode::not_supported); }
TEST(Names, EveryEventHasOne) { expect_names(last_of<EventName>()); }
TEST(Names, EveryCrashPointHasOne) { expect_names(last_of<CrashPoint>()); }
TEST(Names, EveryBuggifySiteHasOne) { expect_names(last_of<BuggifySite>()); }

}  // namespace
}  // namespace drydock
