#include "reports/loss/provenance.hpp"

#include <algorithm>
#include <limits>

#include "reports/record/numbers.hpp"

namespace drydock::reports {
namespace {

const char* text_of(CopyEnd end) {
  switch (end) {
    case CopyEnd::not_received: return "never received";
    case CopyEnd::kept: return "kept";
    case CopyEnd::page_cache_lost: return "its page cache was lost";
    case CopyEnd::destroyed: return "its disk was destroyed";
    case CopyEnd::cut_by_recovery: return "recovery cut it off";
    case CopyEnd::disk_cache_lost:
      return "it was in the cache of its disk, whose flush was confirmed and not done";
    case CopyEnd::file_system_lost: return "its file system could not be mounted any more";
    case CopyEnd::pool_lost:
      return "it was in the transient pool of the process, and no commit had brought it to the "
             "page cache";
    case CopyEnd::count_: break;
  }
  return "";
}

constexpr std::int64_t kForEver = std::numeric_limits<std::int64_t>::max();
using Kind = StoreEvent::Kind;

std::int64_t first_append(const StoreTrace& trace, std::int64_t offset, std::int64_t from_ns,
                          std::int64_t before_ns) {
  for (const StoreEvent& event : trace.events) {
    if (event.kind != Kind::appended || event.time_ns < from_ns) continue;
    if (event.time_ns >= before_ns) break;
    if (event.from <= offset && offset < event.to) return event.time_ns;
  }
  return -1;
}

std::int64_t first_flush(const StoreTrace& trace, std::int64_t offset, const CopyHistory& copy) {
  const std::int64_t before_ns = copy.ended_ns < 0 ? kForEver : copy.ended_ns;
  for (const StoreEvent& event : trace.events) {
    if (event.kind != Kind::flushed || event.time_ns < copy.appended_ns) continue;
    if (event.time_ns > before_ns) break;
    if (event.to > offset) return event.time_ns;
  }
  return -1;
}

// Whether a copy was in the transient pool alone at that time.
bool in_pool(const StoreTrace& trace, std::int64_t offset, std::int64_t appended_ns,
             std::int64_t time_ns) {
  bool pooled = false;  // Of the life in which it was appended.
  for (const StoreEvent& event : trace.events) {
    if (event.time_ns > time_ns) break;
    if (event.kind == Kind::recovered && event.time_ns <= appended_ns) pooled = false;
    if (event.kind != Kind::committed) continue;
    pooled = true;
    if (event.time_ns >= appended_ns && event.to > offset) return false;
  }
  return pooled;
}

// The first recovery since `from_ns`; null if there was none.
const StoreEvent* recovery_since(const StoreTrace& trace, std::int64_t from_ns) {
  const auto found = std::ranges::find_if(trace.events, [&](const StoreEvent& event) {
    return event.kind == Kind::recovered && event.time_ns >= from_ns;
  });
  return found == trace.events.end() ? nullptr : &*found;
}

// Whether a flush had covered it by then.
bool covered_by(const CopyHistory& copy, std::int64_t time_ns) {
  return copy.flushed_ns >= 0 && copy.flushed_ns <= time_ns;
}

// The copies of one message.
class Copies {
 public:
  Copies(const std::vector<StoreTrace>& traces, const std::vector<FaultFact>& faults,
         std::int64_t offset, std::int64_t sent_ns)
      : traces_(traces), faults_(faults), offset_(offset) {
    std::vector<CopyHistory> first(traces.size());
    std::size_t origin = traces.size();
    for (std::size_t i = 0; i < traces.size(); ++i) {
      first[i].appended_ns = first_append(traces[i], offset, sent_ns, kForEver);
      if (first[i].appended_ns < 0) continue;
      if (origin == traces.size() || first[i].appended_ns < first[origin].appended_ns) origin = i;
    }
    histories_.resize(traces.size());
    if (origin == traces.size()) return;
    histories_[origin] = ended(traces[origin], first[origin]);
    const std::int64_t source_gone_ns = others_append_from(histories_[origin].ended_ns);
    for (std::size_t i = 0; i < traces.size(); ++i) {
      if (i == origin) continue;
      CopyHistory copy;
      copy.appended_ns = first_append(traces[i], offset, sent_ns, source_gone_ns);
      if (copy.appended_ns >= 0) histories_[i] = ended(traces[i], copy);
    }
  }
  std::vector<CopyHistory> histories() && { return std::move(histories_); }

