// `--verify` names the first event at which two runs of the same inputs differ. The differences are
// planted: an order that depends on addresses, a counter that leaks from one run into the other.
#include "sim/kernel/verify.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "tests/support/world.hpp"

namespace drydock::sim {
namespace {

using test::Call;

// A run of a given number of events, 10 ns apart; `subject(i)` says what the i-th is about.
class Scripted : public Verifiable {
 public:
  using Subject = std::function<std::uint32_t(std::uint64_t event)>;
  Scripted(std::uint64_t events, Subject subject) : events_(events), subject_(std::move(subject)) {
    arm();
  }
  Kernel& kernel() override { return kernel_; }
  bool advance() override { return kernel_.step(std::int64_t{1} << 40); }

 private:
  void arm() {
    if (done_ == events_) return;
    call_.set_label(EventKind::user, subject_(done_));
    ++done_;
    kernel_.after(call_, Duration::ns(10));
  }
  std::uint64_t events_;
  Subject subject_;
  std::uint64_t done_ = 0;
  Kernel kernel_{{.seed = 1}};
  Call call_{[this] { arm(); }};
};

std::uint32_t modulo_five(std::uint64_t event) { return static_cast<std::uint32_t>(event % 5); }

TEST(Verify, EqualRunsHaveNoDifference) {
  for (const std::uint64_t events : {0u, 1u, 1'023u, 1'024u, 1'025u, 5'000u}) {
    EXPECT_FALSE(verify([events] { return std::make_unique<Scripted>(events, modulo_five); }))
        << events;
  }
}

TEST(Verify, NamesTheFirstDifferingEventWithWhatCameBefore) {
  for (const std::uint64_t place : {0u, 3u, 1'023u, 1'024u, 2'500u}) {
    int runs = 0;
    const std::optional<Divergence> found = verify([&] {
      const bool second = runs++ == 1;
      return std::make_unique<Scripted>(3'000, [=](std::uint64_t event) {
        return second && event >= place ? 77 : modulo_five(event);
      });
    });
    ASSERT_TRUE(found) << place;
    EXPECT_EQ(found->index, place);
    EXPECT_EQ(found->first->subject, place % 5);
    EXPECT_EQ(found->second->subject, 77u);
    EXPECT_EQ(found->before.size(), std::min<std::uint64_t>(place, 8));
    if (place > 0) {
      EXPECT_EQ(found->before.back().time_ns, static_cast<std::int64_t>(place) * 10);
    }
  }
}

TEST(Verify, ARunThatEndsEarlyDiffersWhereItEnds) {
  for (const bool first_is_longer : {true, false}) {
    for (const std::uint64_t length : {700u, 1'024u, 1'500u}) {
      int runs = 0;
      const std::optional<Divergence> found = verify([&] {
        const bool longer = (runs++ == 0) == first_is_longer;
        return std::make_unique<Scripted>(longer ? 4'000 : length, modulo_five);
      });
      ASSERT_TRUE(found);
      EXPECT_EQ(found->index, length);
      EXPECT_EQ(found->first.has_value(), first_is_longer);
      EXPECT_EQ(found->second.has_value(), !first_is_longer);
      EXPECT_NE(found->describe().find("(ended)"), std::string::npos);
    }
  }
}

// Each event of the run loop tells of something with two values.
class Talkative : public Verifiable {
 public:
  explicit Talkative(std::uint64_t odd_one) : odd_one_(odd_one) { kernel_.post(call_); }
  Kernel& kernel() override { return kernel_; }
  bool advance() override { return kernel_.step(std::int64_t{1} << 40); }

 private:
  void talk() {
    const std::uint64_t number = kernel_.events() - 1;
    kernel_.engine_event(1, EventName::store_flushed, number == odd_one_ ? -1 : 7, 8);
    if (kernel_.events() < 2'000) kernel_.after(call_, Duration::ns(10));
  }
  std::uint64_t odd_one_;
  Kernel kernel_{{.seed = 1}};
  Call call_{[this] { talk(); }};
};

TEST(Verify, CountsEventsAsTheKernelDoesAndNotWhatTheyRecord) {
  for (const std::uint64_t place : {0u, 1u, 255u, 256u, 1'999u}) {
    int runs = 0;
    const std::optional<Divergence> found =
        verify([&] { return std::make_unique<Talkative>(runs++ == 1 ? place : 5'000); });
    ASSERT_TRUE(found) << place;
    EXPECT_EQ(found->index, place);
    EXPECT_EQ(describe(*found->first), "value 7");
    EXPECT_EQ(describe(*found->second), "value -1");
  }
}

TEST(Verify, DescribesBothSides) {
  Divergence divergence;
  divergence.index = 12;
  divergence.before = {{10, 4, static_cast<std::uint16_t>(EventKind::kill), 0}};
  divergence.first = EventRecord{20, 5, static_cast<std::uint16_t>(EventKind::engine),
                                 static_cast<std::uint16_t>(EventName::store_flushed)};
  divergence.second = EventRecord{-3, 0, static_cast<std::uint16_t>(EventKind::none), 0};
  EXPECT_EQ(divergence.describe(),
            "the runs differ at event 12\n"
            "  both    10 ns kill of 4\n"
            "  first   20 ns event store.flushed of 5\n"
            "  second  value -3\n");
}

TEST(Verify, EveryKindOfEventHasAName) {
  for (std::uint16_t kind = 1; kind <= static_cast<std::uint16_t>(EventKind::user); ++kind) {
    if (kind == 11) continue;  // Given up.
    const std::string text = describe(EventRecord{0, 0, kind, 0});
    EXPECT_EQ(text.find("0 ns unnamed"), std::string::npos) << kind;
  }
  EXPECT_EQ(describe(EventRecord{0, 0, 999, 0}), "0 ns unnamed of 0");
}

// Twelve hosts whose processes wait for one event each; a conductor wakes them in an order given by
// the world that plants the bug.
class Ensemble : public Verifiable {
 public:
  using Order = std::function<void(std::vector<std::unique_ptr<Event>>&)>;
  explicit Ensemble(Order order) : order_(std::move(order)) {
    for (int i = 0; i < kPlayers; ++i) events_.push_back(std::make_unique<Event>());
    for (int i = 0; i < kPlayers; ++i) {
      Event& event = *events_[static_cast<std::size_t>(i)];
      world_.start(world_.add_host(), [&event](Context& context) -> Task<void> {
        Result<void> waited = co_await event.wait();
        if (waited) context.observer.event(EventName::serving_started, 1);
      });
    }
    world_.at(kMoment, [this] {
      order_(events_);
      for (auto& event : events_) event->set();
    });
  }
  Kernel& kernel() override { return world_.kernel; }
  bool advance() override { return world_.kernel.step(std::int64_t{1} << 40); }

  static constexpr int kPlayers = 12;
  static constexpr Duration kMoment = Duration::ms(5);

 private:
  Order order_;
  std::vector<std::unique_ptr<Event>> events_;
  test::World world_;
};

TEST(Verify, NamesTheFirstDifferingEventOfAnOrderByAddress) {
  // What iterating over a hash table of pointers amounts to.
  const auto scattered = [](const std::unique_ptr<Event>& event) {
    return RandomStream(reinterpret_cast<std::uintptr_t>(event.get()), "hash").next();
  };
  const std::optional<Divergence> found = verify([&] {
    return std::make_unique<Ensemble>([&](std::vector<std::unique_ptr<Event>>& events) {
      std::ranges::sort(events, {}, scattered);
    });
  });
  ASSERT_TRUE(found);
  // Everything up to the conductor's event was equal; of the wake-ups that follow, the first one
  // that differs is named, with both of its subjects.
  EXPECT_EQ(found->first->time_ns, Ensemble::kMoment.count_ns());
  EXPECT_EQ(found->second->time_ns, Ensemble::kMoment.count_ns());
  EXPECT_EQ(found->first->kind, static_cast<std::uint16_t>(EventKind::resume));
  EXPECT_NE(found->first->subject, found->second->subject);
  EXPECT_NE(found->describe().find("resume of"), std::string::npos);
}

int leaking_counter = 0;

TEST(Verify, NamesTheFirstDifferingEventOfACounterThatLeaksBetweenRuns) {
  leaking_counter = 0;
  const std::optional<Divergence> found = verify([] {
    return std::make_unique<Ensemble>([](std::vector<std::unique_ptr<Event>>& events) {
      std::ranges::rotate(events, events.begin() + leaking_counter);
      ++leaking_counter;
    });
  });
  ASSERT_TRUE(found);
  EXPECT_EQ(found->first->time_ns, Ensemble::kMoment.count_ns());
  EXPECT_EQ(found->first->subject >> 16, 0u);   // Host 0 was woken first,
  EXPECT_EQ(found->second->subject >> 16, 1u);  // then host 1.
}

TEST(Verify, FindsNothingInAnEnsembleWithoutABug) {
  EXPECT_FALSE(verify(
      [] { return std::make_unique<Ensemble>([](std::vector<std::unique_ptr<Event>>&) {}); }));
}

}  // namespace
}  // namespace drydock::sim
