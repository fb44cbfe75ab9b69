// The timing wheel against the obvious model: a multimap from time to entry, which keeps insertion
// order among equal times.
#include "engine/runtime/timer_queue.hpp"

#include <gtest/gtest.h>

#include <deque>
#include <limits>
#include <map>
#include <set>
#include <vector>

#include "engine/types/random_stream.hpp"

namespace drydock {
namespace {

constexpr std::int64_t kEnd = std::numeric_limits<std::int64_t>::max();

class Entry : public Wakeup {
 public:
  explicit Entry(std::uint32_t number = 0) : Wakeup(&Entry::nothing, EventKind::user, number) {}

 private:
  static void nothing(Wakeup&) {}
};

std::vector<std::uint32_t> pop_all(TimerQueue& queue, std::int64_t limit = kEnd) {
  std::vector<std::uint32_t> popped;
  while (Wakeup* const entry = queue.pop(limit)) popped.push_back(entry->subject());
  return popped;
}

TEST(TimerQueue, EqualTimesComeOutInInsertionOrder) {
  TimerQueue queue;
  std::deque<Entry> entries;
  for (std::uint32_t i = 0; i < 200; ++i) {
    entries.emplace_back(i);
    queue.insert(entries.back(), 1'000'000'007);
  }
  const std::vector<std::uint32_t> popped = pop_all(queue);
  ASSERT_EQ(popped.size(), 200u);
  for (std::uint32_t i = 0; i < 200; ++i) EXPECT_EQ(popped[i], i);
}

TEST(TimerQueue, InsertionOrderHoldsAcrossLevels) {
  // The second entry of time 5,000 is inserted from close by, when the first one has moved down.
  TimerQueue queue;
  Entry first(1), step(2), second(3);
  queue.insert(first, 5'000);
  queue.insert(step, 4'990);
  EXPECT_EQ(queue.pop(kEnd), &step);
  queue.insert(second, 5'000);
  EXPECT_EQ(pop_all(queue), (std::vector<std::uint32_t>{1, 3}));
}

TEST(TimerQueue, NothingBeyondTheLimitComesOut) {
  TimerQueue queue;
  Entry early(1), late(2);
  queue.insert(late, 70'000);
  queue.insert(early, 64);
  EXPECT_EQ(queue.pop(63), nullptr);
  EXPECT_EQ(queue.pop(64), &early);
  EXPECT_EQ(queue.pop(69'999), nullptr);
  EXPECT_EQ(queue.next_time(-1), 70'000);
  EXPECT_EQ(queue.pop(70'000), &late);
  EXPECT_EQ(queue.next_time(-1), -1);
}

TEST(TimerQueue, TheLimitHoldsForEntriesOfTheCurrentTimeToo) {
  TimerQueue queue;
  Entry a(1), b(2);
  queue.insert(a, 10);
  queue.insert(b, 10);
  EXPECT_EQ(queue.pop(10), &a);
  EXPECT_TRUE(queue.has_due());
  EXPECT_EQ(queue.pop(9), nullptr);
  EXPECT_EQ(queue.next_time(-1), 10);
  EXPECT_EQ(queue.pop(10), &b);
  EXPECT_FALSE(queue.has_due());
}

TEST(TimerQueue, FarTimesAreExact) {
  TimerQueue queue;
  constexpr std::int64_t kFar = std::int64_t{1} << 62;
  Entry last(6), far(4), before(3), after(5), near(1), middle(2);
  queue.insert(last, kEnd);
  queue.insert(after, kFar + 1);
  queue.insert(far, kFar);
  queue.insert(before, kFar - 1);
  queue.insert(middle, std::int64_t{1} << 40);
  queue.insert(near, 1);
  EXPECT_EQ(pop_all(queue), (std::vector<std::uint32_t>{1, 2, 3, 4, 5, 6}));
  EXPECT_EQ(last.time(), kEnd);
}

TEST(TimerQueue, ATimeThatHasPassedCountsAsTheLastPopped) {
  TimerQueue queue;
  Entry now(1), past(2), negative(3);
  queue.insert(now, 500);
  EXPECT_EQ(queue.pop(kEnd), &now);
  queue.insert(past, 499);
  queue.insert(negative, -7);
  EXPECT_EQ(past.time(), 500);
  EXPECT_EQ(pop_all(queue, 500), (std::vector<std::uint32_t>{2, 3}));
}

TEST(TimerQueue, InsertingAQueuedEntryMovesItBehind) {
  TimerQueue queue;
  Entry a(1), b(2);
  queue.insert(a, 10);
  queue.insert(b, 10);
  queue.insert(a, 10);
  EXPECT_EQ(pop_all(queue), (std::vector<std::uint32_t>{2, 1}));
}

TEST(TimerQueue, ADestroyedEntryIsGone) {
  TimerQueue queue;
  Entry stays(2);
  {
    Entry goes(1);
    queue.insert(goes, 100'000);
    queue.insert(stays, 200'000);
  }
  EXPECT_EQ(queue.next_time(-1), 200'000);
  EXPECT_EQ(queue.pop(kEnd), &stays);
  EXPECT_FALSE(stays.linked());
}

TEST(TimerQueue, SkipChoosesAmongEqualTimesOnly) {
  TimerQueue queue;
  Entry a(1), b(2), c(3), later(4);
  for (Entry* entry : {&a, &b, &c}) queue.insert(*entry, 10);
  queue.insert(later, 11);
  EXPECT_EQ(queue.pop(kEnd, 1), &b);
  EXPECT_EQ(queue.pop(kEnd, 7), &c);  // The last of them.
  EXPECT_EQ(queue.pop(kEnd, 7), &a);
  EXPECT_EQ(queue.pop(kEnd, 7), &later);
}

TEST(TimerQueue, CountsTheEntriesOfTheNextTimeUpToABound) {
  TimerQueue queue;
  Entry a(1), b(2), c(3), later(4);
  EXPECT_EQ(queue.count_due(9), 0u);
  for (Entry* entry : {&a, &b, &c}) queue.insert(*entry, 100'000);
  queue.insert(later, 100'001);
  ASSERT_TRUE(queue.prepare(kEnd));
  EXPECT_EQ(queue.count_due(9), 3u);
  EXPECT_EQ(queue.count_due(2), 2u);
  EXPECT_EQ(queue.pop(kEnd, 1), &b);
  ASSERT_TRUE(queue.prepare(kEnd));
  EXPECT_EQ(queue.count_due(9), 2u);
}

TEST(TimerQueue, ForEachVisitsEveryQueuedEntryOnce) {
  TimerQueue queue;
  std::deque<Entry> entries;
  std::multiset<std::uint32_t> expected;
  for (std::uint32_t i = 0; i < 60; ++i) {
    entries.emplace_back(i);
    queue.insert(entries.back(), std::int64_t{1} << i);
    expected.insert(i);
  }
  queue.insert(entries[7], 0);  // Due at once.
  entries[9].unlink();
  expected.erase(9);
  std::multiset<std::uint32_t> visited;
  queue.for_each([&](Wakeup& entry) { visited.insert(entry.subject()); });
  EXPECT_EQ(visited, expected);
}

// Random insertions (near, equal, far), moves, removals and pops, each compared with the model.
class Model {
 public:
  explicit Model(std::uint64_t seed) : random_(seed, "timer-queue"), entries_(300) {
    for (auto& entry : entries_) unqueued_.push_back(&entry);
  }

  void step() {
    const std::uint64_t choice = random_.below(10);
    if (choice < 4) insert();
    if (choice == 4) remove();
    if (choice == 5) move();
    if (choice > 5) pop();
    check_next_time();
  }
  void drain() {
    while (!model_.empty()) {
      expect_pop(kEnd);
      check_next_time();
    }
    EXPECT_EQ(queue_.pop(kEnd), nullptr);
  }

 private:
  std::int64_t draw_time() {
    static constexpr std::array<int, 8> kBits = {0, 3, 6, 7, 13, 20, 40, 62};
    const int bits = kBits[random_.below(kBits.size())];
    const std::uint64_t distance = random_.below((std::uint64_t{1} << bits) + 1);
    if (random_.below(8) == 0) return base_ - static_cast<std::int64_t>(distance % 100);
    const std::uint64_t room = static_cast<std::uint64_t>(kEnd - base_);
    return base_ + static_cast<std::int64_t>(distance > room ? room : distance);
  }
  void queue_at(Entry& entry, std::int64_t time) {
    queue_.insert(entry, time);
    model_.emplace(time < base_ ? base_ : time, &entry);
  }
  void insert() {
    if (unqueued_.empty()) return;
    Entry* const entry = unqueued_.back();
    unqueued_.pop_back();
    queue_at(*entry, draw_time());
  }
  std::multimap<std::int64_t, Entry*>::iterator any() {
    auto at = model_.begin();
    std::advance(at, random_.below(model_.size()));
    return at;
  }
  void remove() {
    if (model_.empty()) return;
    const auto at = any();
    at->second->unlink();
    unqueued_.push_back(at->second);
    model_.erase(at);
  }
  void move() {
    if (model_.empty()) return;
    const auto at = any();
    Entry* const entry = at->second;
    model_.erase(at);
    queue_at(*entry, draw_time());
  }
  void pop() { expect_pop(draw_time()); }
  void expect_pop(std::int64_t limit) {
    Wakeup* const popped = queue_.pop(limit);
    if (model_.empty() || model_.begin()->first > limit) {
      ASSERT_EQ(popped, nullptr);
      return;
    }
    const auto first = model_.begin();
    ASSERT_EQ(popped, first->second);
    ASSERT_EQ(popped->time(), first->first);
    base_ = first->first;
    unqueued_.push_back(first->second);
    model_.erase(first);
  }
  void check_next_time() {
    ASSERT_EQ(queue_.next_time(-1), model_.empty() ? -1 : model_.begin()->first);
  }

  RandomStream random_;
  std::deque<Entry> entries_;
  std::vector<Entry*> unqueued_;
  std::multimap<std::int64_t, Entry*> model_;
  std::int64_t base_ = 0;
  TimerQueue queue_;
};

TEST(TimerQueue, EqualsAMultimapUnderRandomOperations) {
  for (std::uint64_t seed = 0; seed < 40; ++seed) {
    Model model(seed);
    for (int i = 0; i < 2'000; ++i) {
      model.step();
      ASSERT_FALSE(testing::Test::HasFatalFailure()) << "seed " << seed << ", step " << i;
    }
    model.drain();
    ASSERT_FALSE(testing::Test::HasFatalFailure()) << "seed " << seed;
  }
}

}  // namespace
}  // namespace drydock
