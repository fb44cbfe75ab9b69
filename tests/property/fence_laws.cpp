// No write of a host that does not hold the disk changes its media, under any schedule of
// reservation type 1 and preempt-and-abort: hosts register, acquire, preempt and write with
// commands in flight, the device hangs, fails, is slow, loses its power (with and without
// persistence of reservations), hosts lose theirs, links are cut, time-outs abort and reset.
// fence_trial.hpp says who may.
//
// The law has teeth: with a plain preempt it is broken, both by commands that a hang delays and by
// commands that a lost link delivers late.
#include <gtest/gtest.h>
#include <rapidcheck.h>
#include <rapidcheck/gtest.h>

#include "tests/property/fence_trial.hpp"

namespace drydock::test {

// How RapidCheck prints a step.
void showValue(const FenceStep& step, std::ostream& os) {
  os << kFenceActs[static_cast<int>(step.act)] << " host " << step.host << " other " << step.other
     << " block " << step.block << " +" << step.length << " variant " << step.variant << " then "
     << step.events << " events";
}

namespace {

rc::Gen<std::vector<FenceStep>> plans() {
  using rc::gen::inRange;
  using rc::gen::set;
  const auto act = rc::gen::weightedElement<FenceAct>({{4, FenceAct::add},
                                                       {2, FenceAct::acquire},
                                                       {6, FenceAct::preempt},
                                                       {14, FenceAct::write},
                                                       {2, FenceAct::flush},
                                                       {3, FenceAct::hang},
                                                       {2, FenceAct::end_hang},
                                                       {1, FenceAct::slow},
                                                       {1, FenceAct::fail},
                                                       {2, FenceAct::cut},
                                                       {1, FenceAct::mend},
                                                       {1, FenceAct::device_power},
                                                       {1, FenceAct::host_power},
                                                       {1, FenceAct::panic},
                                                       {3, FenceAct::wait}});
  return rc::gen::container<std::vector<FenceStep>>(rc::gen::build<FenceStep>(
      set(&FenceStep::act, act), set(&FenceStep::host, inRange(0, FenceTrial::kHosts)),
      set(&FenceStep::other, inRange(0, FenceTrial::kHosts)),
      set(&FenceStep::block, inRange(0, FenceTrial::kBlocks)),
      set(&FenceStep::length, inRange(1, 3)), set(&FenceStep::variant, inRange(0, 18)),
      set(&FenceStep::events, inRange(0, 8))));
}

std::string play(FenceTrial& trial, const std::vector<FenceStep>& plan) {
  for (const FenceStep& step : plan) {
    std::string trouble = trial.take(step);
    if (!trouble.empty()) return trouble;
  }
  return trial.finally();
}

sim::DiskProfile with_time_outs(sim::DiskProfile profile = flat_profile()) {
  profile.io_timeout = Duration::ms(1);
  profile.write_servers = 2;  // So that some wait.
  return profile;
}
sim::DiskProfile with_a_cache() {
  sim::DiskProfile profile = with_time_outs();
  profile.volatile_cache = true;
  profile.cache_bytes = 16 * sim::kPageBytes;
  return profile;
}

void check(FenceOptions options) {
  options.seed = *rc::gen::arbitrary<std::uint64_t>();
  const bool persist = *rc::gen::arbitrary<bool>();
  if (persist) options.persist = PersistThroughPowerLoss::set;
  FenceTrial trial(options);
  const std::string trouble = play(trial, *plans());
  RC_CLASSIFY(trial.remnants_landed() > 0, "what was sent before lands");
  RC_CLASSIFY(trial.passes() > 3, "the disk changes hands");
  if (!trouble.empty()) RC_FAIL(trouble);
}

RC_GTEST_PROP(FenceLaws, NoWriteOfANonHolderLandsByTheSpecification, ()) {
  check({.profile = with_time_outs()});
}

RC_GTEST_PROP(FenceLaws, NoWriteOfANonHolderLandsOnADiskWithAVolatileCache, ()) {
  check({.profile = with_a_cache()});
}

RC_GTEST_PROP(FenceLaws, NoWriteOfANonHolderLandsOnNvmet, ()) {
  check({.reservations = sim::nvmet_reservations(), .profile = with_time_outs()});
}

RC_GTEST_PROP(FenceLaws, NoWriteOfANonHolderLandsOnSpdk, ()) {
  check({.reservations = sim::spdk_reservations(), .profile = with_time_outs()});
}

// The first of some plans that breaks the law, of those `chosen` leaves; empty: none does.
std::string first_break(const FenceOptions& options, bool (*chosen)(FenceAct)) {
  for (std::uint64_t seed = 1; seed <= 300; ++seed) {
    std::vector<FenceStep> plan = plans()(rc::Random(seed), 100).value();
    std::erase_if(plan, [chosen](const FenceStep& step) { return !chosen(step.act); });
    FenceOptions seeded = options;
    seeded.seed = seed;
    FenceTrial trial(seeded);
    std::string trouble = play(trial, plan);
    if (!trouble.empty()) return trouble;
  }
  return "";
}
bool reservations_and(FenceAct act) {
  return act == FenceAct::add || act == FenceAct::acquire || act == FenceAct::preempt ||
         act == FenceAct::write || act == FenceAct::wait;
}

TEST(FenceLaws, APlainPreemptBreaksThem) {
  EXPECT_NE(first_break({.preempt = sim::AcquireAction::preempt}, reservations_and), "");
}

TEST(FenceLaws, APlainPreemptBreaksThemWhenALostLinkDeliversLate) {
  const auto cuts = [](FenceAct act) { return reservations_and(act) || act == FenceAct::cut; };
  const FenceOptions plain{.preempt = sim::AcquireAction::preempt};
  EXPECT_NE(first_break(plain, cuts), "");
  EXPECT_EQ(first_break({}, cuts), "");
}

// By hand: a write is held back, its host preempted without abort, and the write lands afterwards.
TEST(FenceLaws, AWriteThatAHangHeldBackLandsAfterAPlainPreempt) {
  const std::vector<FenceStep> plan = {{.act = FenceAct::hang, .events = 0},
                                       {.act = FenceAct::write, .events = 3},
                                       {.act = FenceAct::preempt, .host = 1, .events = 3},
                                       {.act = FenceAct::end_hang, .events = 3}};
  FenceTrial plain({.preempt = sim::AcquireAction::preempt});
  EXPECT_NE(play(plain, plan), "");
  FenceTrial aborting({});
  EXPECT_EQ(play(aborting, plan), "");
  EXPECT_EQ(aborting.passes(), 2);
}

}  // namespace
}  // namespace drydock::test
