#include "scenarios/audit/queue_check.hpp"

#include <algorithm>
#include <string>

namespace drydock::scenarios {
namespace {

enum class EntryFault : std::uint8_t {
  none,
  missing,
  behind_log,
  no_record,
  other_queue,
  other_offset,
  wrong_size,
};

class QueueCheck {
 public:
  QueueCheck(const QueueEntries& queue, std::int64_t end_in_log, reports::FinalStore& store)
      : queue_(queue), end_in_log_(end_in_log), store_(store) {}

  void run() {
    const std::size_t begin = first_kept();
    reports::StoredQueue& seen = store_.queues[static_cast<std::size_t>(queue_.queue)];
    seen.min_offset = seen.max_offset = offset_of(begin);
    std::int64_t missing = 0;
    for (std::size_t i = begin; i < queue_.entries.size(); ++i) {
      const QueueEntry& entry = queue_.entries[i];
      const bool behind = offset_of(i) >= end_in_log_;
      if (!entry.present()) {
        if (behind) return;
        ++missing;
        continue;
      }
      reports::StoredCopy* const copy = copy_at(entry.physical_offset);
      const EntryFault fault = fault_of(entry, offset_of(i), copy);
      if (behind && fault != EntryFault::none) return;
      if (missing > 0) add_missing(offset_of(i) - missing, missing);
      missing = 0;
      seen.max_offset = offset_of(i) + 1;
      // A reader of this queue gets it, if need be at the wrong place.
      if (fault == EntryFault::none || fault == EntryFault::other_offset) copy->in_queue = true;
      if (fault != EntryFault::none) add(fault, offset_of(i), why(fault, entry, copy));
    }
  }

 private:
  std::int64_t offset_of(std::size_t i) const {
    return queue_.first_offset + static_cast<std::int64_t>(i);
  }

  std::size_t first_kept() const {
    const auto kept = std::ranges::find_if(queue_.entries, [this](const QueueEntry& entry) {
      const bool expired = entry.present() && entry.physical_offset < store_.begin_offset;
      return !expired && !entry.filler();
    });
    return static_cast<std::size_t>(kept - queue_.entries.begin());
  }

  // The message that begins there, or null.
  reports::StoredCopy* copy_at(std::int64_t physical_offset) const {
    const auto found = std::ranges::lower_bound(store_.copies, physical_offset, {},
                                                &reports::StoredCopy::physical_offset);
    if (found == store_.copies.end() || found->physical_offset != physical_offset) return nullptr;
    return &*found;
  }

  EntryFault fault_of(const QueueEntry& entry, std::int64_t offset,
                      const reports::StoredCopy* copy) const {
    if (entry.physical_offset >= store_.end_offset) return EntryFault::behind_log;
    if (copy == nullptr) return EntryFault::no_record;
    if (copy->queue != queue_.queue) return EntryFault::other_queue;
    if (copy->record_bytes != entry.record_bytes) return EntryFault::wrong_size;
    return copy->queue_offset == offset ? EntryFault::none : EntryFault::other_offset;
  }

  std::string why(EntryFault fault, const QueueEntry& entry,
                  const reports::StoredCopy* copy) const {
    const std::string at = std::to_string(entry.physical_offset);
    switch (fault) {
      case EntryFault::behind_log: return "leads to " + at + ", where the log has ended";
      case EntryFault::no_record: return "leads to " + at + ", where no record begins";
      case EntryFault::other_queue: return "leads to a record of " + name_of(copy->queue);
      case EntryFault::other_offset:
        return "leads to the record of offset " + std::to_string(copy->queue_offset);
      case EntryFault::wrong_size:
        return "says " + std::to_string(entry.record_bytes) + " bytes, the record at " + at +
               " has " + std::to_string(copy->record_bytes);
      case EntryFault::missing:
      case EntryFault::none: break;
    }
    return "";
  }

  std::string name_of(std::int32_t queue) const {
    if (queue < 0) return "no queue";
    return text_of(store_.queues[static_cast<std::size_t>(queue)]);
  }

  void add_missing(std::int64_t first, std::int64_t count) {
    store_.damaged_entries.push_back({queue_.queue, first, count, "is missing"});
    last_fault_ = EntryFault::missing;
  }

  // One finding for entries next to each other that are wrong in the same way.
  void add(EntryFault fault, std::int64_t offset, std::string why) {
    const bool same = fault == last_fault_ && offset == last_damaged_ + 1;
    if (same) {
      ++store_.damaged_entries.back().count;
    } else {
      store_.damaged_entries.push_back({queue_.queue, offset, 1, std::move(why)});
    }
    last_fault_ = fault;
    last_damaged_ = offset;
  }

  const QueueEntries& queue_;
  std::int64_t end_in_log_;
  reports::FinalStore& store_;
  EntryFault last_fault_ = EntryFault::none;
  std::int64_t last_damaged_ = -1;
};

}  // namespace

std::vector<std::int64_t> ends_in_log(const reports::FinalStore& store) {
  std::vector<std::int64_t> ends(store.queues.size(), 0);
  for (const reports::StoredCopy& copy : store.copies) {
    if (copy.queue < 0) continue;
    std::int64_t& end = ends[static_cast<std::size_t>(copy.queue)];
    end = std::max(end, copy.queue_offset + 1);
  }
  return ends;
}

void check_queue(const QueueEntries& queue, std::int64_t end_in_log, reports::FinalStore& store) {
  QueueCheck(queue, end_in_log, store).run();
}

}  // namespace drydock::scenarios
