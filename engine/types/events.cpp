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
    case EventName::store_appended: return "store.appended";
    case EventName::store_flushed: return "store.flushed";
    case EventName::store_flush_failed: return "store.flush-failed";
    case EventName::ha_slave_connected: return "ha.slave-connected";
    case EventName::ha_slave_disconnected: return "ha.slave-disconnected";
    case EventName::ha_slave_acknowledged: return "ha.slave-acknowledged";
    case EventName::send_acknowledged: return "send.acknowledged";
    case EventName::serving_started: return "serving.started";
    case EventName::host_panicked: return "host.panicked";
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
