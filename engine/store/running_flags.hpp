// Which disk of a store is too full to be written to (storage reference, 5.2 and 6.6): two of
// RocketMQ's running flags. The retention service sets them, all others read them.
#pragma once

namespace drydock {

struct RunningFlags {
  bool disk_full = false;        // The log's: sends are refused.
  bool logic_disk_full = false;  // The queues': sends are refused, and dispatch may not write.
  bool any() const { return disk_full || logic_disk_full; }
};

}  // namespace drydock
