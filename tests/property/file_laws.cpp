// Files under random operations, and kills, panics and losses of power of host and disk at any
// event of the kernel: whatever is found afterwards, the contract in engine/runtime/file_system.hpp
// must allow it (tests/support/file_model.hpp says what that means).
//
// The laws have teeth: on a disk that acknowledges flushes without obeying them, and with a mount
// that never flushes a volatile cache, they are broken. So is the law that a sync of a file keeps
// its name, by a file system that makes names durable with their directory.
#include <gtest/gtest.h>
#include <rapidcheck.h>
#include <rapidcheck/gtest.h>

#include "tests/property/file_trial.hpp"

namespace drydock::test {

// How RapidCheck prints a step.
void showValue(const Step& step, std::ostream& os) {
  os << kActs[static_cast<int>(step.act)] << " /" << step.file << " other /" << step.other << " ["
     << step.offset << ", +" << step.length << ")";
  if (step.blow != Blow::none) {
    os << " " << kBlows[static_cast<int>(step.blow)] << " after " << step.events;
  }
}

namespace {

enum class Blows { all, of_the_host_alone };

rc::Gen<Step> steps(Blows blows = Blows::all, Others others = Others::none) {
  using rc::gen::inRange;
  const auto any = rc::gen::map(inRange(0, static_cast<int>(Act::count_)),
                                [](int number) { return static_cast<Act>(number); });
  // A sync of new pages while the transaction is full.
  const auto crowded =
      rc::gen::element(Act::append, Act::touch_others, Act::touch_others, Act::sync_data);
  const auto act = others == Others::none ? any : rc::gen::oneOf(any, crowded);
  const auto blow =
      blows == Blows::all
          ? rc::gen::weightedElement<Blow>({{28, Blow::none},
                                            {5, Blow::kill},
                                            {5, Blow::power_cut},
                                            {2, Blow::both},
                                            {1, Blow::disk_first},
                                            {2, Blow::panic}})
          : rc::gen::weightedElement<Blow>({{14, Blow::none}, {3, Blow::kill}, {3, Blow::panic}});
  const auto few = inRange(0, 12);
  const auto events = rc::gen::oneOf(few, few, inRange(0, 400));
  // Near the edges of pages and sectors, or anywhere.
  const auto edge = rc::gen::map(inRange(0, 49), [](int sector) { return sector * 512; });
  const auto place = rc::gen::oneOf(edge, inRange(0, static_cast<int>(kBytesMax)));
  return rc::gen::build<Step>(
      rc::gen::set(&Step::act, act), rc::gen::set(&Step::file, inRange(0, 3)),
      rc::gen::set(&Step::other, inRange(0, 3)), rc::gen::set(&Step::offset, place),
      rc::gen::set(&Step::length, place), rc::gen::set(&Step::blow, blow),
      rc::gen::set(&Step::events, events));
}

std::string play(Trial& trial, const std::vector<Step>& plan) {
  for (const Step& step : plan) {
    std::string trouble = trial.take(step);
    if (!trouble.empty()) return trouble;
  }
  return trial.finally();
}

void check(FileWorldOptions options, Blows blows = Blows::all, Others others = Others::none) {
  options.kernel.seed = *rc::gen::arbitrary<std::uint64_t>();
  options.kernel.perturb_schedule = *rc::gen::arbitrary<bool>();
  const auto plan = *rc::gen::container<std::vector<Step>>(steps(blows, others));
  Trial trial(options, Flushes::obeyed, others);
  const std::string trouble = play(trial, plan);
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

// The log is always nearly full: handles wait for checkpoints; or has some room, and what fills up
// is the transaction, with four or eight blocks.
sim::FileSystemOptions with_tiny_log(sim::FsKind kind) {
  const std::int64_t blocks = *rc::gen::element(16, 32);
  return {.kind = kind, .journal_bytes = blocks << 12};
}
RC_GTEST_PROP(FileLaws, SyncedBytesSurviveWithATinyJournal, ()) {
  check(on(sim::sata_ssd(), sim::DiskPlacement::local, with_tiny_log(sim::FsKind::ext4)),
        Blows::all, Others::some);
}

RC_GTEST_PROP(FileLaws, SyncedBytesSurviveWithATinyLogOfXfs, ()) {
  check(on(sim::sata_ssd(), sim::DiskPlacement::local, with_tiny_log(sim::FsKind::xfs)), Blows::all,
        Others::some);
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

RC_GTEST_PROP(FileLaws, SyncedBytesSurviveIfNothingOrdersData, ()) {
  check(on(sim::sata_ssd(), sim::DiskPlacement::local,
           {.data = sim::DataMode::writeback, .dioread_nolock = false}));
}

RC_GTEST_PROP(FileLaws, SyncedBytesSurviveInTheJournal, ()) {
  const sim::FileSystemOptions files{.data = sim::DataMode::journal};
  check(on(sim::sata_ssd(), sim::DiskPlacement::local, files));
}

// A transaction has room for a few pages, and the log is always nearly full.
RC_GTEST_PROP(FileLaws, SyncedBytesSurviveInATinyJournal, ()) {
  const sim::FileSystemOptions files{.journal_bytes = 64 << 12, .data = sim::DataMode::journal};
  check(on(sim::sata_ssd(), sim::DiskPlacement::local, files), Blows::all, Others::some);
}

// Wherever in its log the file system is. What a checkpoint writes home while a commit flushes the
// disk is not durable by that flush, so that commit may not give up its place in the log.
TEST(FileLaws, SyncedBytesSurviveFromEveryPlaceOfTheLog) {
  const sim::FileSystemOptions files{.journal_bytes = 64 << 12, .data = sim::DataMode::journal};
  for (int before = 0; before < 250; ++before) {
    FileWorldOptions options = on(sim::sata_ssd(), sim::DiskPlacement::local, files);
    options.kernel.seed = static_cast<std::uint64_t>(before) + 1;
    Trial trial(options);
    std::vector<Step> plan;
    for (int i = 0; i < before; ++i) {
      plan.push_back({.act = Act::truncate, .file = 1, .offset = i % 5 * 600});
      plan.push_back({.act = Act::sync_all, .file = 1});
    }
    plan.push_back({.act = Act::write, .length = 1});
    plan.push_back({.act = Act::sync_all});
    plan.push_back({.act = Act::create, .blow = Blow::kill, .events = 4});
    plan.push_back({.act = Act::truncate, .offset = 512});
    plan.push_back({.act = Act::sync_all});
    EXPECT_EQ(play(trial, plan), "") << before << " commits before";
  }
}

RC_GTEST_PROP(FileLaws, SyncedBytesSurviveWhereNamesTakeASyncOfTheDirectory, ()) {
  sim::FileSystemOptions files{.names = sim::NamesDurable::with_directory_sync};
  files.kind = *rc::gen::element(sim::FsKind::ext4, sim::FsKind::xfs);
  check(on(sim::sata_ssd(), sim::DiskPlacement::local, files));
}

// A panic leaves the disk its power, and so its cache.
RC_GTEST_PROP(FileLaws, SyncedBytesSurvivePanicsWithoutBarriers, ()) {
  check(on(sim::sata_ssd(), sim::DiskPlacement::remote, {.barrier = false}),
        Blows::of_the_host_alone);
}

// Any of them together, on any kernel, with and without a shortage of memory.
FileWorldOptions any_world() {
  using rc::gen::arbitrary;
  using rc::gen::element;
  const sim::DiskProfile profile =
      *element(sim::local_nvme(), sim::sata_ssd(), sim::cloud_essd_pl1(64 << 20));
  const sim::DiskPlacement placement =
      *element(sim::DiskPlacement::local, sim::DiskPlacement::remote);
  sim::FileSystemOptions files;
  files.kind = *element(sim::FsKind::ext4, sim::FsKind::ext4, sim::FsKind::xfs);
  const bool tiny_journal = *arbitrary<bool>();
  files.commit_interval = *element(Duration::s(5), Duration::ms(1));
  files.data = *element(sim::DataMode::ordered, sim::DataMode::writeback, sim::DataMode::journal);
  // Data takes more of it.
  const std::int64_t tiny = files.data == sim::DataMode::journal ? 64 : *element(16, 32);
  if (tiny_journal) files.journal_bytes = tiny << 12;
  files.dioread_nolock = *arbitrary<bool>();
  files.abort_on_data_error = *arbitrary<bool>();
  files.shadow_until_committed = *arbitrary<bool>();
  files.lazytime = *arbitrary<bool>();
  files.names = *element(sim::NamesDurable::with_any_commit, sim::NamesDurable::with_any_commit,
                         sim::NamesDurable::with_directory_sync);
  if (!profile.volatile_cache) files.barrier = *arbitrary<bool>();
  sim::PageCacheOptions& cache = files.page_cache;
  cache.kernel = *element(sim::kernel_el7(), sim::kernel_el8(), sim::kernel_6x());
  cache.kernel.folio_pages_max = *element<std::int64_t>(1, 4);
  cache.command_bytes = *element<std::int64_t>(1 << 20, 4096);
  FileWorldOptions options = on(profile, placement, files);
  const bool scarce = *arbitrary<bool>();
  if (scarce) options.memory = {.bytes = std::int64_t{8} << 30, .group_limit_bytes = 128 << 10};
  return options;
}
RC_GTEST_PROP(FileLaws, SyncedBytesSurviveWithAnyMountOptions, ()) {
  check(any_world(), Blows::all, *rc::gen::element(Others::none, Others::some));
}

// Whether one of some plans breaks the law.
bool breaks(const FileWorldOptions& options, Flushes flushes, NamesLaw names) {
  for (std::uint64_t seed = 1; seed <= 300; ++seed) {
    const auto plan = rc::gen::container<std::vector<Step>>(steps())(rc::Random(seed), 60).value();
    FileWorldOptions seeded = options;
    seeded.kernel.seed = seed;
    Trial trial(seeded, flushes, Others::none, names);
    if (!play(trial, plan).empty()) return true;
  }
  return false;
}

bool breaks(const FileWorldOptions& options, Flushes flushes) {
  return breaks(options, flushes, names_law(options.files));
}

TEST(FileLaws, AreBrokenByADiskThatLiesAboutFlushes) {
  const FileWorldOptions world = on(sim::sata_ssd(), sim::DiskPlacement::local);
  EXPECT_TRUE(breaks(world, Flushes::acknowledged_only));
  EXPECT_FALSE(breaks(world, Flushes::obeyed));
}

TEST(FileLaws, AreBrokenByAMountThatNeverFlushesAVolatileCache) {
  EXPECT_TRUE(
      breaks(on(sim::sata_ssd(), sim::DiskPlacement::local, {.barrier = false}), Flushes::obeyed));
}

TEST(FileLaws, AreBrokenByAFileSystemThatKeepsTheNameOfASyncedFileForItsDirectory) {
  const FileWorldOptions world = on(sim::local_nvme(), sim::DiskPlacement::local,
                                    {.names = sim::NamesDurable::with_directory_sync});
  EXPECT_TRUE(breaks(world, Flushes::obeyed, NamesLaw::with_any_sync));
  EXPECT_FALSE(breaks(world, Flushes::obeyed, NamesLaw::with_directory_sync));
}

}  // namespace
}  // namespace drydock::test
