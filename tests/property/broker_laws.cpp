// The laws of tests/property/broker_model.hpp, for a whole broker that is killed, loses its power
// and is restarted at any time, in every mode of flushing.
//
// They have teeth: with any one of the switches below as RocketMQ has it, or with one of the
// planted mistakes, some plan breaks them.
#include <gtest/gtest.h>
#include <rapidcheck.h>
#include <rapidcheck/gtest.h>

#include <variant>

#include "tests/property/broker_trial.hpp"

namespace drydock::test {
namespace {

enum class Blows { all, kills };

rc::Gen<Step> steps(Blows blows) {
  using rc::gen::inRange;
  const int cuts = blows == Blows::all ? 6 : 0;
  const auto act = rc::gen::weightedElement<Act>({{12, Act::send},
                                                  {14, Act::burst},
                                                  {4, Act::batch},
                                                  {5, Act::send_delayed},
                                                  {14, Act::pull},
                                                  {5, Act::send_back},
                                                  {8, Act::commit},
                                                  {10, Act::wait},
                                                  {7, Act::kill},
                                                  {static_cast<std::size_t>(cuts), Act::cut_power},
                                                  {3, Act::restart}});
  const auto pause =
      rc::gen::oneOf(rc::gen::just(0), inRange(0, 400), inRange(0, 4'000), inRange(0, 40'000));
  const auto wait = rc::gen::oneOf(inRange(0, 100), inRange(0, 2'000), inRange(0, 30'000));
  const auto bytes = rc::gen::oneOf(inRange(1, 200), inRange(1, 200), inRange(1, 4'000));
  const auto again = rc::gen::oneOf(rc::gen::just(0), rc::gen::just(0), inRange(0, 30'000));
  return rc::gen::build<Step>(
      rc::gen::set(&Step::act, act), rc::gen::set(&Step::queue, inRange(0, kQueues)),
      rc::gen::set(&Step::count, inRange(1, 10)), rc::gen::set(&Step::bytes, bytes),
      rc::gen::set(&Step::level, inRange(1, 3)), rc::gen::set(&Step::pause_us, pause),
      rc::gen::set(&Step::wait_ms, wait), rc::gen::set(&Step::again_us, again));
}
using Plan = std::vector<Step>;

std::string play(const TrialOptions& options, const Plan& plan) {
  BrokerTrial trial(options);
  for (const Step& step : plan) {
    const std::string trouble = trial.take(step);
    if (!trouble.empty()) return trouble;
  }
  return trial.finally();
}

enum class Crc { of_the_body, of_the_record };

void check(FlushDiskType flush, std::string_view preset, Blows blows, Crc crc = Crc::of_the_body,
           Pool pool = Pool::off) {
  TrialOptions options{.flush = flush, .behaviour = *Behaviour::preset(preset), .pool = pool};
  options.append_prop_crc = options.verify_prop_crc = crc == Crc::of_the_record;
  options.torn = crc == Crc::of_the_record ? Torn::never : Torn::perhaps;
  options.seed = *rc::gen::arbitrary<std::uint64_t>();
  const bool cached = *rc::gen::arbitrary<bool>();
  options.disk = cached ? sim::sata_ssd() : sim::local_nvme();
  options.names =
      *rc::gen::element(sim::NamesDurable::with_any_commit, sim::NamesDurable::with_directory_sync);
  options.index_may_forget =
      options.behaviour.faithful(BehaviourSwitch::index_forgets_unfinished_file);
  const auto plan = *rc::gen::container<Plan>(steps(blows));
  const std::string trouble = play(options, plan);
  if (!trouble.empty()) RC_FAIL(trouble);
}

RC_GTEST_PROP(BrokerLaws, HoldWithSyncFlush, ()) {
  check(FlushDiskType::sync_flush, "hardened", Blows::all);
}

RC_GTEST_PROP(BrokerLaws, HoldWithAsyncFlush, ()) {
  check(FlushDiskType::async_flush, "hardened", Blows::all);
}

RC_GTEST_PROP(BrokerLaws, HoldWithTheTransientPool, ()) {
  check(FlushDiskType::async_flush, "hardened", Blows::all, Crc::of_the_body, Pool::on);
}

// Then no record is torn, either.
RC_GTEST_PROP(BrokerLaws, HoldWithThePropertyCrc, ()) {
  const bool sync = *rc::gen::arbitrary<bool>();
  check(sync ? FlushDiskType::sync_flush : FlushDiskType::async_flush, "hardened", Blows::all,
        Crc::of_the_record);
}

// As RocketMQ is, a kill loses nothing that was answered, and every other law but (9) holds: the
// keys of the unfinished file of the index are forgotten.
RC_GTEST_PROP(BrokerLaws, HoldForRocketMqAsItIsIfItsPowerStays, ()) {
  const bool sync = *rc::gen::arbitrary<bool>();
  check(sync ? FlushDiskType::sync_flush : FlushDiskType::async_flush, "rocketmq-5.3.3",
        Blows::kills);
}

// What leads to the hazard of one switch, or of one planted mistake, again and again.
struct Story {
  std::variant<BehaviourSwitch, SeededBug> hazard;
  FlushDiskType flush;
  std::vector<Act> acts;
  int bytes = 100;       // Of each body.
  int pause_us = 0;      // At most, behind an act that sends.
  int wait_ms = 0;       // At least.
  int wait_more_ms = 0;  // At most so much more.
  sim::NamesDurable names = sim::NamesDurable::with_any_commit;
};

const std::vector<Story>& stories() {
  using enum Act;
  constexpr auto kSync = FlushDiskType::sync_flush;
  constexpr auto kAsync = FlushDiskType::async_flush;
  static const std::vector<Story> all = {
      // What a flush was to cover is in the page cache alone; consumers see it all the same.
      {BehaviourSwitch::recovery_counts_tail_as_flushed,
       kSync,
       {send, wait, burst, kill, pull, cut_power},
       100,
       1'500,
       20,
       20},
      // Units of files in front of the one with which recovery begins.
      {BehaviourSwitch::checkpoint_ahead_of_queues,
       kSync,
       {burst, wait, burst, wait, burst, wait, cut_power},
       3'900,
       0,
       2'000,
       3'000},
      // The checkpoint moves on each minute.
      {BehaviourSwitch::index_forgets_unfinished_file,
       kSync,
       {burst, wait, burst, wait, kill},
       3'900,
       0,
       62'000,
       8'000},
      // The first file of topics.
      {BehaviourSwitch::config_rewritten_in_place, kSync, {burst, cut_power}, 100, 20'000},
      // Offsets are written 10 s after the start, and every 5 s.
      {BehaviourSwitch::offsets_may_exceed_queue,
       kAsync,
       {wait, burst, pull, commit, cut_power},
       100,
       300'000,
       9'300,
       600},
      {BehaviourSwitch::internal_writes_not_awaited,
       kSync,
       {burst, wait, pull, send_back, wait, send_back, cut_power},
       100,
       1'500,
       20,
       20},
      // Whole files of what is acknowledged, between two commits of the file system.
      {BehaviourSwitch::files_names_not_synced,
       kSync,
       {wait, burst, wait, burst, cut_power},
       3'900,
       1'500,
       200,
       1'000,
       sim::NamesDurable::with_directory_sync},
  };
  return all;
}

const std::vector<Story>& stories_of_bugs() {
  using enum Act;
  static const std::vector<Story> all = {
      {SeededBug::ack_before_flush,
       FlushDiskType::sync_flush,
       {send, wait, burst, cut_power},
       100,
       1'500,
       20,
       20},
      {SeededBug::ack_before_append, FlushDiskType::sync_flush, {burst, kill}, 100, 400'000},
      {SeededBug::dispatch_skips_tail, FlushDiskType::sync_flush, {burst, cut_power}, 100, 30'000},
      {SeededBug::recovery_keeps_torn_record,
       FlushDiskType::sync_flush,
       {send, wait, burst, cut_power},
       3'900,
       3'000,
       20,
       20},
  };
  return all;
}

void plant(TrialOptions& options, const Story& story) {
  if (const auto* const which = std::get_if<BehaviourSwitch>(&story.hazard)) {
    options.behaviour.set(*which, BehaviourValue::faithful);
  } else {
    options.bugs.plant(std::get<SeededBug>(story.hazard));
  }
}

std::string name_of_hazard(const Story& story) {
  return std::visit([](auto hazard) { return std::string(name_of(hazard)); }, story.hazard);
}

Plan plan_of(const Story& story, std::uint64_t seed) {
  RandomStream random(seed, "story");
  const auto below = [&](int bound) {
    return bound > 0 ? static_cast<int>(random.below(static_cast<std::uint64_t>(bound))) : 0;
  };
  Plan plan;
  for (int round = 0; round < 4; ++round) {
    for (const Act act : story.acts) {
      Step step{.act = act, .count = 3 + below(7), .bytes = story.bytes};
      step.wait_ms = story.wait_ms + below(story.wait_more_ms);
      step.pause_us = act == Act::pull ? 5'000 : below(story.pause_us);
      plan.push_back(step);
    }
  }
  return plan;
}

TrialOptions hardened() { return {.behaviour = *Behaviour::preset("hardened")}; }

// The first plan of a story that breaks a law, and which; 0: none of so many.
struct Broken {
  std::uint64_t seed = 0;
  std::string trouble;
};
Broken first_broken(const Story& story, TrialOptions options, std::uint64_t seeds) {
  options.flush = story.flush;
  options.names = story.names;
  for (std::uint64_t seed = 1; seed <= seeds; ++seed) {
    options.seed = seed;
    std::string trouble = play(options, plan_of(story, seed));
    if (!trouble.empty()) return {seed, std::move(trouble)};
  }
  return {};
}

constexpr std::uint64_t kSeeds = 100;

// Without the hazard the same plans break nothing.
void expect_broken_by_the_hazard_alone(const std::vector<Story>& stories) {
  for (const Story& story : stories) {
    TrialOptions planted = hardened();
    plant(planted, story);
    const Broken broken = first_broken(story, planted, kSeeds);
    EXPECT_GT(broken.seed, 0u) << name_of_hazard(story);
    const Broken without = first_broken(story, hardened(), broken.seed);
    EXPECT_EQ(without.trouble, "") << name_of_hazard(story) << ", plan " << without.seed;
  }
}

TEST(BrokerLaws, EverySwitchBreaksThem) { expect_broken_by_the_hazard_alone(stories()); }

TEST(BrokerLaws, PlantedMistakesBreakThem) { expect_broken_by_the_hazard_alone(stories_of_bugs()); }

// Without the property CRC, or if nobody compares it, a consumer gets a record that is torn at its
// properties.
TEST(BrokerLaws, OnlyThePropertyCrcSeesATornRecord) {
  using enum Act;
  const Story story{{}, FlushDiskType::sync_flush, {send, wait, burst, cut_power}, 100, 1'500, 20,
                    20};
  constexpr std::uint64_t kPlans = 400;  // A page has to end within the first property.
  TrialOptions options = hardened();
  options.torn = Torn::never;
  const Broken without = first_broken(story, options, kPlans);
  EXPECT_GT(without.seed, 0u);
  options.append_prop_crc = true;
  const Broken not_compared = first_broken(story, options, kPlans);
  EXPECT_GT(not_compared.seed, 0u);
  options.verify_prop_crc = true;
  const Broken compared = first_broken(story, options, std::max(without.seed, not_compared.seed));
  EXPECT_EQ(compared.trouble, "") << "plan " << compared.seed;
}

}  // namespace
}  // namespace drydock::test
