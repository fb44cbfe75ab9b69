#include "reports/loss/loss.hpp"

#include <algorithm>
#include <vector>

#include "engine/types/ensure.hpp"

namespace drydock::reports {
namespace {

// The copies of one key.
struct Found {
  std::int64_t copies = 0;             // Those that a queue leads to.
  bool intact = false;                 // One of them is.
  const StoredCopy* unread = nullptr;  // An intact one that is in the log alone.
};

// Sends sorted by key, each with the copies that were found of it.
class Ledger {
 public:
  explicit Ledger(const History& history) {
    for (const SendRecord& send : history.sends) rows_.push_back({&send, {}});
    std::sort(rows_.begin(), rows_.end(),
              [](const Row& a, const Row& b) { return a.send->key < b.send->key; });
    for (std::size_t i = 1; i < rows_.size(); ++i) {
      ENSURE(rows_[i - 1].send->key != rows_[i].send->key);
    }
  }
  // Null if nobody sent it: its key was never sent, or not by this attempt.
  Found* find(const StoredCopy& copy) {
    if (!copy.key_known) return nullptr;
    const auto row =
        std::lower_bound(rows_.begin(), rows_.end(), copy.key,
                         [](const Row& a, std::uint64_t wanted) { return a.send->key < wanted; });
    if (row == rows_.end() || row->send->key != copy.key) return nullptr;
    return made(*row->send, copy.attempt) ? &row->found : nullptr;
  }
  template <class Visit>
  void for_each(Visit visit) const {
    for (const Row& row : rows_) visit(*row.send, row.found);
  }

 private:
  // Attempts are known once the send has ended.
  static bool made(const SendRecord& send, std::uint64_t attempt) {
    if (send.attempts.empty() || attempt == 0) return true;
    return std::ranges::find(send.attempts, attempt, &AttemptRecord::id) != send.attempts.end();
  }

