// Names of what a trace can tell, of crash points and of buggify sites: one enumeration each, so
// that a test can read the list and fail on what never fired. A name is `area.what-happened`.
#pragma once

#include <cstdint>
#include <string_view>

namespace drydock {

// Things that happened inside an engine or a world. `a` and `b` below are the two integers that go
// with the event. Faults can be triggered by the n-th occurrence of any of them.
enum class EventName : std::uint16_t {
  process_started,           // a: process id
  process_killed,            // a: process id
  process_exited,            // a: process id; the last of its waits has ended
  host_power_lost,           // a: host id
  host_power_restored,       // a: host id
  store_recovery_started,    // a: first file's offset
  store_recovery_finished,   // a: offset accepted, b: declared length of the record refused there
  store_file_created,        // a: its first physical offset
  store_file_deleted,        // a: its first physical offset, b: where the log begins now
  store_disk_full,           // a: percent of the disk in use; sends are refused from now on
  store_disk_ok,             // a: percent of the disk in use; they are taken again
  store_appended,            // a: physical offset, b: bytes
  store_flushed,             // a: flushed up to this physical offset
  store_flush_failed,        // a: physical offset, b: errno
  store_dispatched,          // a: physical offset of the record, b: its queue offset
  store_dispatch_skipped,    // a: physical offset that no dispatch could read, b: bytes passed over
  store_queue_file_created,  // a: its first byte in the queue, b: queue id
  store_queue_gap,           // a: physical offset, b: queue offset for which the queue is too short
  store_queue_flushed,       // a: flushed up to this byte of the queue, b: queue id
  store_queue_flush_failed,  // a: byte of the queue, b: errno
  store_queue_write_failed,  // a: physical offset, b: queue offset of the unit that was given up
  ha_slave_connected,        // a: the slave's address; told by the master
  ha_slave_disconnected,     // a: the slave's address
  ha_slave_acknowledged,     // a: how far its log goes, b: its address
  ha_slave_stranded,         // a: the end of its log, b: where its master's begins, behind that
  send_acknowledged,         // a: key, b: physical offset
  serving_started,           // a: process id
  host_panicked,             // a: host id
  broker_registered,         // a: the broker's process id, b: the name server's address
  route_broker_added,        // a: broker id; a name server knows one more address
  route_broker_removed,      // a: how many addresses; unregistered, disconnected or expired
  client_route_changed,      // a: queues to which the client may send now
  slave_metadata_pulled,     // a: of how many of its four tables the master had the present state
  store_committed,           // a: in the page cache up to here; of the transient pool, and at start
  count_,
};

// Places where a crash is worth trying: `co_await chaos.reach(point)` in the engine.
enum class CrashPoint : std::uint16_t {
  store_before_append,           // The put lock is held, nothing written.
  store_after_append,            // The record is in the map, not flushed.
  store_before_flush,            // The flush service is about to sync.
  store_after_flush,             // Synced, the waiting sends are not yet answered.
  store_between_blank_and_roll,  // The blank record is written, the next file not yet created.
  store_recovery_before_truncate,
  store_recovery_after_truncate,
  store_recovery_between_truncations,  // The queues are cut, the log is not yet.
  store_before_dispatch,               // The record is in the log, its unit not in the queue.
  store_after_dispatch,                // The unit is written, nobody has been told.
  store_before_queue_flush,
  store_after_queue_flush,
  store_before_checkpoint_write,
  store_after_index_file_made,  // It has its size; its header is not written yet.
  store_after_abort_removed,    // An orderly stop is done but for the lock.
  store_before_commit,          // Records are in the transient pool and not in the page cache.
  store_after_commit,           // They are in the page cache, no flush was told.
  count_,
};

// Places where the engine may be asked to take its rarer path: `chaos.fire(site)`.
enum class BuggifySite : std::uint16_t {
  store_flush_every_append,  // The asynchronous flush runs early.
  client_retry_early,        // The producer gives an attempt up early.
  count_,
};

std::string_view name_of(EventName name);
std::string_view name_of(CrashPoint point);
std::string_view name_of(BuggifySite site);

}  // namespace drydock
