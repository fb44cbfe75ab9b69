// Faults of disks: what the loader takes, and what it refuses.
#include <gtest/gtest.h>

#include "tests/support/scenario_text.hpp"

namespace drydock::scenarios {
namespace {

using test::Change;
using test::Json;

Drill read(const Change& change = {}) { return test::kBareScenario.read(change); }
std::string refusal(const Change& change) { return test::kBareScenario.refusal(change); }

Json& fault(Json& json) { return json["faults"]["f"][0]; }

TEST(DiskFaults, SayWhichPartOfTheDisksWorkTheyConcern) {
  const FaultSpec hang = read().fault_sets.at("f").at(0);
  EXPECT_EQ(hang.kind, faults::FaultKind::disk_hang);
  EXPECT_EQ(hang.trouble.part, faults::DiskPart::data_writes);
  const Drill slow = read([](Json& j) {
    fault(j)["do"] = "disk.slow";
    fault(j).erase("part");
    fault(j)["factor"] = 100;
  });
  EXPECT_EQ(slow.fault_sets.at("f").at(0).trouble.factor, 100);
  EXPECT_EQ(refusal([](Json& j) { fault(j)["part"] = "write"; }),
            "/faults/f/0/part: must be one of all, reads, writes, data-writes, journal, flushes; "
            "did you mean 'writes'?");
  EXPECT_EQ(refusal([](Json& j) { fault(j)["on"] = "bare"; }), "/faults/f/0/on: has no disk");
  EXPECT_EQ(refusal([](Json& j) { fault(j)["factor"] = 2; }),
            "/faults/f/0/factor: disk.hang has no such member");
  const Drill error = read([](Json& j) {
    fault(j)["do"] = "disk.error";
    fault(j)["part"] = "all";
    fault(j)["times"] = 3;
  });
  EXPECT_EQ(error.fault_sets.at("f").at(0).trouble,
            (faults::DiskTrouble{.part = faults::DiskPart::all, .times = 3}));
}

TEST(DiskFaults, MayBeLimitedToARange) {
  const auto range = [](Json json) { return [json](Json& j) { fault(j)["range"] = json; }; };
  const auto read_range = [&](const Json& json) {
    return *read(range(json)).fault_sets.at("f").at(0).trouble.range;
  };
  EXPECT_EQ(read_range({{"from", "1 GiB"}, {"size", "64 MiB"}}),
            (faults::DiskRange{.from_bytes = 1 << 30, .size_bytes = 64 << 20}));
  EXPECT_EQ(read_range({{"file", "/log"}}), (faults::DiskRange{.file = "/log"}));
  EXPECT_EQ(refusal(range({{"from", "8 GiB"}, {"size", "4 KiB"}})),
            "/faults/f/0/range: ends behind the end of the disk");
  EXPECT_EQ(refusal(range({{"from", "0 B"}, {"size", "0 B"}})),
            "/faults/f/0/range/size: must be more than 0");
  EXPECT_EQ(refusal(range({{"file", "log"}})), "/faults/f/0/range/file: must be an absolute path");
  EXPECT_EQ(refusal(range({{"size", "4 KiB"}})), "/faults/f/0/range: 'from' is missing");
  EXPECT_EQ(refusal([&](Json& j) {
              fault(j)["part"] = "flushes";
              range({{"file", "/log"}})(j);
            }),
            "/faults/f/0/range: flushes have no place on the disk");
  EXPECT_EQ(refusal([&](Json& j) {
              fault(j)["part"] = "journal";
              range({{"file", "/log"}})(j);
            }),
            "/faults/f/0/range/file: the journal is in no file");
}

TEST(DiskFaults, FailWithWhatADeviceSays) {
  const auto error = [](const char* part, const char* status) {
    return [=](Json& j) {
      fault(j)["do"] = "disk.error";
      fault(j)["part"] = part;
      fault(j)["status"] = status;
    };
  };
  EXPECT_EQ(read(error("all", "reservation-conflict")).fault_sets.at("f").at(0).trouble.status,
            faults::DiskStatus::reservation_conflict);
  EXPECT_EQ(refusal(error("reads", "no-space")),
            "/faults/f/0/status: only writes need space: part must be writes, data-writes or "
            "journal");
  EXPECT_EQ(refusal(error("writes", "no-spac")),
            "/faults/f/0/status: must be one of io-error, reservation-conflict, no-space; did you "
            "mean 'no-space'?");
}

TEST(DiskFaults, WritesOfALostLinkLandBeforeTheEndOfTheRun) {
  const auto late = [](const char* by) {
    return [=](Json& j) {
      fault(j)["do"] = "disk.cut";
      fault(j).erase("part");
      fault(j)["late_by"] = by;
    };
  };
  EXPECT_EQ(refusal(late("3 s")), "accepted");
  EXPECT_EQ(refusal(late("4 h")),
            "/faults/f/0/late_by: is longer than the rest of the run, which lasts 4 s at most; "
            "without it what the disk has got lands at once");
}

TEST(DiskFaults, SayHowAHungDeviceAnswersAnImpatientHost) {
  const FaultSpec hang =
      read([](Json& j) { fault(j)["reset"] = "lands-later"; }).fault_sets.at("f").at(0);
  EXPECT_EQ(hang.trouble.reset, faults::ResetAnswer::lands_later);
  EXPECT_EQ(refusal([](Json& j) {
              fault(j)["abort"] = "obeyed";
              fault(j)["reset"] = "drops";
            }),
            "/faults/f/0/reset: a device that obeys aborts is never reset");
}

TEST(DiskFaults, ATenantSaysHowFullHeMakesTheDisk) {
  const auto fill = [](Json& j) {
    fault(j) = {{"do", "disk.fill"}, {"on", "h"}, {"used", 95}, {"when", {{"at", "0 s"}}}};
  };
  EXPECT_EQ(read(fill).fault_sets.at("f").at(0).trouble.used_percent, 95);
  const auto with = [&](const char* key, Json value) {
    return refusal([&](Json& j) {
      fill(j);
      fault(j)[key] = std::move(value);
    });
  };
  EXPECT_NE(with("used", 101).find("/faults/f/0/used"), std::string::npos);
  EXPECT_NE(with("used", 0).find("/faults/f/0/used"), std::string::npos);
  EXPECT_EQ(with("part", "writes"), "/faults/f/0/part: disk.fill has no such member");
}

TEST(DiskFaults, ALieNeedsALossOfPowerToComeToLight) {
  const auto lie = [](Json& j) {
    fault(j) = {{"do", "disk.flush-lie"}, {"on", "h"}, {"when", {{"at", "0 s"}}}};
  };
  EXPECT_EQ(refusal(lie),
            "/faults/f/0/do: nothing in this set takes the power, so nothing would show the lie");
  const Drill drill = read([&](Json& j) {
    lie(j);
    j["faults"]["f"].push_back({{"do", "host.power-loss"}, {"on", "h"}, {"when", {{"at", "1 s"}}}});
  });
  EXPECT_EQ(drill.fault_sets.at("f").at(0).kind, faults::FaultKind::disk_flush_lie);
}

}  // namespace
}  // namespace drydock::scenarios
