#include "reports/loss/explain.hpp"

#include <algorithm>

#include "reports/loss/provenance.hpp"
#include "reports/record/numbers.hpp"

namespace drydock::reports {
namespace {

// What a fault does to bytes that a program has stored; design, section 3.
std::string effect_of(const std::string& fault) {
  if (fault == "process.kill") return "process.kill leaves the page cache to the kernel";
  if (fault == "host.power-loss")
    return "host.power-loss discards the dirty pages of the page cache";
  if (fault == "host.panic") return "host.panic discards the dirty pages of the page cache";
  if (fault == "host.destroy") return "host.destroy takes the master's disk with it";
  if (fault == "net.partition") return "net.partition leaves memory and disks as they are";
  return fault.empty() ? "there was no fault" : fault + " happened";
}

std::string flush_age(const LossMechanism& m) {
  if (m.runs_with_flush_age == 0) return "no flush had completed before";
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

void count_last_faults(const RunResult& run, LossMechanism& m) {
  for (const LostMessage& message : run.loss.lost) {
    if (message.last_copy_fault < 0) continue;
    const FaultFact& fault = run.faults.at(static_cast<std::size_t>(message.last_copy_fault));
    ++m.lost_with[fault.kind + " on " + fault.target];
  }
}

const char* text_of(CopyFate fate) {
  switch (fate) {
    case CopyFate::not_received: return "not received yet";
    case CopyFate::destroyed: return "gone with its disk";
    case CopyFate::behind_last_flush: return "in memory only";
    case CopyFate::flushed: return "flushed";
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

std::string unread_text(const LossMechanism& m) {
  if (m.lost_in_log == 0) return "";
  return "; " + count_text(m.lost_in_log) +
         " lost messages are in the log, but a reader of their queues never gets them (" +
         m.first_in_log + ")";
}

// What a fault that takes the disk leaves is what others have.
std::string explain_destruction(const LossMechanism& m, std::string text) {
  if (m.lost == 0) return text + ", and every acknowledged message was on another broker";
  const std::int64_t nowhere = m.lost - m.lost_in_log;
  if (nowhere > 0) {
    text += ": " + count_text(nowhere) + " messages were nowhere else" + text_of(m.copies);
  }
  return text + unread_text(m);
}

// With several faults the traces of the lost messages tell which one it was.
std::string explain_several(const LossMechanism& m) {
  if (m.lost == 0) return "every acknowledged message outlived all faults";
  std::string text = count_text(m.lost - m.lost_in_log) + " messages lost their last copy";
  std::int64_t traced = 0;
  for (const auto& [fault, count] : m.lost_with) {
    text += (traced == 0 ? ": " : ", ") + count_text(count) + " with " + fault;
    traced += count;
  }
  const std::int64_t gone = m.lost - m.lost_in_log;
  if (traced < gone) text += "; " + count_text(gone - traced) + " were not traced";
  return text + unread_text(m);
}

std::string explain_without_example(const LossMechanism& m) {
  if (m.several_faults) return explain_several(m);
  const std::string effect = effect_of(m.fault);
  if (m.fault == "host.destroy") return explain_destruction(m, effect);
  if (m.lost == 0 && m.at_risk == 0) {
    return effect + ", and a flush had covered every acknowledged message";
  }
  if (m.lost == 0) {
    return effect + ": " + count_text(m.at_risk) +
           " acknowledged messages that no flush had covered outlived it";
  }
  std::string text = effect;
  if (m.lost_behind_last_flush > 0) {
    text += ", and with them " + count_text(m.lost_behind_last_flush) + " of " +
            count_text(m.at_risk) +
            " messages that were acknowledged before a flush covered them; " + flush_age(m);
  }
  const std::int64_t covered = m.lost - m.lost_in_log - m.lost_behind_last_flush;
  if (covered > 0) {
    text += "; " + count_text(covered) + " lost messages had been covered by a flush";
  }
  return text + text_of(m.copies) + unread_text(m);
}

}  // namespace

LossMechanism mechanism_of(const std::vector<RunResult>& runs) {
  LossMechanism m;
  std::vector<std::int64_t> ages;
  for (const RunResult& run : runs) {
    if (m.fault.empty() && run.fault() != nullptr) m.fault = run.fault()->kind;
    if (std::ranges::count(run.faults, true, &FaultFact::breaks) > 1) m.several_faults = true;
    m.at_risk += run.loss.at_risk;
    if (run.loss.lost.empty()) continue;
    ++m.runs_with_loss;
    m.lost += static_cast<std::int64_t>(run.loss.lost.size());
    m.lost_behind_last_flush +=
        std::count_if(run.loss.lost.begin(), run.loss.lost.end(), [](const LostMessage& message) {
          return message.behind_last_flush && message.in_log_at < 0;
        });
    count_copies(run, m);
    count_last_faults(run, m);
    count_unread(run, m);
    take_example(run, m);
    const std::int64_t last_flush_ns =
        run.replicas.empty() ? -1 : run.replicas.front().store.last_flush_ns;
    if (last_flush_ns < 0 || run.fault() == nullptr) continue;
    ages.push_back(run.fault()->began_ns - last_flush_ns);
  }
  m.runs_with_flush_age = static_cast<std::int64_t>(ages.size());
  m.flush_age_min_ns = quantile(ages, 0);
  m.flush_age_median_ns = quantile(ages, 50);
  m.flush_age_max_ns = quantile(ages, 100);
  return m;
}

std::string explain(const LossMechanism& m) {
  const std::string text = explain_without_example(m);
  return m.example.empty() ? text : text + " (" + m.example + ")";
}

}  // namespace drydock::reports
