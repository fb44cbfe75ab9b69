#include "reports/render/evidence.hpp"

#include <algorithm>
#include <array>
#include <cstdlib>
#include <string_view>
#include <utility>
#include <vector>

#include "reports/evidence/disk_figures.hpp"
#include "reports/record/numbers.hpp"
#include "reports/render/layout.hpp"
#include "reports/render/summary.hpp"

namespace drydock::reports {
namespace {

constexpr const char* kRemedy = "remedy";
constexpr const char* kNone = "none";
constexpr std::int64_t kSameTimeNs = 1'000'000;

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

// The cell that differs in nothing but the remedy, which is none; null if there is no such cell.
const CellResult* untreated(const DrillResult& result, const CellResult& cell) {
  CellId id = cell.id;
  id[kRemedy] = kNone;
  const auto found = std::ranges::find(result.cells, id, &CellResult::id);
  return found == result.cells.end() ? nullptr : &*found;
}

enum class Effect : std::uint8_t { none, better, worse };

// A fifth less, or a quarter more, makes a difference.
Effect effect_of(std::int64_t with, std::int64_t without, bool more_is_better) {
  if (with * 5 <= without * 4 && with < without) {
    return more_is_better ? Effect::worse : Effect::better;
  }
  if (with * 4 >= without * 5 && with > without) {
    return more_is_better ? Effect::better : Effect::worse;
  }
  return Effect::none;
}

// Of times; what is less than a millisecond apart is the same to any client.
Effect effect_on_time(std::int64_t with, std::int64_t without) {
  return std::abs(with - without) < kSameTimeNs ? Effect::none : effect_of(with, without, false);
}

// "-62 %", "+4 %". From nothing there is no percentage.
std::string change_of(std::int64_t with, std::int64_t without) {
  if (without == 0) return with == 0 ? "+0 %" : "from nothing";
  const std::int64_t percent = (with - without) * 100 / without;
  return (percent < 0 ? "" : "+") + std::to_string(percent) + " %";
}

// What a remedy does to one figure of a cell, the median of its runs.
struct Figure {
  Effect effect = Effect::none;
  std::string text;  // "send.p99 100 ms -> 80.0 ms (-20 %)"
};

Figure compare_times(const std::string& name, std::int64_t with, std::int64_t without) {
  return {effect_on_time(with, without), name + " " + duration_text(without) + " -> " +
                                             duration_text(with) + " (" + change_of(with, without) +
                                             ")"};
}

Figure compare_counts(const std::string& name, std::int64_t with, std::int64_t without,
                      bool more_is_better) {
  return {effect_of(with, without, more_is_better), name + " " + count_text(without) + " -> " +
                                                        count_text(with) + " (" +
                                                        change_of(with, without) + ")"};
}

std::vector<Figure> figures(const CellResult& cell, const CellResult& untreated) {
  const CellSummary with = summarise(cell);
  const CellSummary without = summarise(untreated);
  std::vector<Figure> all = {
      compare_times("send.p99", with.sends_p99.median, without.sends_p99.median),
      compare_times("send.longest", with.sends_longest.median, without.sends_longest.median),
      compare_counts("send.acked", with.sends_acked.median, without.sends_acked.median, true)};
  const std::int64_t lost = with.lost_per_run.median;
  const std::int64_t lost_before = without.lost_per_run.median;
  if (with.lost_is_known() && without.lost_is_known() && lost + lost_before > 0) {
    all.push_back(compare_counts("acked_loss", lost, lost_before, false));
  }
  return all;
}

std::string verdict_of(const std::vector<Figure>& all) {
  const auto any = [&all](Effect effect) {
    return std::ranges::find(all, effect, &Figure::effect) != all.end();
  };
  if (any(Effect::better) && any(Effect::worse)) return "better and worse";
  if (any(Effect::better)) return "better";
  return any(Effect::worse) ? "worse" : "no difference";
}

// "better in A; worse in B; the same: C, D": what differs first.
std::string figures_of(const std::vector<Figure>& all) {
  std::string text;
  for (const auto& [effect, word] :
       {std::pair(Effect::better, "better: "), std::pair(Effect::worse, "worse: "),
        std::pair(Effect::none, "the same: ")}) {
    std::string part;
    for (const Figure& each : all) {
      if (each.effect == effect) part += (part.empty() ? word : ", ") + each.text;
    }
    if (!part.empty()) text += (text.empty() ? "" : "; ") + part;
  }
  return text;
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

std::string render_remedies(const DrillResult& result, std::size_t width) {
  std::string text;
  for (const CellResult& cell : result.cells) {
    const auto remedy = cell.id.find(kRemedy);
    if (remedy == cell.id.end() || remedy->second == kNone) continue;
    const CellResult* const without = untreated(result, cell);
    if (without == nullptr) continue;
    const std::vector<Figure> all = figures(cell, *without);
    text += "  " + text_of(cell.id) + ": " + verdict_of(all) + "\n";
    text += paragraph("", figures_of(all), 6, width);
  }
  return text.empty() ? "" : "remedies, each against none, with all else equal\n" + text;
}

}  // namespace drydock::reports
