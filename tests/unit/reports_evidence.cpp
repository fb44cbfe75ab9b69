// The figures of iostat from what a host has counted, the line in which operators know them, and
// what a remedy is worth.
#include "reports/render/evidence.hpp"

#include <gtest/gtest.h>

#include "reports/evidence/disk_figures.hpp"
#include "reports/render/json.hpp"

namespace drydock::reports {
namespace {

constexpr std::int64_t kMs = 1'000'000;
constexpr std::int64_t kSecond = 1'000 * kMs;

// One second of the cold-read storm as it was published; Linux I/O model, section 12.
DiskUse published_second() {
  DiskUse use;
  use.host = "h";
  use.began_ns = 7 * kSecond;
  use.ended_ns = 8 * kSecond;
  use.reads = 4'850;
  use.writes = 120;
  use.read_bytes = 75'800 * 1'024;
  use.written_bytes = 12'400 * 1'024;
  use.read_ns = 4'850 * 49 * kMs / 10;
  use.write_ns = 120 * 1'525 * kMs / 100;
  use.busy_ns = kSecond;
  use.queue_ns = 258 * kSecond / 10;
  use.pages_touched = 1'000;
  use.pages_read = 648;
  return use;
}

// But for avgrq-sz, which the publication rounds in another way (35.45).
TEST(ReportsEvidence, TheLineIsTheOneThatIostatPrinted) {
  EXPECT_EQ(iostat_head(),
            "Device:         rrqm/s   wrqm/s     r/s     w/s    rkB/s    wkB/s avgrq-sz avgqu-sz   "
            "await r_await w_await  svctm  %util");
  EXPECT_EQ(
      iostat_line("nvme0n1", published_second()),
      "nvme0n1           0.00     0.00 4850.00  120.00 75800.00 12400.00    35.49    25.80    "
      "5.15    4.90   15.25   0.20 100.00");
}

TEST(ReportsEvidence, FiguresAreTakenOverTheLengthOfTheInterval) {
  DiskUse use = published_second();
  use.ended_ns = use.began_ns + 2 * kSecond;
  EXPECT_EQ(reads_per_second(use), 2'425);
  EXPECT_EQ(read_bytes_per_second(use), 75'800 * 512);
  EXPECT_EQ(read_await_ns(use), 49 * kMs / 10);
  EXPECT_EQ(queue_hundredths(use), 1'290);
  EXPECT_EQ(busy_percent(use), 50);
  EXPECT_EQ(hit_percent(use), 35);
  EXPECT_EQ(hit_per_mille(use), 352);
}

TEST(ReportsEvidence, ADiskThatDidNothingHasNoFigures) {
  DiskUse idle;
  EXPECT_EQ(reads_per_second(idle), 0);
  EXPECT_EQ(read_await_ns(idle), 0);
  EXPECT_EQ(hit_percent(idle), 0);
  idle.pages_touched = 1;
  idle.pages_read = 32;  // Read ahead, and not needed so far.
  EXPECT_EQ(hit_percent(idle), 0);
}

CellResult cell_with(const std::string& remedy, std::int64_t p99_ns) {
  CellResult cell;
  cell.id = {{"remedy", remedy}};
  cell.runs.resize(1);
  cell.runs[0].sends = {
      {.producer = "", .sends = 100, .acked = 100, .p50_ns = kMs, .p99_ns = p99_ns}};
  return cell;
}

constexpr std::size_t kWide = 200;

TEST(ReportsEvidence, ARemedyIsComparedWithNoneAndAFifthLessIsBetter) {
  DrillResult result;
  result.cells = {cell_with("a", 80 * kMs), cell_with("b", 81 * kMs), cell_with("c", 125 * kMs),
                  cell_with("none", 100 * kMs)};
  EXPECT_EQ(render_remedies(result, kWide),
            "remedies, each against none, with all else equal\n"
            "  remedy=a: better\n"
            "      better: send.p99 100 ms -> 80.0 ms (-20 %); the same: send.longest 0 ns -> 0 ns "
            "(+0 %), send.acked 100 -> 100 (+0 %)\n"
            "  remedy=b: no difference\n"
            "      the same: send.p99 100 ms -> 81.0 ms (-19 %), send.longest 0 ns -> 0 ns (+0 %), "
            "send.acked 100 -> 100 (+0 %)\n"
            "  remedy=c: worse\n"
            "      worse: send.p99 100 ms -> 125 ms (+25 %); the same: send.longest 0 ns -> 0 ns "
            "(+0 %), send.acked 100 -> 100 (+0 %)\n");
}

TEST(ReportsEvidence, ARemedyMayBeBetterInThroughputAndLoseMore) {
  DrillResult result;
  result.cells = {cell_with("a", kMs), cell_with("none", kMs)};
  result.cells[0].runs[0].sends[0].acked = 200;
  result.cells[0].runs[0].loss.lost.resize(2);
  for (CellResult& cell : result.cells) cell.runs[0].loss.read = true;
  EXPECT_EQ(
      render_remedies(result, kWide),
      "remedies, each against none, with all else equal\n"
      "  remedy=a: better and worse\n"
      "      better: send.acked 100 -> 200 (+100 %); worse: acked_loss 0 -> 2 (from nothing); "
      "the same: send.p99 1.00 ms -> 1.00 ms (+0 %), send.longest 0 ns -> 0 ns (+0 %)\n");
}

TEST(ReportsEvidence, TimesThatDifferByLessThanAMillisecondAreTheSame) {
  DrillResult result;
  result.cells = {cell_with("a", 1'999'999), cell_with("none", kMs)};
  EXPECT_NE(render_remedies(result, kWide).find("remedy=a: no difference\n"), std::string::npos);
  result.cells[0] = cell_with("a", 2'000'000);
  EXPECT_NE(render_remedies(result, kWide).find("remedy=a: worse\n"), std::string::npos);
}

TEST(ReportsEvidence, CellsAreComparedThatDifferInNothingElse) {
  DrillResult result;
  for (const std::string disk : {"essd", "nvme"}) {
    for (const std::string remedy : {"a", "none"}) {
      result.cells.push_back(cell_with(remedy, disk == "essd" && remedy == "a" ? 9 * kMs : kMs));
      result.cells.back().id["disk"] = disk;
    }
  }
  const std::string text = render_remedies(result, kWide);
  EXPECT_NE(text.find("disk=essd,remedy=a: worse\n"), std::string::npos) << text;
  EXPECT_NE(text.find("disk=nvme,remedy=a: no difference\n"), std::string::npos) << text;
}

TEST(ReportsEvidence, ADrillWithoutRemediesHasNoSuchSection) {
  DrillResult result;
  result.cells = {cell_with("none", 100 * kMs)};
  EXPECT_EQ(render_remedies(result, kWide), "");
  EXPECT_EQ(render_evidence(result), "");
}

TEST(ReportsEvidence, ItIsPrintedByHostAndBrokerAndSurvivesJson) {
  CellResult cell = cell_with("none", 100 * kMs);
  RunResult& run = cell.runs[0];
  run.disks = {published_second()};
  BrokerCounts counts;
  counts.broker = "broker-a";
  counts.put_message_distribute_time[1] = 120'500;
  counts.put_message_distribute_time[7] = 43;
  run.brokers = {counts};
  run.evidence.emplace();
  run.evidence->seconds = {published_second()};
  run.evidence->lines = {
      {"broker-a", 3 * kSecond, "[NOTIFYME]putMessage in lock cost time(ms)=1250"}};
  EXPECT_EQ(run_from_json(run_to_json(run)), run);

  DrillResult result;
  result.cells = {cell};
  const std::string text = render_evidence(result);
  EXPECT_NE(text.find("h: iostat -dx 1\nDevice:"), std::string::npos) << text;
  EXPECT_NE(text.find("[PAGECACHERT] PageCache hit ratio: 35.2%"), std::string::npos) << text;
  EXPECT_NE(text.find("[PAGECACHERT] TotalPut 120543, PutOK 120543, PutRT > 1s 43"),
            std::string::npos)
      << text;
  EXPECT_NE(text.find("at 3.00 s: [NOTIFYME]putMessage in lock cost time(ms)=1250"),
            std::string::npos)
      << text;
}

}  // namespace
}  // namespace drydock::reports
