#include "reports/waits/waits.hpp"

#include <algorithm>
#include <map>
#include <set>
#include <utility>

#include "reports/record/numbers.hpp"

namespace drydock::reports {
namespace {

// Shorter ones are told by the table alone; or many of them together, if they were not that short.
constexpr std::int64_t kWorthASentenceNs = 1'000'000'000;
constexpr std::int64_t kWorthCountingNs = 50'000'000;

const std::string kOthers = "its threads";

std::string when(const RunResult& run, std::int64_t began_ns) {
  if (!run.fault_took_effect()) return duration_text(began_ns) + " after the start of the run";
  const std::int64_t after = began_ns - run.fault()->began_ns;
  if (after >= 0) return duration_text(after) + " after the fault";
  return duration_text(-after) + " before the fault";
}

}  // namespace

WaitsByPlace waits_of(const RunResult& run, const std::string& process) {
  WaitsByPlace places;
  for (const WaitFact& fact : run.waits) {
    if (!process.empty() && fact.process != process) continue;
    PlaceWaits& place = places[static_cast<std::size_t>(fact.place)];
    place.count += fact.count;
    place.total_ns += fact.total_ns;
    place.longest_ns = std::max(place.longest_ns, fact.longest_ns);
  }
  return places;
}

std::string describe(WaitPlace place) {
  switch (place) {
    case WaitPlace::dirty_throttle: return "the dirty-page throttle";
    case WaitPlace::journal: return "the commit of a journal transaction";
    case WaitPlace::page_lock: return "a locked page";
    case WaitPlace::page_read: return "a page to be read";
    case WaitPlace::memory: return "free memory";
    case WaitPlace::writeback: return "the writeback that its sync waits for";
    case WaitPlace::directory_lock: return "a directory that another program has locked";
    case WaitPlace::device: return "a command of the disk";
    case WaitPlace::cpu: return "a core";
    case WaitPlace::safepoint: return "a safepoint of its virtual machine";
    case WaitPlace::none:
    case WaitPlace::count_: break;
  }
  return "nothing";
}

namespace {

// By process and place: of the run with most of them.
using ManyWaits = std::map<std::pair<std::string, std::size_t>, PlaceWaits>;

ManyWaits many_waits(const std::vector<RunResult>& runs) {
  ManyWaits all;
  for (const RunResult& run : runs) {
    std::set<std::string> names;
    for (const WaitFact& fact : run.waits) names.insert(fact.process);
    for (const std::string& name : names) {
      const WaitsByPlace places = waits_of(run, name);
      for (std::size_t place = 0; place < kWaitPlaces; ++place) {
        const PlaceWaits& waits = places[place];
        const bool many = waits.total_ns >= kWorthASentenceNs &&
                          waits.longest_ns >= kWorthCountingNs &&
                          waits.longest_ns < kWorthASentenceNs;
        if (!many) continue;
        PlaceWaits& most = all[{name, place}];
        if (waits.total_ns > most.total_ns) most = waits;
      }
    }
  }
  return all;
}

}  // namespace

std::string describe_longest(const std::vector<RunResult>& runs) {
  // By process and worker: a thread that waits may be what another one waits for.
  std::map<std::pair<std::string, std::string>, std::pair<const RunResult*, const WaitFact*>> all;
  for (const RunResult& run : runs) {
    for (const WaitFact& fact : run.waits) {
      if (fact.longest_ns < kWorthASentenceNs) continue;
      // All that stand still for one that is stuck are told of once.
      const bool stood = fact.place == WaitPlace::safepoint;
      auto& [of_run, longest] = all[{fact.process, stood ? kOthers : fact.worker}];
      if (longest != nullptr && fact.longest_ns <= longest->longest_ns) continue;
      of_run = &run;
      longest = &fact;
    }
  }
  std::string text;
  for (const auto& [thread, found] : all) {
    const auto& [of_run, longest] = found;
    text += (text.empty() ? "" : "; ") + longest->process + " (" + thread.second + ") waited " +
            duration_text(longest->longest_ns) + ", from " +
            when(*of_run, longest->longest_began_ns) + ", for " + describe(longest->place);
  }
  for (const auto& [key, waits] : many_waits(runs)) {
    text += (text.empty() ? "" : "; ") + key.first + " waited " + duration_text(waits.total_ns) +
            " in all, up to " + duration_text(waits.longest_ns) + " at a time, for " +
            describe(static_cast<WaitPlace>(key.second));
  }
  return text;
}

std::string describe_oom_kills(const std::vector<RunResult>& runs) {
  std::int64_t count = 0;
  const RunResult* first = nullptr;
  for (const RunResult& run : runs) {
    if (run.oom_kills.empty()) continue;
    ++count;
    if (first == nullptr) first = &run;
  }
  if (first == nullptr) return "";
  const OomKill& kill = first->oom_kills.front();
  return "in " + counted(count, "run") + " memory ran out, and the OOM killer ended " +
         kill.process + " " + when(*first, kill.time_ns) + " (seed " + std::to_string(first->seed) +
         ")";
}

std::string describe_refused_opens(const std::vector<RunResult>& runs) {
  std::map<std::string, std::pair<std::int64_t, std::int64_t>> refused;  // Runs, calls.
  for (const RunResult& run : runs) {
    for (const RefusedOpens& one : run.refused_opens) {
      ++refused[one.process].first;
      refused[one.process].second += one.count;
    }
  }
  std::string text;
  for (const auto& [process, counts] : refused) {
    text += (text.empty() ? "in " : "; in ") + counted(counts.first, "run") + " " + process +
            " had as many files and sockets open as it may (open_files), and " +
            counted(counts.second, "call") + " that needed one more failed";
  }
  return text;
}

}  // namespace drydock::reports