  struct Row {
    const SendRecord* send;
    Found found;
  };
  std::vector<Row> rows_;
};

void add_damage(std::string what, LossReport& report) {
  ++report.corrupt;
  if (report.damage.size() < kDamageNamed) report.damage.push_back(std::move(what));
}

void count_copy(const StoredCopy& copy, Found& found, LossReport& report) {
  if (copy.in_queue && ++found.copies > 1) ++report.duplicates;
  if (!copy.intact) {
    add_damage("the log at " + std::to_string(copy.physical_offset) + ": message " +
                   std::to_string(copy.key) + " has other bytes than were sent",
               report);
  } else if (copy.in_queue) {
    found.intact = true;
  } else {
    found.unread = &copy;
  }
}

void count_copies(const FinalStore& store, Ledger& ledger, LossReport& report) {
  for (const StoredCopy& copy : store.copies) {
    Found* const found = ledger.find(copy);
    if (found == nullptr && copy.torn_properties) {
      add_damage(
          "the log at " + std::to_string(copy.physical_offset) +
              ": a record whose properties are torn, which its body's checksum does not cover",
          report);
    } else if (found == nullptr) {
      ++report.phantoms;
    } else {
      count_copy(copy, *found, report);
    }
  }
  for (const DamagedRange& range : store.damaged) {
    add_damage("the log at " + std::to_string(range.physical_offset) + ", " +
                   std::to_string(range.bytes) + " bytes: " + range.why,
               report);
  }
  for (const DamagedEntries& entries : store.damaged_entries) {
    std::string what = text_of(store.queues[static_cast<std::size_t>(entries.queue)]) + " at " +
                       std::to_string(entries.queue_offset) + " " + entries.why;
    if (entries.count > 1) {
      what += ", and so on for " + std::to_string(entries.count) + " entries";
    }
    add_damage(std::move(what), report);
  }
}

// Whether the send was under way, or over, when the fault came. Offsets are given out again behind
// what recovery cut off, so the time of the send counts too.
bool met_the_fault(const SendRecord& send, const StoreFacts& facts) {
  return facts.fault_ns >= 0 && send.invoked_ns <= facts.fault_ns;
}

// Whether the fault found the message in the log, and no flush had covered it.
bool uncovered_at_fault(const SendRecord& send, const StoreFacts& facts) {
  if (facts.flushed_to < 0) return false;
  return met_the_fault(send, facts) && send.physical_offset >= facts.flushed_to;
}

std::vector<CopyFate> fates_of(const SendRecord& send, const std::vector<ReplicaFacts>& replicas) {
  std::vector<CopyFate> fates;
  for (const ReplicaFacts& replica : replicas) {
    if (!met_the_fault(send, replica.store)) return {};
    CopyFate fate = CopyFate::flushed;
    if (send.physical_offset >= replica.store.flushed_to) fate = CopyFate::behind_last_flush;
    const std::int64_t committed_to = replica.store.committed_to;
    if (committed_to >= 0 && send.physical_offset >= committed_to) fate = CopyFate::in_pool;
    if (send.physical_offset >= replica.store.appended_to) fate = CopyFate::not_received;
    if (fate != CopyFate::not_received && replica.destroyed) fate = CopyFate::destroyed;
    fates.push_back(fate);
  }
  return fates;
}

// Whether the log that was read ever had it. Its place may have been given out again since, after a
// failover or a recovery that cut the log in front of it.
bool was_in_log_read(const SendRecord& send, const std::vector<ReplicaFacts>& replicas) {
  for (const ReplicaFacts& replica : replicas) {
    const StoreFacts& store = replica.store;
    if (!replica.read || !met_the_fault(send, store)) continue;
    if (send.physical_offset >= store.appended_to) return false;
    if (store.recovered_to >= 0 && send.physical_offset >= store.recovered_to) return false;
  }
  return true;
}

LostMessage lost_message(const SendRecord& send, const Found& found, const FinalStore& store,
                         const std::vector<ReplicaFacts>& replicas, bool uncovered) {
  LostMessage lost;
  lost.key = send.key;
  lost.physical_offset = send.physical_offset;
  lost.acked_ns = send.completed_ns;
  lost.behind_last_flush = uncovered;
  lost.copies = fates_of(send, replicas);
  if (found.unread == nullptr) return lost;
  lost.in_log_at = found.unread->physical_offset;
  lost.queue_offset = found.unread->queue_offset;
  if (found.unread->queue >= 0) {
    lost.queue = text_of(store.queues[static_cast<std::size_t>(found.unread->queue)]);
  }
  return lost;
}

void count_send(const SendRecord& send, const Found& found, const FinalStore& store,
                const std::vector<ReplicaFacts>& replicas, LossReport& report) {
  const StoreFacts facts = replicas.empty() ? StoreFacts() : replicas.front().store;
  const bool stored = found.copies > 0;
  switch (send.outcome) {
    case SendOutcome::acked:
      ++report.acked;
      if (uncovered_at_fault(send, facts)) {
        report.at_risk += send.completed_ns <= facts.fault_ns || !found.intact;
      }
      if (found.intact) return;
      if (store.has_expired(send.physical_offset) && found.unread == nullptr &&
          was_in_log_read(send, replicas)) {
        ++report.expired;
        return;
      }
      report.lost.push_back(
          lost_message(send, found, store, replicas, uncovered_at_fault(send, facts)));
      return;
    case SendOutcome::unknown: ++(stored ? report.unknown_stored : report.unknown_absent); return;
    case SendOutcome::failed:
      ++report.failed;
      if (stored) ++report.failed_stored;
      return;
  }
}

LossReport count_answers(const History& history) {
  LossReport report;
  report.read = false;
  report.acked = std::ranges::count(history.sends, SendOutcome::acked, &SendRecord::outcome);
  report.failed = std::ranges::count(history.sends, SendOutcome::failed, &SendRecord::outcome);
  return report;
}

}  // namespace

LossReport check_loss(const History& history, const FinalStore& store,
                      const std::vector<ReplicaFacts>& replicas) {
  if (!store.read) return count_answers(history);
  LossReport report;
  report.index_missed = store.index_missed;
  report.index_endless = store.index_endless;
  Ledger ledger(history);
  count_copies(store, ledger, report);
  ledger.for_each([&](const SendRecord& send, const Found& found) {
    count_send(send, found, store, replicas, report);
  });
  return report;
}

}  // namespace drydock::reports
