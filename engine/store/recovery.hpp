// Where the log ends after a stop or a crash (storage reference, 5.5).
//
// Two parts: decisions (pure) and the walk that reads files for them.
//
//   orderly stop (no abort file)   start at the newest file that begins at or before the largest
//                                  position known to the consume queues; none known: first file
//   crash (abort file present)     start at the newest file whose first record was stored at or
//                                  before the checkpoint, less 3 s; none: first file
//   then                           accept good records one after the other; a blank record leads to
//                                  the next file; the first bad one ends the log
//
// Facts to know: one bad record ends the log, however intact what follows is. A blank record with
// no file behind it lies beyond the end and will be overwritten. The cut moves positions only: old
// records behind it stay in the file and are accepted again by a later recovery if the log then
// happens to end exactly where one of them begins.
//
// Consume queues: after a crash every accepted record is dispatched again, which is idempotent for
// those that have a unit; after an orderly stop only records that start behind the largest end that
// a queue knows. Then units that point at or behind the end of the log are dropped. Records in
// front of the start file are never dispatched again.
#pragma once

#include <optional>
#include <span>

#include "engine/store/abort_file.hpp"
#include "engine/store/commit_log.hpp"
#include "engine/store/dispatcher.hpp"

namespace drydock {

// Whether recovery starts in front of what the index may lack, by its time. `every_message` is
// messageIndexSafe, which leaves out what was stored in the millisecond of the newest entry that
// was flushed and lies in front of the file of the log that begins in it.
enum class IndexNeeds : std::uint8_t { nothing, every_message };
// min(physical, logics) − 3 s, at least 0; if the index needs messages no more than its own time.
std::int64_t recovery_timestamp(const CheckpointFields& checkpoint, IndexNeeds index);

// The newest file that starts at or before `max_physical` (-1: nothing known), else 0. `starts` in
// ascending order, at least one.
std::size_t normal_start_file(std::span<const PhysicalOffset> starts, std::int64_t max_physical);

// Whether abnormal recovery may start at a file with these first bytes.
bool abnormal_start_matches(std::span<const std::byte> front, std::int64_t recovery_ms);

// What the walk does after a check.
enum class RecoveryStep : std::uint8_t { accept, next_file, stop };
// `has_next`: there is a file behind the present one.
RecoveryStep recovery_step(const RecordCheck& check, bool has_next);

// Whether recovery dispatches a record that it has accepted, which starts at `physical`.
// `known_to`: the largest end of a record that the queues knew before.
bool dispatches_again(StopKind last_stop, PhysicalOffset physical, std::int64_t known_to,
                      Behaviour behaviour);

struct RecoveryResult {
  PhysicalOffset start;            // Of the file with which the walk began.
  PhysicalOffset end;              // Everything in front of it is the log.
  std::int64_t records = 0;        // Accepted by the walk, from the start file on.
  std::int64_t refused_bytes = 0;  // What the record that ended the walk said to be its length.
  RecordFault fault = RecordFault::none;  // Why it ended; none: a blank record, or the last file.
};

struct RecoveryOptions {
  StopKind last_stop = StopKind::crash;
  ContentCheck content_check = ContentCheck::body_crc;
  IndexNeeds index = IndexNeeds::nothing;
  // Recovery starts in front of it, too: what lies behind it may lack in the index.
  std::optional<PhysicalOffset> indexed_to;
  Behaviour behaviour;
  SeededBugs bugs;
};

// What recovery works on; everything is loaded.
struct StoreParts {
  Context& context;
  CommitLog& log;
  ConsumeQueues& queues;
  Checkpoint& checkpoint;
  Dispatcher& dispatcher;
};

// Recovers the queues, finds the end of the log, dispatches what the queues lack, cuts queues and
// log there. Emits store_recovery_started and store_recovery_finished. Errors: what reading,
// writing and removing files gave.
Task<Result<RecoveryResult>> recover_store(Worker& worker, StoreParts& parts,
                                           RecoveryOptions options);

}  // namespace drydock