 private:
  // Since the source of a message is gone, the first moment from which logs go on with others: a
  // recovery anywhere. What was under way before may still have arrived.
  std::int64_t others_append_from(std::int64_t gone_ns) const {
    if (gone_ns < 0) return kForEver;
    std::int64_t first = kForEver;
    for (const StoreTrace& trace : traces_) {
      const StoreEvent* const recovery = recovery_since(trace, gone_ns);
      if (recovery != nullptr) first = std::min(first, recovery->time_ns);
    }
    return first;
  }

  // The faults in [from, to] that hit the broker or its host, as indices, by time.
  std::vector<std::int32_t> faults_in(const StoreTrace& trace, std::int64_t from_ns,
                                      std::int64_t to_ns) const {
    std::vector<std::int32_t> found;
    for (std::size_t i = 0; i < faults_.size(); ++i) {
      const FaultFact& fault = faults_[i];
      if (!fault.breaks || (fault.target != trace.host && fault.target != trace.broker)) continue;
      if (fault.began_ns < from_ns || fault.began_ns > to_ns) continue;
      found.push_back(static_cast<std::int32_t>(i));
    }
    std::ranges::stable_sort(found, {}, [this](std::int32_t i) { return fault_at(i).began_ns; });
    return found;
  }

  // Whether every flush that had covered it by then was a lie.
  bool lied_about(const StoreTrace& trace, const CopyHistory& copy, std::int64_t time_ns) const {
    for (const StoreEvent& event : trace.events) {
      if (event.kind != Kind::flushed || event.time_ns < copy.flushed_ns) continue;
      if (event.time_ns > time_ns) break;
      if (lie_about(faults_, trace.host, event.time_ns) == nullptr) return false;
    }
    return true;
  }

  // What this fault does to the copy; kept: nothing. `gone`: no later recovery found it.
  CopyEnd effect_of(const StoreTrace& trace, const FaultFact& fault, const CopyHistory& copy,
                    bool gone) const {
    if (fault.kind == "host.destroy") return CopyEnd::destroyed;
    const bool dark = fault.kind == "host.power-loss";
    const bool host_stops = dark || fault.kind == "host.panic";
    if ((!host_stops && fault.kind != "process.kill") || !gone) return CopyEnd::kept;
    if (in_pool(trace, offset_, copy.appended_ns, fault.began_ns)) return CopyEnd::pool_lost;
    if (!host_stops) return CopyEnd::kept;
    if (!covered_by(copy, fault.began_ns)) return CopyEnd::page_cache_lost;
    if (dark && lied_about(trace, copy, fault.began_ns)) return CopyEnd::disk_cache_lost;
    return trace.damaged ? CopyEnd::file_system_lost : CopyEnd::kept;
  }

  // The copy with what became of it.
  CopyHistory ended(const StoreTrace& trace, CopyHistory copy) const {
    copy.end = CopyEnd::kept;
    // Recoveries that find it leave it; the first one that does not ends it.
    std::int64_t from_ns = copy.appended_ns;
    const StoreEvent* recovery = recovery_since(trace, from_ns);
    while (recovery != nullptr && recovery->to > offset_) {
      from_ns = recovery->time_ns;
      recovery = recovery_since(trace, from_ns + 1);
    }
    copy.flushed_ns = first_flush(trace, offset_, copy);
    const std::int64_t to_ns = recovery == nullptr ? kForEver : recovery->time_ns;
    for (const std::int32_t index : faults_in(trace, from_ns, to_ns)) {
      const FaultFact& fault = fault_at(index);
      copy.fault = index;
      const bool gone = recovery != nullptr || fault.ended_ns < 0 || trace.damaged;
      const CopyEnd end = effect_of(trace, fault, copy, gone);
      if (end != CopyEnd::kept) return end_with(trace, copy, end, fault.began_ns);
    }
    if (recovery != nullptr) {
      const bool pooled = in_pool(trace, offset_, copy.appended_ns, recovery->time_ns);
      const CopyEnd end = pooled ? CopyEnd::pool_lost : CopyEnd::cut_by_recovery;
      return end_with(trace, copy, end, recovery->time_ns);
    }
    copy.fault = -1;
    return copy;
  }

  CopyHistory end_with(const StoreTrace& trace, CopyHistory copy, CopyEnd end,
                       std::int64_t at_ns) const {
    copy.end = end;
    copy.ended_ns = at_ns;
    copy.flushed_ns = first_flush(trace, offset_, copy);
    return copy;
  }

  const FaultFact& fault_at(std::int32_t index) const {
    return faults_[static_cast<std::size_t>(index)];
  }

