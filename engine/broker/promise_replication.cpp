#include <algorithm>
#include <cstdint>

#include "engine/broker/promise_list.hpp"

namespace drydock {

namespace {

constexpr std::string_view kOneCopy =
    "SEND_OK stands for one copy, and a master that is lost for good takes with it what it had not "
    "sent yet";

std::string ms(const Settings& settings, std::string_view key) {
  return settings.get(key).value + " ms";
}

// How a client sees a send whose copies did not come in time. H 1.7, 1.9.
std::string too_late(const Settings& settings) {
  return "; if they are late by " + ms(settings, "slaveTimeout") +
         " the answer is FLUSH_SLAVE_TIMEOUT, whose outcome is unknown: the master has the "
         "message, "
         "and a retry stores it twice";
}

std::string copies(std::int64_t needed) {
  return "SEND_OK once " + std::to_string(needed) +
         " brokers, the master among them, have the message in memory";
}

// H 1.6: keys that no code reads on this path.
void add_ignored(const Settings& settings, PromiseList& list) {
  for (const std::string_view key : {"minInSyncReplicas", "enableAutoInSyncReplicas"}) {
    if (settings.is_given(key)) {
      list.add({key}, "ignored without slave-acting-master or controller mode");
    }
  }
  if (settings.is_given("allAckInSyncStateSet")) {
    list.add({"allAckInSyncStateSet"}, "ignored without controller mode");
  }
}

// H 1.6, 1.7; S 7.4.
void add_sync_master(const Settings& settings, PromiseList& list) {
  const std::int64_t needed = settings.number("inSyncReplicas");
  if (needed <= 1) {
    list.add({"brokerRole", "inSyncReplicas"}, "waits for nobody: " + std::string(kOneCopy));
    return;
  }
  // H 1.4: a slave answers before any flush.
  list.add({"brokerRole", "inSyncReplicas", "slaveTimeout"},
           copies(needed) + ", flushed or not" + too_late(settings));
  list.add({"brokerRole"}, std::string(kNotWaiting) + "copy");
}

// H 1.6; the tail that is not sent: H 9.
void add_async_master(const Settings& settings, PromiseList& list) {
  list.add({"brokerRole"}, "no replica promise: " + std::string(kOneCopy));
  if (settings.is_given("inSyncReplicas") && settings.number("inSyncReplicas") > 1) {
    list.add({"brokerRole", "inSyncReplicas"}, "an ASYNC_MASTER waits for no slave all the same");
  }
}

// H 1.9, 1.4.
void add_slave(const Settings& settings, PromiseList& list) {
  if (!settings.is("enableSlaveActingMaster", "true")) {
    list.add({"brokerRole"}, "refuses every send, so nothing is acknowledged by this broker");
  }
  list.add({"brokerRole", "flushDiskType"},
           "what the master sends counts as copied once it is in this broker's memory, before any "
           "flush");
}

// H 1.6.
void add_acting_master(const Settings& settings, PromiseList& list) {
  const std::int64_t needed = settings.number("inSyncReplicas");
  const std::int64_t least = settings.number("minInSyncReplicas");
  if (!settings.is("enableAutoInSyncReplicas", "true")) {
    if (needed <= 1) return add_sync_master(settings, list);
    list.add({"enableSlaveActingMaster", "brokerRole", "inSyncReplicas", "slaveTimeout"},
             copies(needed) + "; with fewer in sync, sends are refused and nothing is stored" +
                 too_late(settings));
    return;
  }
  // H 9: acting-master auto-degrade.
  std::string text = copies(std::max(needed, least)) + ", or in as few as " +
                     std::to_string(std::max<std::int64_t>(least, 1)) + " while fewer are in sync" +
                     too_late(settings);
  if (least <= 1) text += "; SEND_OK may then stand for one copy";
  list.add({"enableSlaveActingMaster", "brokerRole", "inSyncReplicas", "enableAutoInSyncReplicas",
            "minInSyncReplicas", "slaveTimeout"},
           std::move(text));
}

// H 1.6, 2.6, 9.
void add_controller(const Settings& settings, PromiseList& list) {
  const std::int64_t least = settings.number("minInSyncReplicas");
  const std::int64_t needed = settings.number("inSyncReplicas");
  if (settings.is("allAckInSyncStateSet", "true")) {
    list.add({"enableControllerMode", "allAckInSyncStateSet", "slaveTimeout"},
             "SEND_OK once every member of the SyncStateSet has the message in memory" +
                 too_late(settings));
  } else {
    const std::string waits = needed <= 1 ? "SEND_OK waits for no other broker"
                                          : copies(needed) + ", members of the SyncStateSet or not";
    list.add({"enableControllerMode", "allAckInSyncStateSet", "inSyncReplicas"},
             waits +
                 "; a failover cuts what the new master does not have, and consumers may have "
                 "read it");
  }
  if (least >= 2) {
    list.add({"enableControllerMode", "minInSyncReplicas"},
             "sends are refused, and nothing is stored, while the SyncStateSet has fewer than " +
                 std::to_string(least) +
                 " members: after each failover until a slave is back, at least 5 s");
  } else if (settings.is("allAckInSyncStateSet", "true")) {
    list.add({"enableControllerMode", "minInSyncReplicas"},
             "the SyncStateSet may shrink to the master, and SEND_OK then stands for one copy");
  }
}

// H 4.1, 4.2, 4.8, 9.
void add_dledger(PromiseList& list) {
  list.add({"enableDLegerCommitLog", "flushDiskType"},
           "SEND_OK once a majority of the group has the message in memory; no broker waits for a "
           "flush, whatever flushDiskType says, so a power loss of all of them at once may take "
           "acknowledged messages");
}

// H 1.10: somebody has to act.
void add_no_failover(PromiseList& list) {
  list.add({"brokerRole", "enableControllerMode"},
           "no automatic failover: while the master is away nothing can be written to its group");
}

void add_classic(const Settings& settings, PromiseList& list) {
  if (settings.is("brokerRole", "SLAVE")) {
    add_slave(settings, list);
  } else if (settings.is("brokerRole", "ASYNC_MASTER")) {
    add_async_master(settings, list);
  } else {
    add_sync_master(settings, list);
  }
  add_ignored(settings, list);
  add_no_failover(list);
}

}  // namespace

// H 0.3.
ReplicationMode replication_mode_of(const Settings& settings) {
  if (settings.is("enableDLegerCommitLog", "true")) return ReplicationMode::dledger;
  if (settings.is("enableControllerMode", "true")) return ReplicationMode::controller;
  if (settings.is("duplicationEnable", "true")) return ReplicationMode::none;
  return settings.is("enableSlaveActingMaster", "true") ? ReplicationMode::acting_master
                                                        : ReplicationMode::classic;
}

void add_replication(const Settings& settings, PromiseList& list) {
  switch (replication_mode_of(settings)) {
    case ReplicationMode::dledger: return add_dledger(list);
    case ReplicationMode::controller: return add_controller(settings, list);
    case ReplicationMode::none:
      list.add({"duplicationEnable"}, "nothing is sent to a slave: " + std::string(kOneCopy));
      return;
    case ReplicationMode::classic: return add_classic(settings, list);
    case ReplicationMode::acting_master: break;
  }
  if (settings.is("brokerRole", "SYNC_MASTER")) return add_acting_master(settings, list);
  if (settings.is("brokerRole", "SLAVE")) return add_slave(settings, list);
  add_async_master(settings, list);
}

}  // namespace drydock
