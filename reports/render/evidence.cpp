#include "reports/render/evidence.hpp"

#include <algorithm>
#include <array>
#include <string_view>

#include "reports/evidence/disk_figures.hpp"
#include "reports/latency/latency.hpp"
#include "reports/record/numbers.hpp"
#include "reports/render/layout.hpp"

namespace drydock::reports {
namespace {

constexpr const char* kRemedy = "remedy";
constexpr const char* kNone = "none";

std::string tenths(std::int64_t per_mille) {
  return std::to_string(per_mille / 10) + "." + std::to_string(per_mille % 10) + "%";
}

// The lines of RocketMQ's store.log about the put latency, of the whole run instead of a minute.
std::string put_lines(const BrokerCounts& counts) {
  std::int64_t total = 0;
  std::int64_t slow = 0;
  std::string distribution;
  for (std::size_t i = 0; i < kPutTimeLabels.size(); ++i) {
    const std::int64_t puts = counts.put_message_distribute_time[i];
    total += puts;
    if (i >= kPutTimeFirstOver1s) slow += puts;
    distribution += std::string(kPutTimeLabels[i]) + ":" + std::to_string(puts) + " ";
  }
  const std::string total_text = std::to_string(total);
  return "[PAGECACHERT] TotalPut " + total_text + ", PutMessageDistributeTime " + distribution +
         "\n[PAGECACHERT] TotalPut " + total_text + ", PutOK " +
         std::to_string(total - counts.put_message_failed_times) + ", PutRT > 1s " +
         std::to_string(slow) + "\n";
}

std::string seconds_of(const Evidence& evidence, const std::string& host) {
  std::string text = host + ": iostat -dx 1\n" + iostat_head() + "\n";
  for (const DiskUse& use : evidence.seconds) {
    if (use.host == host) text += iostat_line("disk", use) + "\n";
  }
  return text;
}

std::string evidence_of(const RunResult& run) {
  std::string text;
  for (const DiskUse& disk : run.disks) {
    text += seconds_of(*run.evidence, disk.host);
    text += "of the phase hold:\n" + iostat_line("disk", disk) + "\n";
    text += "[PAGECACHERT] PageCache hit ratio: " + tenths(hit_per_mille(disk)) + "\n";
  }
  for (const BrokerCounts& broker : run.brokers) {
    text += "\n" + broker.broker + ": store.log, of the whole run\n" + put_lines(broker);
    for (const BrokerLine& line : run.evidence->lines) {
      if (line.broker == broker.broker) {
        text += "at " + duration_text(line.time_ns) + ": " + line.text + "\n";
      }
    }
  }
  return text;
}

std::int64_t median_p99(const CellResult& cell) {
  std::vector<std::int64_t> values;
  for (const RunResult& run : cell.runs) {
    const SendsReport sends = sends_of(run, "");
    if (sends.sends > 0) values.push_back(sends.p99_ns);
  }
  return quantile(std::move(values), 50);
}

// The cell that differs in nothing but the remedy, which is none; null if there is no such cell.
const CellResult* untreated(const DrillResult& result, const CellResult& cell) {
  CellId id = cell.id;
  id[kRemedy] = kNone;
  const auto found = std::ranges::find(result.cells, id, &CellResult::id);
  return found == result.cells.end() ? nullptr : &*found;
}

std::string_view verdict_of(std::int64_t with, std::int64_t without) {
  if (with * 5 <= without * 4) return "helps";
  if (with * 4 >= without * 5) return "makes it worse";
  return "does not help";
}

// "-62 %", "+4 %".
std::string change_of(std::int64_t with, std::int64_t without) {
  const std::int64_t percent = (with - without) * 100 / std::max<std::int64_t>(without, 1);
  return (percent < 0 ? "" : "+") + std::to_string(percent) + " %";
}

}  // namespace

std::string render_evidence(const DrillResult& result) {
  std::string text;
  for (const CellResult& cell : result.cells) {
    const auto run = std::ranges::find_if(
        cell.runs, [](const RunResult& each) { return each.evidence.has_value(); });
    if (run == cell.runs.end()) continue;
    const std::string name = cell.id.empty() ? "" : " of " + text_of(cell.id);
    text += "\nevidence" + name + ", seed " + std::to_string(run->seed) + "\n" + evidence_of(*run);
  }
  return text;
}

std::string render_remedies(const DrillResult& result) {
  std::string text;
  for (const CellResult& cell : result.cells) {
    const auto remedy = cell.id.find(kRemedy);
    if (remedy == cell.id.end() || remedy->second == kNone) continue;
    const CellResult* const without = untreated(result, cell);
    if (without == nullptr) continue;
    const std::int64_t before = median_p99(*without);
    const std::int64_t after = median_p99(cell);
    text += "  " + padded(text_of(cell.id), 28) + "  " +
            padded(std::string(verdict_of(after, before)), 14) + "  " + duration_text(before) +
            " -> " + duration_text(after) + " (" + change_of(after, before) + ")\n";
  }
  return text.empty() ? "" : "remedies, by the p99 of sends under load\n" + text;
}

}  // namespace drydock::reports