  const std::vector<StoreTrace>& traces_;
  const std::vector<FaultFact>& faults_;
  std::int64_t offset_;
  std::vector<CopyHistory> histories_;
};

// Of the copy that went last; -1 if one is still there, or none ever was.
std::int32_t fault_of_last(const std::vector<CopyHistory>& copies) {
  const CopyHistory* last = nullptr;
  for (const CopyHistory& copy : copies) {
    if (copy.end == CopyEnd::not_received) continue;
    if (copy.end == CopyEnd::kept) return -1;
    if (last == nullptr || copy.ended_ns > last->ended_ns) last = &copy;
  }
  return last == nullptr ? -1 : last->fault;
}

CopyFate fate_of(const CopyHistory& copy, std::int64_t fault_ns) {
  if (copy.end == CopyEnd::not_received || copy.appended_ns > fault_ns) {
    return CopyFate::not_received;
  }
  if (copy.end == CopyEnd::destroyed) return CopyFate::destroyed;
  if (copy.end == CopyEnd::pool_lost) return CopyFate::in_pool;
  return covered_by(copy, fault_ns) ? CopyFate::flushed : CopyFate::behind_last_flush;
}

// Two logs can hold other messages at the same offsets, and a message that was under way at the
// fault may have come after it: offsets do not tell, traces do.
void follow_histories(LostMessage& message, std::int64_t fault_ns, LossReport& loss) {
  if (message.copies.empty() || message.histories.empty()) return;  // Sent after the fault.
  message.copies.clear();
  for (const CopyHistory& copy : message.histories) {
    message.copies.push_back(fate_of(copy, fault_ns));
  }
  const bool behind = message.copies.front() != CopyFate::not_received &&
                      !covered_by(message.histories.front(), fault_ns);
  loss.at_risk +=
      static_cast<std::int64_t>(behind) - static_cast<std::int64_t>(message.behind_last_flush);
  message.behind_last_flush = behind;
}

// "3.10 ms before the fault".
std::string when(std::int64_t time_ns, std::int64_t fault_ns) {
  if (time_ns == fault_ns) return "the fault";
  const std::int64_t apart = time_ns - fault_ns;
  return duration_text(apart < 0 ? -apart : apart) + (apart < 0 ? " before" : " after") +
         " the fault";
}

std::string describe(const RunResult& run, const CopyHistory& copy) {
  if (copy.end == CopyEnd::not_received) return " never received it";
  const std::int64_t fault_ns = run.fault() == nullptr ? 0 : run.fault()->began_ns;
  std::string text = " had it from " + when(copy.appended_ns, fault_ns);
  const bool lie = copy.end == CopyEnd::disk_cache_lost;
  const std::string flushed = lie ? ", flushed as the disk said " : ", flushed ";
  text += copy.flushed_ns < 0 ? ", in no flush" : flushed + when(copy.flushed_ns, fault_ns);
  if (copy.end == CopyEnd::kept) return text + ", and keeps it";
  text += ", until " + when(copy.ended_ns, fault_ns) + ": " + text_of(copy.end);
  if (copy.fault < 0) return text;
  const FaultFact& fault = run.faults.at(static_cast<std::size_t>(copy.fault));
  text += " (" + fault.kind + " on " + fault.target;
  return text + (lie ? ", after a disk.flush-lie)" : ")");
}

}  // namespace

const FaultFact* lie_about(const std::vector<FaultFact>& faults, const std::string& host,
                           std::int64_t flushed_ns) {
  const auto lie = std::ranges::find_if(faults, [&](const FaultFact& fault) {
    return fault.kind == "disk.flush-lie" && fault.target == host && fault.began_ns >= 0 &&
           fault.began_ns <= flushed_ns && (fault.ended_ns < 0 || flushed_ns < fault.ended_ns);
  });
  return lie == faults.end() ? nullptr : &*lie;
}

void trace_copies(const History& history, const std::vector<StoreTrace>& traces,
                  const std::vector<FaultFact>& faults, std::int64_t fault_ns, LossReport& loss) {
  const std::size_t traced = std::min(loss.lost.size(), kHistoriesMax);
  for (std::size_t i = 0; i < traced; ++i) {
    LostMessage& message = loss.lost[i];
    const auto send = std::ranges::find(history.sends, message.key, &SendRecord::key);
    if (send == history.sends.end() || message.physical_offset < 0) continue;
    message.histories =
        Copies(traces, faults, message.physical_offset, send->invoked_ns).histories();
    message.last_copy_fault = fault_of_last(message.histories);
    follow_histories(message, fault_ns, loss);
  }
}

std::string describe_copies(const RunResult& run, const LostMessage& message) {
  std::string text;
  for (std::size_t i = 0; i < message.histories.size() && i < run.replicas.size(); ++i) {
    text += (text.empty() ? "" : "; ") + run.replicas[i].broker;
    text += describe(run, message.histories[i]);
  }
  return text;
}

}  // namespace drydock::reports
