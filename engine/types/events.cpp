#include "engine/types/events.hpp"

namespace drydock {

std::string_view name_of(EventName name) {
  switch (name) {
    case EventName::process_started: return "process.started";
    case EventName::process_killed: return "process.killed";
    case EventName::process_exited: return "process.exited";
    case EventName::host_power_lost: return "host.power-lost";
    case EventName::host_power_restored: return "host.power-restored";
    case EventName::store_recovery_started: return "store.recovery-started";
    case EventName::store_recovery_finished: return "store.recovery-finished";
    case EventName::store_file_created: return "store.file-created";
    case EventName::store_file_deleted: return "store.file-deleted";
    case EventName::store_disk_full: return "store.disk-full";
    case EventName::store_disk_ok: return "store.disk-ok";
    case EventName::store_appended: return "store.appended";
    case EventName::store_flushed: return "store.flushed";
    case EventName::store_flush_failed: return "store.flush-failed";
    case EventName::store_dispatched: return "store.dispatched";
    case EventName::store_dispatch_skipped: return "store.dispatch-skipped";
    case EventName::store_queue_file_created: return "store.queue-file-created";
    case EventName::store_queue_gap: return "store.queue-gap";
    case EventName::store_queue_flushed: return "store.queue-flushed";
    case EventName::store_queue_flush_failed: return "store.queue-flush-failed";
    case EventName::store_queue_write_failed: return "store.queue-write-failed";
    case EventName::ha_slave_connected: return "ha.slave-connected";
    case EventName::ha_slave_disconnected: return "ha.slave-disconnected";
    case EventName::ha_slave_acknowledged: return "ha.slave-acknowledged";
    case EventName::ha_slave_stranded: return "ha.slave-stranded";
    case EventName::send_acknowledged: return "send.acknowledged";
    case EventName::serving_started: return "serving.started";
    case EventName::host_panicked: return "host.panicked";
    case EventName::broker_registered: return "broker.registered";
    case EventName::route_broker_added: return "route.broker-added";
    case EventName::route_broker_removed: return "route.broker-removed";
    case EventName::client_route_changed: return "client.route-changed";
    case EventName::slave_metadata_pulled: return "slave.metadata-pulled";
    case EventName::store_committed: return "store.committed";
    case EventName::count_: break;
  }
  return "unnamed";
}

std::string_view name_of(CrashPoint point) {
  switch (point) {
    case CrashPoint::store_before_append: return "store.before-append";
    case CrashPoint::store_after_append: return "store.after-append";
    case CrashPoint::store_before_flush: return "store.before-flush";
    case CrashPoint::store_after_flush: return "store.after-flush";
    case CrashPoint::store_between_blank_and_roll: return "store.between-blank-and-roll";
    case CrashPoint::store_recovery_before_truncate: return "store.recovery-before-truncate";
    case CrashPoint::store_recovery_after_truncate: return "store.recovery-after-truncate";
    case CrashPoint::store_recovery_between_truncations:
      return "store.recovery-between-truncations";
    case CrashPoint::store_before_dispatch: return "store.before-dispatch";
    case CrashPoint::store_after_dispatch: return "store.after-dispatch";
    case CrashPoint::store_before_queue_flush: return "store.before-queue-flush";
    case CrashPoint::store_after_queue_flush: return "store.after-queue-flush";
    case CrashPoint::store_before_checkpoint_write: return "store.before-checkpoint-write";
    case CrashPoint::store_after_index_file_made: return "store.after-index-file-made";
    case CrashPoint::store_after_abort_removed: return "store.after-abort-removed";
    case CrashPoint::store_before_commit: return "store.before-commit";
    case CrashPoint::store_after_commit: return "store.after-commit";
    case CrashPoint::count_: break;
  }
  return "unnamed";
}

std::string_view name_of(BuggifySite site) {
  switch (site) {
    case BuggifySite::store_flush_every_append: return "store.flush-every-append";
    case BuggifySite::client_retry_early: return "client.retry-early";
    case BuggifySite::count_: break;
  }
  return "unnamed";
}

}  // namespace drydock
