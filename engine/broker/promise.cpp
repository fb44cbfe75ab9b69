#include "engine/broker/promise.hpp"

#include <algorithm>
#include <cstdint>

#include "engine/broker/promise_list.hpp"

namespace drydock {

namespace {

// A ratio in percent that RocketMQ keeps within limits.
std::string percent(const Settings& settings, std::string_view key, std::int64_t low,
                    std::int64_t high) {
  return std::to_string(std::clamp(settings.number(key), low, high)) + " %";
}

// H 0.3. False if there is nothing to promise.
bool add_start(const Settings& settings, PromiseList& list) {
  const ReplicationMode mode = replication_mode_of(settings);
  const bool controller = settings.is("enableControllerMode", "true");
  if (controller && mode == ReplicationMode::dledger) {
    list.add({"enableControllerMode", "enableDLegerCommitLog"},
             "the broker does not start: one of the two");
    return false;
  }
  if (controller || mode == ReplicationMode::dledger) return true;
  const bool slave = settings.is("brokerRole", "SLAVE");
  if (slave && settings.number("brokerId") <= 0) {
    list.add({"brokerRole", "brokerId"},
             "the broker does not start: a slave's brokerId is larger than 0");
    return false;
  }
  if (!slave && settings.number("brokerId") != 0) {
    list.add({"brokerRole", "brokerId"}, "counts as brokerId 0, as for every master");
  }
  return true;
}

// H 1.10; S 3.6.
void add_reading(const Settings& settings, PromiseList& list) {
  const ReplicationMode mode = replication_mode_of(settings);
  if (mode == ReplicationMode::none) return;
  const bool enabled = settings.is("slaveReadEnable", "true");
  list.add({"slaveReadEnable"},
           enabled
               ? "a consumer far behind may be sent to a slave, which may have less than the "
                 "master"
               : "a slave refuses every pull: while the master is away nothing can be consumed");
  // S 1.2: no sync; H 9: at least once.
  list.add({"flushConsumerOffsetInterval"},
           "the positions of consumers are written every " +
               settings.get("flushConsumerOffsetInterval").value +
               " ms and never synced: after a crash messages are delivered again");
}

// S 2.2, 2.3, 5.4; S 13, pitfall 6.
void add_recovery(const Settings& settings, PromiseList& list) {
  const bool appended = settings.is("enabledAppendPropCRC", "true");
  const bool verified = settings.is("forceVerifyPropCRC", "true");
  if (!settings.is("checkCRCOnRecover", "true")) {
    list.add({"checkCRCOnRecover"}, "recovery takes records with a damaged body for good ones");
    if (verified) {
      list.add({"forceVerifyPropCRC", "checkCRCOnRecover"},
               "no effect: recovery compares no checksum at all");
    }
  } else if (!verified) {
    list.add({"checkCRCOnRecover", "forceVerifyPropCRC"},
             "recovery compares the checksum of the body alone: a message whose topic, properties "
             "or header a power loss or a disk has damaged counts as good");
    if (appended) {
      list.add({"enabledAppendPropCRC", "forceVerifyPropCRC"},
               "every record has a checksum of all of it, and nobody compares it");
    }
  } else {
    list.add({"forceVerifyPropCRC", "enabledAppendPropCRC"},
             "recovery cuts the log at the first record without a property CRC, such as all that "
             "were stored without enabledAppendPropCRC" +
                 std::string(appended ? ""
                                      : "; this broker writes no other, so every restart loses "
                                        "acknowledged messages"));
  }
}

// S 6.6.
void add_retention(const Settings& settings, PromiseList& list) {
  list.add({"fileReservedTime", "deleteWhen", "diskMaxUsedSpaceRatio"},
           "a file of the log that was last written " + settings.get("fileReservedTime").value +
               " h ago is deleted, read or not, in the hour " + settings.get("deleteWhen").value +
               " or when its disk is more than " +
               percent(settings, "diskMaxUsedSpaceRatio", 10, 95) + " full");
  const bool forcibly = settings.is("cleanFileForciblyEnable", "true");
  list.add({"cleanFileForciblyEnable", "diskSpaceCleanForciblyRatio"},
           forcibly
               ? "on a disk more than " + percent(settings, "diskSpaceCleanForciblyRatio", 30, 85) +
                     " full the oldest files are deleted, however young and read or not"
               : "no file is deleted before its time, however full the disk is");
  list.add({"diskSpaceWarningLevelRatio"},
           "on a disk more than " + percent(settings, "diskSpaceWarningLevelRatio", 35, 90) +
               " full sends are refused");
}

}  // namespace

std::vector<Promise> promises_of(const Settings& settings) {
  PromiseList list(settings);
  if (!add_start(settings, list)) return list.take();
  add_replication(settings, list);
  add_flush(settings, list);
  add_reading(settings, list);
  add_recovery(settings, list);
  add_retention(settings, list);
  return list.take();
}

std::string describe(const Promise& promise) {
  std::string text;
  for (const Setting& setting : promise.from) {
    if (!text.empty()) text += ", ";
    text += describe(setting);
  }
  return text + ": " + promise.text;
}

}  // namespace drydock
