// Whether a queue leads to what the log has for it. Pure.
//
// Where a queue ends, its files do not say: they are made in advance, so zeros follow its last
// entry, and after a crash older entries may follow it, because recovery moves an end and erases
// nothing. What the log has for the queue decides. Up to the largest queue offset there every entry
// belongs to a message; what follows counts only if it leads to a whole record of just that place
// (one that no walk of the log could reach), and anything else is the end.
//
// In front: entries of records that the log has expired, and fillers, are not there any more.
#pragma once

#include <cstdint>
#include <vector>

#include "reports/record/final_store.hpp"
#include "scenarios/audit/queue_entry.hpp"

namespace drydock::scenarios {

// What the files of one queue hold, zeros included.
struct QueueEntries {
  std::int32_t queue = 0;         // An index of FinalStore::queues.
  std::int64_t first_offset = 0;  // Queue offset of entries[0].
  std::vector<QueueEntry> entries;
};

// For each queue of the store, one behind the largest queue offset that a record of the log has; 0
// if it has none.
std::vector<std::int64_t> ends_in_log(const reports::FinalStore& store);

// Walks the entries: notes in `store` which messages they lead to, where the queue begins and ends
// for a reader, and what is wrong. `store.copies` is in log order.
void check_queue(const QueueEntries& queue, std::int64_t end_in_log, reports::FinalStore& store);

}  // namespace drydock::scenarios
