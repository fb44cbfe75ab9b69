// Triggers: "at the n-th occurrence of this event, run that."
#include "sim/kernel/triggers.hpp"

#include <gtest/gtest.h>

#include <vector>

#include "tests/support/world.hpp"

namespace drydock::sim {
namespace {

using test::Call;

TEST(Triggers, PullAtExactlyTheirOccurrenceAndOnce) {
  Kernel kernel({.seed = 1});
  std::vector<std::uint64_t> pulled_at;
  Call trigger(
      [&] { pulled_at.push_back(kernel.triggers().occurrences(EventName::store_flushed)); });
  kernel.triggers().add(EventName::store_flushed, 3, trigger);
  for (int i = 0; i < 6; ++i) {
    kernel.engine_event(0, EventName::store_flushed, i, 0);
    kernel.engine_event(0, EventName::store_appended, i, 0);
    kernel.run_until(0);
  }
  EXPECT_EQ(pulled_at, (std::vector<std::uint64_t>{3}));
  EXPECT_EQ(kernel.triggers().occurrences(EventName::store_appended), 6u);
  EXPECT_EQ(kernel.triggers().occurrences(EventName::store_file_created), 0u);
}

TEST(Triggers, RunBeforeEverythingElseThatIsDue) {
  Kernel kernel({.seed = 1});
  std::vector<int> order;
  Call trigger([&] { order.push_back(1); });
  Call due([&] { order.push_back(2); });
  kernel.triggers().add(EventName::serving_started, 1, trigger);
  Call happens([&] {
    kernel.engine_event(0, EventName::serving_started, 0, 0);
    EXPECT_TRUE(order.empty());  // Never inside the call.
  });
  kernel.post(happens);
  kernel.post(due);
  kernel.run_until(0);
  EXPECT_EQ(order, (std::vector<int>{1, 2}));
}

TEST(Triggers, AllOfOneOccurrenceArePulledInTheOrderOfTheirAddition) {
  Kernel kernel({.seed = 1});
  std::vector<int> order;
  Call a([&] { order.push_back(1); });
  Call b([&] { order.push_back(2); });
  Call c([&] { order.push_back(3); });
  Call later([&] { order.push_back(4); });
  kernel.triggers().add(EventName::store_flushed, 2, a);
  kernel.triggers().add(EventName::store_flushed, 3, later);
  kernel.triggers().add(EventName::store_flushed, 2, b);
  kernel.triggers().add(EventName::store_appended, 2, b);
  kernel.triggers().add(EventName::store_flushed, 2, c);
  for (int i = 0; i < 3; ++i) {
    kernel.engine_event(0, EventName::store_flushed, i, 0);
    kernel.run_until(0);
  }
  EXPECT_EQ(order, (std::vector<int>{1, 2, 3, 4}));
}

}  // namespace
}  // namespace drydock::sim
