// Files under random operations, kills and power cuts: whatever is found afterwards, the contract
// in engine/runtime/file_system.hpp must allow it (tests/support/file_model.hpp says what that
// means).
#include <gtest/gtest.h>
#include <rapidcheck.h>
#include <rapidcheck/gtest.h>

#include "tests/property/file_trial.hpp"

namespace drydock::test {

// How RapidCheck prints a step.
void showValue(const Step& step, std::ostream& os) {
  os << kActs[static_cast<int>(step.act)] << " /" << step.file << " other /" << step.other << " ["
     << step.offset << ", +" << step.length << ")";
  if (step.blow == Blow::kill) os << " KILL after " << step.events;
  if (step.blow == Blow::power_cut) os << " POWER CUT after " << step.events;
}

namespace {

rc::Gen<Step> steps() {
  using rc::gen::inRange;
  const auto act = rc::gen::map(inRange(0, static_cast<int>(Act::count_)),
                                [](int number) { return static_cast<Act>(number); });
  const auto blow =
      rc::gen::weightedElement<Blow>({{14, Blow::none}, {3, Blow::kill}, {3, Blow::power_cut}});
  // Near the edges of pages and sectors, or anywhere.
  const auto edge = rc::gen::map(inRange(0, 49), [](int sector) { return sector * 512; });
  const auto place = rc::gen::oneOf(edge, inRange(0, static_cast<int>(kBytesMax)));
  return rc::gen::build<Step>(
      rc::gen::set(&Step::act, act), rc::gen::set(&Step::file, inRange(0, 3)),
      rc::gen::set(&Step::other, inRange(0, 3)), rc::gen::set(&Step::offset, place),
      rc::gen::set(&Step::length, place), rc::gen::set(&Step::blow, blow),
      rc::gen::set(&Step::events, inRange(0, 12)));
}

void check(FileWorldOptions options) {
  options.kernel.seed = *rc::gen::arbitrary<std::uint64_t>();
  options.kernel.perturb_schedule = *rc::gen::arbitrary<bool>();
  const auto plan = *rc::gen::container<std::vector<Step>>(steps());
  Trial trial(options);
  for (const Step& step : plan) {
    const std::string trouble = trial.take(step);
    if (!trouble.empty()) RC_FAIL(trouble);
  }
  const std::string trouble = trial.finally();
  if (!trouble.empty()) RC_FAIL(trouble);
}

FileWorldOptions on(sim::DiskProfile profile, sim::DiskPlacement placement,
                    sim::FileSystemOptions files = {}) {
  return {.disk = {.name = "d0",
                   .capacity_bytes = 64 << 20,
                   .profile = std::move(profile),
                   .placement = placement},
          .files = files};
}

RC_GTEST_PROP(FileLaws, SyncedBytesSurviveOnAnNvmeDisk, ()) {
  check(on(sim::local_nvme(), sim::DiskPlacement::local));
}

RC_GTEST_PROP(FileLaws, SyncedBytesSurviveOnADiskWithAVolatileCache, ()) {
  check(on(sim::sata_ssd(), sim::DiskPlacement::local));
}

RC_GTEST_PROP(FileLaws, SyncedBytesSurviveOnACloudDisk, ()) {
  check(on(sim::cloud_essd_pl1(64 << 20), sim::DiskPlacement::remote));
}

// The log is always nearly full: handles wait for checkpoints.
RC_GTEST_PROP(FileLaws, SyncedBytesSurviveWithATinyJournal, ()) {
  check(on(sim::sata_ssd(), sim::DiskPlacement::local, {.journal_bytes = 16 << 12}));
}

RC_GTEST_PROP(FileLaws, SyncedBytesSurviveIfBlocksCountFromTheirAllocationOn, ()) {
  check(on(sim::sata_ssd(), sim::DiskPlacement::local, {.dioread_nolock = false}));
}

RC_GTEST_PROP(FileLaws, SyncedBytesSurviveWithoutBarriersIfThereIsNoCache, ()) {
  check(on(sim::local_nvme(), sim::DiskPlacement::local, {.lazytime = true, .barrier = false}));
}

RC_GTEST_PROP(FileLaws, SyncedBytesSurviveOnXfs, ()) {
  check(on(sim::sata_ssd(), sim::DiskPlacement::local, {.kind = sim::FsKind::xfs}));
}

}  // namespace
}  // namespace drydock::test
