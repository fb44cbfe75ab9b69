// Disks, how they are mounted, and what of memory and dirty pages goes with them: what the loader
// takes, and what it refuses.
#include <gtest/gtest.h>

#include <algorithm>

#include "tests/support/scenario_text.hpp"

namespace drydock::scenarios {
namespace {

using test::Change;
using test::Json;

Drill read(const Change& change = {}) { return test::kBareScenario.read(change); }
std::string refusal(const Change& change) { return test::kBareScenario.refusal(change); }

Json& host(Json& json) { return json["topology"]["hosts"]["h"]; }
const HostSpec& host_of(const Drill& drill) {
  return *std::ranges::find(drill.hosts, "h", &HostSpec::name);
}

TEST(Disks, SayWhatTheHostsDriverDoes) {
  const auto disk = [](Json& j) -> Json& { return j["topology"]["hosts"]["h"]["disk"]; };
  const Drill drill = read([&](Json& j) {
    disk(j)["io_timeout"] = "5 s";
    disk(j)["links"] = 2;
    disk(j)["link_loss_timeout"] = "10 min";
  });
  const DiskSpec& spec = *std::ranges::find(drill.hosts, "h", &HostSpec::name)->disk;
  EXPECT_EQ(spec.io_timeout, Duration::s(5));
  EXPECT_EQ(spec.links, 2);
  EXPECT_EQ(spec.link_loss_timeout, Duration::s(600));
  EXPECT_EQ(refusal([&](Json& j) { disk(j)["io_timeout"] = "0 s"; }),
            "/topology/hosts/h/disk/io_timeout: must be at least 1 ms, or never");
  EXPECT_EQ(refusal([&](Json& j) { disk(j)["links"] = 0; }),
            "/topology/hosts/h/disk/links: must be an integer from 1 to 8");
}

TEST(Mounts, TakeTheOptionsOfTheirFileSystem) {
  EXPECT_EQ(host_of(read()).disk->mount, MountSpec());
  const Drill ext4 = read([](Json& j) {
    host(j)["disk"]["mount"] = {
        {"type", "ext4"},   {"data", "writeback"}, {"barrier", false}, {"errors", "remount-ro"},
        {"commit", "30 s"}, {"dioread", "lock"},   {"lazytime", true}, {"journal", "64 MiB"}};
  });
  EXPECT_EQ(host_of(ext4).disk->mount, (MountSpec{.journal_bytes = 64 << 20,
                                                  .barrier = false,
                                                  .lazytime = true,
                                                  .data = DataOption::writeback,
                                                  .dioread_nolock = false,
                                                  .errors = ErrorsOption::remount_ro,
                                                  .commit = Duration::s(30)}));
  const Drill journal =
      read([](Json& j) { host(j)["disk"]["mount"] = {{"type", "ext4"}, {"data", "journal"}}; });
  EXPECT_EQ(host_of(journal).disk->mount, MountSpec{.data = DataOption::journal});
  const Drill xfs = read(
      [](Json& j) { host(j)["disk"]["mount"] = {{"type", "xfs"}, {"names", "directory-sync"}}; });
  EXPECT_EQ(host_of(xfs).disk->mount,
            (MountSpec{.type = FileSystemType::xfs, .names_with_directory = true}));
}

TEST(Mounts, AreRefusedWithWhatContradicts) {
  const auto mount = [](const Json& json, const char* kernel = "6.x") {
    return refusal([&](Json& j) {
      host(j)["disk"]["mount"] = json;
      host(j)["kernel"] = kernel;
    });
  };
  const std::string at = "/topology/hosts/h/disk/mount";
  EXPECT_EQ(mount({{"type", "btrfs"}}), at + "/type: must be one of ext4, xfs");
  EXPECT_EQ(mount({{"data", "ordered"}}), at + ": 'type' is missing");
  EXPECT_EQ(mount({{"type", "xfs"}, {"data", "ordered"}}),
            at + "/data: is an option of ext4, not of xfs");
  EXPECT_EQ(mount({{"type", "xfs"}, {"errors", "panic"}}),
            at + "/errors: is an option of ext4, not of xfs");
  EXPECT_EQ(mount({{"type", "xfs"}, {"barrier", false}}),
            at + "/barrier: xfs has barriers always since Linux 4.19; kernel el7 and el8 can do "
                 "without");
  EXPECT_EQ(mount({{"type", "xfs"}, {"barrier", false}}, "el7"), "accepted");
  EXPECT_EQ(mount({{"type", "ext4"}, {"data", "none"}}),
            at + "/data: must be one of ordered, writeback, journal");
  EXPECT_EQ(mount({{"type", "ext4"}, {"data", "journal"}, {"dioread", "lock"}}),
            at + "/dioread: has no effect with data=journal, which has no direct I/O");
  EXPECT_EQ(mount({{"type", "ext4"}, {"data", "journal"}, {"data_err", "abort"}}),
            at + "/data_err: concerns the data of data=ordered alone");
  EXPECT_EQ(mount({{"type", "ext4"}, {"data", "writeback"}, {"data_err", "abort"}}),
            at + "/data_err: concerns the data of data=ordered alone");
  EXPECT_EQ(mount({{"type", "ext4"}, {"commit", "0 s"}}), at + "/commit: must be at least 1 s");
  EXPECT_EQ(mount({{"type", "ext4"}, {"journal", "1 MiB"}}),
            at + "/journal: must be at least 4 MiB and a multiple of 4 KiB");
  EXPECT_EQ(mount({{"type", "ext4"}, {"journal", "5 GiB"}}),
            at + "/journal: is more than half of the disk");
  EXPECT_EQ(mount({{"type", "xfs"}, {"journal", "2 GiB"}}),
            at + "/journal: is more than mkfs makes");
  EXPECT_EQ(mount({{"type", "ext4"}, {"noatime", true}}),
            at + "/noatime: not supported; known here: type, journal, barrier, lazytime, names, "
                 "data, dioread, data_err, errors, commit");
  EXPECT_EQ(mount({{"type", "ext4"}, {"names", "sync"}}),
            at + "/names: must be one of any-sync, directory-sync");
}

// sysctl vm.dirty_bytes: setting one form sets the other to 0.
TEST(DirtyLimits, AreBytesOrRatiosOfTheMemory) {
  const auto dirty = [](const Json& json, bool memory = true) {
    return [=](Json& j) {
      host(j)["dirty"] = json;
      host(j)["dirty"]["expire"] = "30 s";
      host(j)["dirty"]["writeback"] = "5 s";
      if (memory) host(j)["memory"] = "4 GiB";
    };
  };
  const Drill drill = read(dirty({{"ratio", "20%"}, {"background_bytes", "64 MiB"}}));
  EXPECT_EQ(host_of(drill).dirty->bytes, 0);
  EXPECT_EQ(host_of(drill).dirty->percent, 20);
  EXPECT_EQ(host_of(drill).dirty->background_bytes, 64 << 20);
  const std::string at = "/topology/hosts/h/dirty";
  EXPECT_EQ(refusal(dirty({{"ratio", "20%"}, {"bytes", "1 GiB"}, {"background_ratio", "10%"}})),
            at + ": must have one of bytes and ratio");
  EXPECT_EQ(refusal(dirty({{"ratio", "20%"}})),
            at + ": must have one of background_bytes and background_ratio");
  EXPECT_EQ(refusal(dirty({{"ratio", "0%"}, {"background_ratio", "10%"}})),
            at + "/ratio: must be at least 1%");
  EXPECT_EQ(refusal(dirty({{"ratio", "10%"}, {"background_ratio", "10%"}})),
            at + "/background_ratio: must be less than ratio");
  EXPECT_EQ(refusal(dirty({{"ratio", "20%"}, {"background_ratio", "10%"}}, false)),
            at + ": a ratio is of the host's memory: give the host a memory, or bytes");
}

TEST(MemoryGroups, LimitDirtyPagesWithCgroup2) {
  const auto limits = [](const Json& memory, const char* kernel) {
    const Drill drill = read([&](Json& j) {
      host(j)["memory"] = memory;
      host(j)["kernel"] = kernel;
    });
    return host_of(drill).memory->group_limits_dirty;
  };
  const Json group = {{"size", "4 GiB"}, {"group_limit", "1 GiB"}};
  EXPECT_TRUE(limits(group, "6.x"));
  EXPECT_FALSE(limits(group, "el7"));
  EXPECT_FALSE(limits({{"size", "4 GiB"}, {"group_limit", "1 GiB"}, {"cgroup", "v1"}}, "6.x"));
  const std::string at = "/topology/hosts/h/memory";
  EXPECT_EQ(refusal([&](Json& j) { host(j)["memory"] = {{"size", "4 GiB"}, {"cgroup", "v2"}}; }),
            at + "/cgroup: says something of a group: give a group_limit");
  EXPECT_EQ(
      refusal([&](Json& j) { host(j)["memory"] = {{"size", "4 GiB"}, {"group_limit", "0 B"}}; }),
      at + "/group_limit: must be more than 0");
}

}  // namespace
}  // namespace drydock::scenarios
