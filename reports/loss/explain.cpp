#include "reports/loss/explain.hpp"

#include <algorithm>

#include "reports/loss/provenance.hpp"
#include "reports/loss/stopped_files.hpp"
#include "reports/record/numbers.hpp"

namespace drydock::reports {
namespace {

// Faults of one host or process: what they do depends on who was there.
bool hits_one(const std::string& fault) {
  return fault == "process.kill" || fault == "host.power-loss" || fault == "host.panic" ||
         fault == "host.destroy";
}

// Of the brokers that were hit: "" if the master was, or " of s, not of the master".
std::string whose(const LossMechanism& m) {
  if (m.hit_master) return "";
  std::string names;
  for (const std::string& broker : m.hit) names += (names.empty() ? "" : " and ") + broker;
  return " of " + names + ", not of the master";
}

// What becomes of commands that fail: a file's data is given up in memory, a file system's own
// blocks stop the file system.
std::string effect_of_errors(const LossMechanism& m) {
  const std::string own = m.file_system == "xfs" ? "the log of xfs" : "the journal";
  const bool data_too = m.file_system == "ext4, data=journal";
  const std::string commits = " fails the writes of " + own +
                              (data_too ? ", and so those of the data in it" : "") +
                              ": nothing that needs a commit becomes durable";
  const std::string data = data_too
                               ? " fails the writes that bring what the journal holds to its place"
                               : " leaves pages clean in memory that the disk has not got";
  if (m.detail.starts_with("reads")) return m.what + " changes nothing in memory or on the disk";
  if (m.detail.starts_with("flushes")) {
    return m.what + " leaves in the cache of the disk what was to be flushed";
  }
  if (m.detail.starts_with("journal")) return m.what + commits;
  if (m.detail.starts_with("data-writes")) return m.what + data;
  return m.what + data + ", and fails the writes of " + own;
}

// What the fault does to bytes that a program has stored; design, section 3.
std::string effect_of(const LossMechanism& m) {
  if (m.fault.empty() && m.takeovers > 0) return "the disk was taken over";
  if (m.fault.empty()) return m.planned ? "no fault took effect" : "there was no fault";
  if (m.fault == "disk.hang" || m.fault == "disk.slow") {
    return m.what + " takes nothing from memory and disks";
  }
  if (m.fault == "disk.error") return effect_of_errors(m);
  if (m.fault == "net.partition") return "net.partition leaves memory and disks as they are";
  if (m.fault == "net.stray-client") return "net.stray-client touches neither memory nor disks";
  if (m.fault == "fs.remove") return "fs.remove takes " + m.detail + " from its host";
  if (m.fault == "fs.sync") return "fs.sync writes back what it finds";
  if (m.fault == "fs.lock") return "fs.lock leaves memory and disks as they are";
  if (!hits_one(m.fault)) return m.fault + " happened";
  if (m.hit.empty()) return m.fault + " on " + m.target + " touches no broker's log";
  if (m.fault == "process.kill") return "process.kill leaves the page cache to the kernel";
  if (m.fault == "host.destroy") {
    return m.hit_master ? "host.destroy takes the master's disk with it"
                        : "host.destroy takes the disk" + whose(m);
  }
  return m.fault + " discards the dirty pages of the page cache" + whose(m);
}

// Whether the fault can have done something to what no flush had covered: that is counted of the
// master's log.
bool concerns_master(const LossMechanism& m) { return !hits_one(m.fault) || m.hit_master; }

void take_fault(const RunResult& run, LossMechanism& m) {
  m.planned = m.planned || run.fault() != nullptr;
  const auto effective = [](const FaultFact& fault) { return fault.breaks && fault.began_ns >= 0; };
  if (std::ranges::count_if(run.faults, effective) > 1) m.several_faults = true;
  if (!m.fault.empty() || !run.fault_took_effect()) return;
  m.fault = run.fault()->kind;
  m.what = run.fault()->what();
  m.target = run.fault()->target;
  m.detail = run.fault()->detail;
  m.file_system = run.fault()->file_system;
  for (const ReplicaFacts& replica : run.replicas) {
    if (replica.host != m.target && replica.broker != m.target) continue;
    m.hit.push_back(replica.broker);
    if (&replica == &run.replicas.front()) m.hit_master = true;
  }
}

std::string flush_age(const LossMechanism& m) {
  if (m.runs_with_flush_age == 0) return "no flush had completed before";
  if (m.runs_with_flush_age == 1) {
    return "the last flush was " + duration_text(m.flush_age_median_ns) + " old";
  }
  return "the last flush was " + duration_text(m.flush_age_min_ns) + " to " +
         duration_text(m.flush_age_max_ns) + " old (median " +
         duration_text(m.flush_age_median_ns) + ")";
}

void count_copies(const RunResult& run, LossMechanism& m) {
  if (run.replicas.size() < 2) return;
  m.copies.resize(run.replicas.size());
  for (std::size_t i = 0; i < run.replicas.size(); ++i) m.copies[i].broker = run.replicas[i].broker;
  for (const LostMessage& message : run.loss.lost) {
    if (message.in_log_at >= 0) continue;
    for (std::size_t i = 0; i < message.copies.size(); ++i) {
      ++m.copies[i].of_fate[static_cast<std::size_t>(message.copies[i])];
    }
  }
}

// The history of one lost message stands for those of all.
void take_example(const RunResult& run, LossMechanism& m) {
  if (!m.example.empty()) return;
  for (const LostMessage& message : run.loss.lost) {
    const std::string copies = describe_copies(run, message);
    if (copies.empty()) continue;
    m.example = "message " + std::to_string(message.key) + " of seed " + std::to_string(run.seed) +
                ": " + copies;
    return;
  }
}

// A broker that still has it, the one that readers have before others; null: none, or it was not
// traced.
const ReplicaFacts* keeper_of(const RunResult& run, const LostMessage& message) {
  const ReplicaFacts* keeper = nullptr;
  for (std::size_t i = 0; i < message.histories.size() && i < run.replicas.size(); ++i) {
    if (message.histories[i].end != CopyEnd::kept) continue;
    if (keeper == nullptr || run.replicas[i].read) keeper = &run.replicas[i];
  }
  return keeper;
}

// Of the copies that this fault ended, the way in which it took them that says most.
std::string how_taken(const LostMessage& message) {
  const auto ended_so = [&message](CopyEnd end) {
    return std::ranges::any_of(message.histories, [&](const CopyHistory& copy) {
      return copy.end == end && copy.fault == message.last_copy_fault;
    });
  };
  if (ended_so(CopyEnd::disk_cache_lost)) {
    return " from the cache of its disk, whose flush had been confirmed and not done "
           "(disk.flush-lie)";
  }
  if (ended_so(CopyEnd::file_system_lost)) {
    return ", after which the file system could not be mounted";
  }
  if (ended_so(CopyEnd::pool_lost)) return " from the transient pool of its process";
  return "";
}

// How the last copy went.
std::string end_of_last(const RunResult& run, const LostMessage& message) {
  if (message.last_copy_fault >= 0) {
    const FaultFact& fault = run.faults.at(static_cast<std::size_t>(message.last_copy_fault));
    return "gone with " + fault.kind + " on " + fault.target + how_taken(message);
  }
  if (message.histories.empty()) {
    return "not traced (of a run the first " + std::to_string(kHistoriesMax) + " are)";
  }
  const bool none = std::ranges::all_of(
      message.histories, [](const CopyHistory& copy) { return copy.end == CopyEnd::not_received; });
  return none ? "never in a broker's log" : "cut off by a recovery that followed no fault";
}

// Where the master's log stood with it when the fault came.
std::int64_t& place_at_fault(const RunResult& run, const LostMessage& message, LossMechanism& m) {
  if (!message.copies.empty() && message.copies.front() == CopyFate::in_pool) {
    return m.lost_in_pool;
  }
  if (message.behind_last_flush) return m.lost_behind_last_flush;
  if (message.copies.empty()) {
    return run.fault_took_effect() && !run.replicas.empty() ? m.lost_sent_later : m.lost_untold;
  }
  switch (message.copies.front()) {
    case CopyFate::not_received: return m.lost_not_there;
    case CopyFate::flushed:
    case CopyFate::destroyed: return m.lost_covered;
    case CopyFate::behind_last_flush:
    case CopyFate::in_pool:
    case CopyFate::count_: break;
  }
  return m.lost_untold;
}

void count_lost(const RunResult& run, LossMechanism& m) {
  for (const LostMessage& message : run.loss.lost) {
    if (message.in_log_at >= 0) continue;
    if (const ReplicaFacts* const keeper = keeper_of(run, message)) {
      ++(keeper->read ? m.kept_broken : m.kept_on)[keeper->broker];
      continue;
    }
    ++m.lost_with[end_of_last(run, message)];
    ++place_at_fault(run, message, m);
  }
}

const char* text_of(CopyFate fate) {
  switch (fate) {
    case CopyFate::not_received: return "not received yet";
    case CopyFate::destroyed: return "gone with its disk";
    case CopyFate::behind_last_flush: return "in memory only";
    case CopyFate::flushed: return "flushed";
    case CopyFate::in_pool: return "in the transient pool only";
    case CopyFate::count_: break;
  }
  return "";
}

// "; of the lost messages broker-a had 12 gone with its disk, broker-b 12 not received yet"
std::string text_of(const std::vector<LossMechanism::Copies>& copies) {
  std::string text;
  for (const LossMechanism::Copies& broker : copies) {
    std::string had;
    for (std::size_t fate = 0; fate < std::size(broker.of_fate); ++fate) {
      if (broker.of_fate[fate] == 0) continue;
      had += (had.empty() ? " " : " and ") + count_text(broker.of_fate[fate]) + " " +
             text_of(static_cast<CopyFate>(fate));
    }
    if (had.empty()) continue;
    text += (text.empty() ? "; when it came, their copies were: " : "; ") + broker.broker + had;
  }
  return text;
}

void count_unread(const RunResult& run, LossMechanism& m) {
  m.lost_in_log += run.loss.lost_in_log();
  if (!m.first_in_log.empty()) return;
  const auto first = std::ranges::find_if(
      run.loss.lost, [](const LostMessage& message) { return message.in_log_at >= 0; });
  if (first != run.loss.lost.end()) m.first_in_log = text_of_unread(*first);
}

const char* are(std::int64_t count) { return count == 1 ? " is" : " are"; }
std::string lost_messages(std::int64_t count) { return counted(count, "lost message"); }

// Of what somebody still has, each part behind a "; ".
std::string unreachable(const LossMechanism& m) {
  std::string text;
  for (const auto& [broker, count] : m.kept_on) {
    text += "; " + lost_messages(count) + are(count) + " still on " + broker +
            ", which is not the broker that readers have";
  }
  for (const auto& [broker, count] : m.kept_broken) {
    text += "; " + lost_messages(count) + are(count) + " still in the log of " + broker +
            ", but not whole";
  }
  if (m.lost_in_log == 0) return text;
  return text + "; " + lost_messages(m.lost_in_log) + are(m.lost_in_log) +
         " in the log, but a reader of the queue never gets " +
         (m.lost_in_log == 1 ? "it (" : "them (") + m.first_in_log + ")";
}

std::string sent_later(const LossMechanism& m) {
  if (m.lost_sent_later == 0) return "";
  return "; " + lost_messages(m.lost_sent_later) + " had been sent after it";
}

// Those that no broker has any more.
std::int64_t gone(const LossMechanism& m) {
  std::int64_t count = 0;
  for (const auto& [how, messages] : m.lost_with) count += messages;
  return count;
}

// Nothing was lost: why not.
std::string explain_no_loss(const LossMechanism& m) {
  if (m.acked == 0) return ", and nothing had been acknowledged";
  if (m.fault.empty() || !concerns_master(m)) return ", and no acknowledged message was lost";
  if (m.at_risk == 0) return ", and a flush had covered every acknowledged message";
  return ": " + counted(m.at_risk, "acknowledged message") +
         " that no flush had covered outlived it";
}

// What a fault that takes the master's disk leaves is what others have.
std::string explain_destruction(const LossMechanism& m, std::string text) {
  if (m.acked == 0) return text + explain_no_loss(m);
  if (m.lost == 0) return text + ", and every acknowledged message was on another broker";
  const std::int64_t nowhere = gone(m) - m.lost_sent_later;
  if (nowhere > 0) {
    text += ": " + counted(nowhere, "message") + (nowhere == 1 ? " was" : " were") +
            " nowhere else" + text_of(m.copies);
  }
  return text + sent_later(m) + unreachable(m);
}

// With several faults the traces of the lost messages tell which one it was.
std::string explain_several(const LossMechanism& m) {
  if (m.acked == 0) return "nothing was acknowledged";
  if (m.lost == 0) return "every acknowledged message outlived all faults";
  std::string text;
  for (const auto& [how, count] : m.lost_with) {
    text += (text.empty() ? ": " : ", ") + count_text(count) + " " + how;
  }
  if (!text.empty()) {
    const std::int64_t all = gone(m);
    text = "; " + counted(all, "message") + (all == 1 ? " was" : " were") + " lost" + text;
  }
  return (text + unreachable(m)).substr(2);
}

// Each kind of loss for what it is.
std::string kinds_of_loss(const LossMechanism& m) {
  std::string text;
  if (m.lost_covered > 0) {
    text += "; " + lost_messages(m.lost_covered) + " had been covered by a flush";
  }
  if (m.lost_not_there > 0) {
    text += "; " + lost_messages(m.lost_not_there) + " had not come to the master's log";
  }
  text += sent_later(m);
  if (m.lost_untold > 0) {
    text += "; of " + lost_messages(m.lost_untold) + " nothing tells why";
  }
  return text;
}

// What caches of a device did that a takeover did not empty in time; empty if they did nothing.
std::string text_of(const OwnershipReport& ownership) {
  std::string text;
  if (ownership.stale_reads > 0) {
    text = "stale pages: the new owner was given " + counted(ownership.stale_reads, "block") +
           " by a cache of the device that is older than its ownership";
  }
  if (ownership.foreign_writes > 0) {
    text += (text.empty() ? "" : "; ") + std::string("dirty pages: ") +
            counted(ownership.foreign_writes, "block") +
            (ownership.foreign_writes == 1 ? " that is" : " that are") +
            " older than the ownership landed on the media under it";
  }
  return text;
}

// With nothing else that could have lost a message.
std::string explain_caches(const LossMechanism& m) {
  const std::string text = text_of(m.ownership);
  if (m.lost == 0) return text + ", and no acknowledged message was lost";
  return text + ", and with them " + counted(m.lost, "acknowledged message") +
         (m.lost == 1 ? " was lost" : " were lost");
}

// Nobody knows what was lost in any run.
std::string explain_unread(const LossMechanism& m) {
  std::string text = m.several_faults ? "" : effect_of(m);
  for (const std::string& part :
       {m.stopped, text_of(m.ownership),
        "nobody could read the store, so that what was lost of " +
            counted(m.acked_unread, "acknowledged message") + " is not known"}) {
    if (!part.empty()) text += (text.empty() ? "" : "; ") + part;
  }
  return text;
}

// Nobody knows what was lost in some of the runs; empty if all were read.
std::string unread_besides(const LossMechanism& m) {
  if (m.unread_runs == 0) return "";
  return "; of " + counted(m.unread_runs, "run") +
         " nobody could read the store: what they lost of " +
         counted(m.acked_unread, "acknowledged message") + " is not known";
}

std::string with_stopped(const LossMechanism& m, const std::string& text) {
  return m.stopped.empty() ? text : text + "; " + m.stopped;
}

std::string explain_without_example(const LossMechanism& m) {
  if (m.several_faults) return with_stopped(m, explain_several(m));
  std::string text = with_stopped(m, effect_of(m));
  if (m.fault == "host.destroy" && m.hit_master) return explain_destruction(m, text);
  if (m.lost == 0) return text + explain_no_loss(m);
  if (m.lost_in_pool > 0) {
    text += "; the transient pool went with its process, and with it " +
            counted(m.lost_in_pool, "acknowledged message") +
            " that no commit had brought to the "
            "page cache (transientStorePoolEnable)";
  }
  if (m.lost_behind_last_flush > 0 && concerns_master(m)) {
    text += ", and with them " + count_text(m.lost_behind_last_flush) + " of " +
            counted(m.at_risk, "message") + (m.at_risk == 1 ? " that was" : " that were") +
            " acknowledged before a flush covered " + (m.at_risk == 1 ? "it; " : "them; ") +
            flush_age(m);
  } else if (m.lost_behind_last_flush > 0) {
    text += "; no flush of the master had covered " + lost_messages(m.lost_behind_last_flush);
  }
  return text + kinds_of_loss(m) + text_of(m.copies) + unreachable(m);
}

}  // namespace

LossMechanism mechanism_of(const std::vector<RunResult>& runs) {
  LossMechanism m;
  m.stopped = describe_stopped_files(runs);
  std::vector<std::int64_t> ages;
  for (const RunResult& run : runs) {
    if (run.verdict == Verdict::harness) continue;
    take_fault(run, m);
    if (!run.loss.read) {
      ++m.unread_runs;
      m.acked_unread += run.loss.acked;
    }
    m.read_runs += run.loss.read;
    m.takeovers += std::ranges::count_if(run.takeovers, &TakeoverFacts::completed);
    m.ownership.stale_reads += run.ownership.stale_reads;
    m.ownership.foreign_writes += run.ownership.foreign_writes;
    m.acked += run.loss.read ? run.loss.acked : 0;
    m.at_risk += run.loss.at_risk;
    if (run.loss.lost.empty()) continue;
    ++m.runs_with_loss;
    m.lost += static_cast<std::int64_t>(run.loss.lost.size());
    count_copies(run, m);
    count_lost(run, m);
    count_unread(run, m);
    take_example(run, m);
    const std::int64_t last_flush_ns =
        run.replicas.empty() ? -1 : run.replicas.front().store.last_flush_ns;
    if (last_flush_ns < 0 || !run.fault_took_effect()) continue;
    ages.push_back(run.fault()->began_ns - last_flush_ns);
  }
  m.runs_with_flush_age = static_cast<std::int64_t>(ages.size());
  m.flush_age_min_ns = quantile(ages, 0);
  m.flush_age_median_ns = quantile(ages, 50);
  m.flush_age_max_ns = quantile(ages, 100);
  return m;
}

std::string explain(const LossMechanism& m) {
  if (m.unread_runs > 0 && m.read_runs == 0) return explain_unread(m);
  const bool broken = m.ownership != OwnershipReport();
  if (broken && m.fault.empty()) return explain_caches(m) + unread_besides(m);
  std::string text = explain_without_example(m) + unread_besides(m);
  if (broken) text += "; " + text_of(m.ownership);
  return m.example.empty() ? text : text + " (" + m.example + ")";
}

}  // namespace drydock::reports
